//! What of a long answer a model gets, and how it reads the rest.

mod leaving;
mod plan;

#[cfg(test)]
mod tests;

pub use self::leaving::{ExcerptMark, ModelAnswer, OutputHandle, OutputPage};
use self::plan::Plan;
use crate::json::{pointers, read};
use crate::limits::Limits;

/// An answer with rows left out.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    pub(crate) json: String,
    /// In the order in which the arrays begin; none if the answer was short enough.
    pub(crate) cuts: Vec<Cut>,
}

/// One array of which only the first rows are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// Where the array is, as a JSON Pointer; long names of properties are capped.
    pub pointer: String,
    /// How many rows are shown.
    pub rows_shown: u64,
    /// How many there are.
    pub rows_total: u64,
}

/// How often another way is looked for when the schema refuses what was left out.
const TRIES: usize = 3;

const UNBOUNDED: Limits = Limits::new()
    .with_max_bytes(Limits::LONGEST)
    .with_max_depth(Limits::DEEPEST)
    .with_max_string_bytes(usize::MAX);

/// Leaves whole rows out of an answer until it fits, from the ends of the arrays that weigh most.
///
/// Whatever stays is as it was written, and in its place. An array is halved as long as it weighs
/// most, so that two long ones both keep rows; arrays inside of rows are cut only when each array
/// around them is down to one row. What room is left is then filled with rows again.
///
/// None if rows alone do not bring it down to `most_bytes`, or if `keeps_schema` refuses what is
/// left: then the array with the fewest rows is left whole, and the others are tried.
pub(crate) fn excerpt(
    data_json: &str,
    most_bytes: usize,
    keeps_schema: impl Fn(&str) -> bool,
) -> Option<Excerpt> {
    let tree = read(data_json, &UNBOUNDED).ok()?;
    let view = tree.view(data_json);
    let mut whole = Vec::new();
    for _ in 0..TRIES {
        let plan = Plan::fit(view, most_bytes, &whole)?;
        let json = plan.text();
        if keeps_schema(&json) {
            return Some(Excerpt { json, cuts: cuts(&plan) });
        }
        whole.push(plan.scarcest()?);
    }
    None
}

fn cuts(plan: &Plan<'_>) -> Vec<Cut> {
    let (places, rows): (Vec<_>, Vec<_>) = plan.cuts().unzip();
    let cut = |(pointer, (shown, total)): (_, (usize, usize))| Cut {
        pointer,
        rows_shown: shown as u64,
        rows_total: total as u64,
    };
    pointers(plan.view(), &places).into_iter().zip(rows).map(cut).collect()
}
