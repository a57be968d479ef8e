//! The index: tools by their words, made once and asked often.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use tool_contracts::ToolSpec;

use super::fields;
use super::postings::Postings;
use super::words;

/// How much of a question is read, in characters.
const LONGEST_QUERY: usize = 4_000;

/// Finds the tools that fit a question. A handle: cloning it is cheap.
///
/// It keeps copies of the contracts that it was made of, and nothing of the runtime.
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
pub struct ToolIndex(Arc<Inner>);

struct Inner {
    /// In the order of their names.
    specs: Vec<Arc<ToolSpec>>,
    postings: Postings,
}

/// A tool that was found.
#[derive(Debug, Clone)]
pub struct Hit {
    spec: Arc<ToolSpec>,
    score: f64,
}

impl ToolIndex {
    /// Makes the index of these tools, each of which may be found.
    #[must_use]
    pub fn new<S: Borrow<ToolSpec>>(specs: impl IntoIterator<Item = S>) -> Self {
        let copied = specs.into_iter().map(|spec| Arc::new(spec.borrow().clone()));
        Self::of(copied.collect())
    }

    fn of(mut specs: Vec<Arc<ToolSpec>>) -> Self {
        specs.sort_by(|one, other| one.name().cmp(other.name()));
        let postings = Postings::new(specs.iter().map(|spec| fields::of(spec)));
        Self(Arc::new(Inner { specs, postings }))
    }

    /// Finds at most `k` tools for a question, the best first; equals in the order of their names.
    ///
    /// A tool that shares no word with the question is not found, so that there may be fewer, or
    /// none. The first 4,000 characters of the question are read.
    #[must_use]
    pub fn search(&self, query: &str, k: usize) -> Vec<Hit> {
        let Inner { specs, postings } = &*self.0;
        let scored = postings.best(&words::of_question(beginning(query)), k);
        let hit = |(place, score): (usize, f64)| Hit { spec: specs[place].clone(), score };
        scored.into_iter().map(hit).collect()
    }

    /// Counts the tools.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.specs.len()
    }

    /// Tells whether there is no tool.
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

    /// Returns how well it fits: more than 0, and comparable within one search only.
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
    query.char_indices().nth(LONGEST_QUERY).map_or(query, |(end, _)| &query[..end])
}
