//! The search index over tools.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use tool_contracts::ToolSpec;

use super::fields;
use super::postings::Postings;
use super::query::QueryWords;
use super::ranking;

/// The most characters of a query that are read.
const MAX_QUERY_CHARS: usize = 4_000;

/// Finds tools that match a query. Cloning the index is cheap.
///
/// It contains copies of the contracts, and no handle of the runtime.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::contracts::{Effect, ToolSpec};
/// use tool_runtime::search::ToolIndex;
///
/// let spec = |name: &str, description: &str| {
///     ToolSpec::builder(name, Effect::Read).description(description).build()
/// };
/// let specs = [
///     spec("calendar.createEvent", "Puts an appointment into the calendar.")?,
///     spec("mail.send", "Sends a letter by e-mail.")?,
/// ];
/// let index = ToolIndex::new(&specs);
/// let hits = index.search("creating events", 3);
/// assert_eq!((hits.len(), hits[0].name()), (1, "calendar.createEvent"));
/// # Ok::<(), tool_runtime::contracts::ContractError>(())
/// ```
#[derive(Clone)]
pub struct ToolIndex(Arc<IndexData>);

struct IndexData {
    /// Sorted by name.
    specs: Vec<Arc<ToolSpec>>,
    postings: Postings,
}

/// A search result.
#[derive(Debug, Clone)]
pub struct Hit {
    spec: Arc<ToolSpec>,
    score: f64,
}

impl ToolIndex {
    /// Indexes these tools.
    #[must_use]
    pub fn new<S: Borrow<ToolSpec>>(specs: impl IntoIterator<Item = S>) -> Self {
        let copied = specs.into_iter().map(|spec| Arc::new(spec.borrow().clone()));
        Self::from_specs(copied.collect())
    }

    fn from_specs(mut specs: Vec<Arc<ToolSpec>>) -> Self {
        specs.sort_by(|one, other| one.name().cmp(other.name()));
        let postings = Postings::new(specs.iter().map(|spec| fields::searchable_fields(spec)));
        Self(Arc::new(IndexData { specs, postings }))
    }

    /// Returns at most `k` tools for a query, best first; ties are sorted by name.
    ///
    /// A query of several sentences may ask for several tools: the best ones of each are among the
    /// first, before many that are alike.
    ///
    /// A tool without a common word is not returned, so that there may be fewer results, or none.
    /// The first 4,000 characters of the query are read.
    #[must_use]
    pub fn search(&self, query: &str, k: usize) -> Vec<Hit> {
        let IndexData { specs, postings } = &*self.0;
        let scored = ranking::top(postings, &QueryWords::new(beginning(query)), k);
        let hit = |(place, score): (usize, f64)| Hit { spec: specs[place].clone(), score };
        scored.into_iter().map(hit).collect()
    }

    /// Returns the number of tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.specs.len()
    }

    /// Returns whether the index is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.specs.is_empty()
    }
}

impl Hit {
    /// Returns the tool's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.spec.name()
    }

    /// Returns the tool's contract.
    #[must_use]
    pub fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    /// Returns the score: more than 0, and comparable only within one search.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }
}

impl fmt::Debug for ToolIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolIndex").field("tools", &self.len()).finish_non_exhaustive()
    }
}

fn beginning(query: &str) -> &str {
    query.char_indices().nth(MAX_QUERY_CHARS).map_or(query, |(end, _)| &query[..end])
}
