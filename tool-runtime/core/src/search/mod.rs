//! Tool search: ranks tools for a query by their words.
//!
//! A prompt has room for a limited number of tools. A [`ToolIndex`] ranks all tools for a query by
//! the words of their names, descriptions, toolkits and parameters (BM25F), so that a host can
//! offer the best ones. [`search_tools`] is a tool with which the model itself finds the others.
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
//! let runtime = Runtime::builder().tool::<ConvertCurrencyTool>().tool::<WeatherTool>().build()?;
//! let index = runtime.tool_index(); // made once, and kept
//! let hits = index.search("How many euros is my money worth when I'm converting 20 dollars?", 5);
//! assert_eq!(hits[0].name(), "convert_currency");
//! assert!(index.search("", 5).is_empty());
//! # Ok::<(), tool_runtime::BuildError>(())
//! ```
//!
//! # Matching
//! Words are compared, not meanings: a query finds a tool that has a word in common with it. Names
//! are split at `_`, `.`, `-`, between `camelCase` and at digits; English words are compared by
//! their stems, so that "converting" finds "convert"; Chinese, Japanese and Korean are compared by
//! pairs of characters; stop words ("the", "what") and numbers, which are arguments rather than
//! tools, are ignored. Each sentence of a query is ranked by itself too, and a word that the tools
//! before have matched counts less, so that a query may ask for several tools. Results and their
//! order are deterministic.

mod fields;
mod index;
mod postings;
mod query;
mod ranking;
#[cfg(test)]
mod tests;
#[doc(hidden)]
pub mod tokenizer;
mod tool;

pub use self::index::{Hit, ToolIndex};
pub use self::tool::search_tools;
use crate::runtime::Runtime;
use crate::tool::BuildError;
use crate::tool::registry::Registry;

impl Registry {
    /// Returns at most `k` tools for a query, best first, among those that models may call.
    ///
    /// Each call builds the index; for more than one query, keep a [`ToolIndex`]. A registry does
    /// not know the permissions of a runtime, so tools that are denied there are included;
    /// [`Runtime::tool_index`] excludes them.
    ///
    /// # Errors
    /// Returns the error of [`specs`](Self::specs) if the registrations are invalid.
    pub fn search(&self, query: &str, k: usize) -> Result<Vec<Hit>, BuildError> {
        let specs = self.specs()?;
        let index = ToolIndex::new(specs.iter().filter(|spec| spec.ai_callable()));
        Ok(index.search(query, k))
    }
}

impl Runtime {
    /// Indexes the tools that models may call, without denied ones.
    ///
    /// The index has the tools of now: make another one after a change, of which
    /// [`Tools::subscribe`](crate::Tools::subscribe) reports them.
    #[must_use]
    pub fn tool_index(&self) -> ToolIndex {
        ToolIndex::new(self.specs_for_model())
    }
}
