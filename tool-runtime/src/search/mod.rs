//! Choosing tools: the few that fit a question, by their words.
//!
//! Only so many tools fit a prompt. A [`ToolIndex`] ranks all of them for a question by the words
//! of their names, descriptions, toolkits and parameters (BM25F), so that a host can offer the best few; and
//! [`search_tools`] is a tool by which the model itself finds the others.
//!
//! ```
//! use tool_runtime::prelude::*;
//!
//! /// Converts an amount of money between two currencies.
//! #[ai_tool(effect = "read")]
//! async fn convert_currency(
//!     /// How much.
//!     amount: f64,
//!     /// The currency that it is in.
//!     from: String,
//!     /// The currency that it becomes.
//!     to: String,
//! ) -> f64 {
//!     let _ = (from, to);
//!     amount
//! }
//!
//! /// Tells the weather of a city.
//! #[ai_tool(effect = "read")]
//! async fn weather(
//!     /// The city.
//!     city: String,
//! ) -> String {
//!     format!("sunny in {city}")
//! }
//!
//! let runtime = Runtime::builder().tool::<ConvertCurrency>().tool::<Weather>().build()?;
//! let index = runtime.tool_index(); // made once, and kept
//! let hits = index.search("How many euros is my money worth when I'm converting 20 dollars?", 5);
//! assert_eq!(hits[0].name(), "convert_currency");
//! assert!(index.search("", 5).is_empty());
//! # Ok::<(), tool_runtime::BuildError>(())
//! ```
//!
//! # What is compared
//! Words, not meanings: a question finds a tool that shares a word with it. Names are taken apart
//! at `_`, `.`, `-`, between `camelCase` and beside digits; English words are compared by their
//! stems, so that "converting" finds "convert"; Chinese, Japanese and Korean are compared by pairs
//! of characters; words that carry no meaning ("the", "what") and mere numbers, which are
//! arguments rather than tools, are left out. The same question over the same tools always gives
//! the same hits in the same order.

mod fields;
mod index;
mod postings;
#[cfg(test)]
mod tests;
mod tool;
mod words;

pub use self::index::{Hit, ToolIndex};
pub use self::tool::search_tools;
use crate::dispatch::{BuildError, Runtime};
use crate::registry::Registry;

impl Registry {
    /// Finds at most `k` tools for a question, the best first, out of those that models may call.
    ///
    /// The index is made anew each time: for more than one question, keep a [`ToolIndex`]. A
    /// registry knows nothing of the permissions that a runtime is given, so a tool that will be
    /// denied there is found here; [`Runtime::search`] leaves it out.
    ///
    /// # Errors
    /// Those of [`specs`](Self::specs): what is wrong with the registrations.
    pub fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, BuildError> {
        let specs = self.specs()?;
        let index = ToolIndex::new(specs.iter().filter(|spec| spec.ai_callable()));
        Ok(index.search(query, k))
    }
}

impl Runtime {
    /// Makes the index over the tools that models may call: none that is denied.
    ///
    /// A runtime's tools never change, so one index serves as long as the runtime does.
    #[must_use]
    pub fn tool_index(&self) -> ToolIndex {
        ToolIndex::new(self.specs_for_model())
    }

    /// Finds at most `k` tools for a question, the best first, out of those that models may call.
    ///
    /// The index is made anew each time: for more than one question, keep a
    /// [`tool_index`](Self::tool_index).
    #[must_use]
    pub fn search(&self, query: &str, k: usize) -> Vec<Hit> {
        self.tool_index().search(query, k)
    }
}
