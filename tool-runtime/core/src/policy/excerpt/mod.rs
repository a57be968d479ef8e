//! Shortens long answers for a model, and serves the whole in pages.

mod answer_size;
mod model_answer;
mod result_format;
mod row_cuts;
mod text_part;

#[cfg(test)]
mod tests;

use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{pointer, read};

pub use self::model_answer::{ExcerptInfo, ModelAnswer, OutputHandle, OutputPage};
pub(in crate::policy) use self::result_format::ResultFormat;
use self::row_cuts::RowCuts;

/// An answer with rows left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) json: String,
    /// In document order; empty if the answer was short enough.
    pub(crate) cuts: Vec<TruncatedArray>,
}

/// An array of which only the first rows are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TruncatedArray {
    /// The array's JSON Pointer; long names of properties are capped.
    pub pointer: String,
    /// The number of rows that are shown.
    pub rows_shown: u64,
    /// The number of all rows.
    pub rows_total: u64,
}

/// The attempts to find an excerpt that fits the schema.
const MAX_ATTEMPTS: usize = 3;

const UNBOUNDED: Limits = Limits::new()
    .with_max_bytes(Limits::MAX_BYTES)
    .with_max_depth(Limits::DEEPEST)
    .with_max_string_bytes(usize::MAX);

/// Removes whole rows from the ends of the largest arrays until an answer fits `max_bytes`.
///
/// All other text is unchanged. The largest array is halved repeatedly, so that two long arrays
/// both keep rows; arrays inside of rows are cut only when each array around them has one row
/// left. Rows are then added again while they fit.
///
/// If `keeps_schema` refuses an excerpt, the array with the fewest rows is kept whole, and the
/// others are cut. Returns none if no excerpt fits.
pub(crate) fn excerpt(
    data_json: &str,
    max_bytes: usize,
    keeps_schema: impl Fn(&str) -> bool,
) -> Option<Excerpt> {
    let tree = read(data_json, &UNBOUNDED).ok()?;
    let view = tree.view(data_json);
    let mut uncut_arrays = Vec::new();
    for _ in 0..MAX_ATTEMPTS {
        let rows = RowCuts::fit(view, max_bytes, &uncut_arrays)?;
        let json = rows.text();
        if keeps_schema(&json) {
            return Some(Excerpt { json, cuts: cuts(&rows) });
        }
        uncut_arrays.push(rows.shortest()?);
    }
    None
}

fn cuts(row_cuts: &RowCuts<'_>) -> Vec<TruncatedArray> {
    let cut = |(array, (shown, total)): (u32, (usize, usize))| TruncatedArray {
        pointer: pointer(row_cuts.view(), array),
        rows_shown: shown as u64,
        rows_total: total as u64,
    };
    row_cuts.cuts().map(cut).collect()
}
