//! `handbook`: passages of this project's guide, of the type `rag_retrieval`.
//!
//! The index compares words by BM25F. It is the index of the feature `search`, which knows tools: each
//! passage is indexed as a tool whose title is the passage's heading, and whose description is its text.

mod passages;

use tool_runtime::contracts::{ContractError, ToolSpec};
use tool_runtime::prelude::*;
use tool_runtime::search::ToolIndex;

use self::passages::{Passage, passages};

/// The pages of the guide, with an index.
#[derive(Debug)]
pub(crate) struct Handbook {
    passages: Vec<Passage>,
    index: ToolIndex,
}

/// A passage that fits a question.
#[ai_type]
#[derive(Debug)]
pub(crate) struct FoundPassage {
    /// The page and the heading, such as `agent.md#the-loop`.
    source: String,
    /// The passage, word for word.
    text: String,
    /// The score: comparable only within one search.
    score: f64,
}

/// A macro cannot list a folder; a test compares this list with it.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../../tool-runtime/docs/", $name)))),*]
    };
}

/// The names of the pages, and their texts in Markdown.
pub(crate) const PAGES: &[(&str, &str)] = pages![
    "README.md",
    "adapters-libraries.md",
    "adapters-requests.md",
    "adapters-schemas.md",
    "adapters.md",
    "ag-ui.md",
    "agent.md",
    "articulate.md",
    "attachments.md",
    "budgets.md",
    "calls.md",
    "canonical.md",
    "choosing-tools.md",
    "compile-errors.md",
    "console.md",
    "context.md",
    "cookbook.md",
    "effects.md",
    "envelopes.md",
    "errors.md",
    "first-tool.md",
    "http-approvals.md",
    "http-clients.md",
    "http-operation.md",
    "http-records.md",
    "http-security.md",
    "http.md",
    "key-rotation.md",
    "mcp-client.md",
    "mcp.md",
    "postgres.md",
    "record.md",
    "redaction.md",
    "safe-execution.md",
    "schemas.md",
    "stores.md",
    "testing.md",
    "traces.md",
    "webhooks.md",
];

impl Handbook {
    /// Splits the pages into passages, and indexes these.
    ///
    /// # Errors
    /// A passage cannot be indexed.
    pub(crate) fn open() -> Result<Self, ContractError> {
        let passages: Vec<Passage> =
            PAGES.iter().flat_map(|(name, text)| passages(name, text)).collect();
        let specs = passages.iter().enumerate().map(|(place, passage)| {
            let spec = ToolSpec::builder(format!("p{place}"), Effect::Read);
            spec.title(&passage.heading).description(&passage.text).build()
        });
        let specs = specs.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { index: ToolIndex::new(&specs), passages })
    }

    fn passage(&self, name: &str) -> Option<&Passage> {
        self.passages.get(name.strip_prefix('p')?.parse::<usize>().ok()?)
    }
}

/// The guide of the software that this assistant runs on.
#[ai_toolkit]
impl Handbook {
    /// Finds the passages of the guide that fit a question, the best first.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "rag_retrieval",
        timeout = "5s",
        blocking
    )]
    fn search(
        &self,
        /// The question, in the words that the answer may have.
        #[arg(length(1..=500))]
        question: &str,
        /// The most passages to return.
        #[arg(default = 4, range(1..=10))]
        limit: usize,
    ) -> Vec<FoundPassage> {
        let hits = self.index.search(question, limit);
        let found = hits.iter().filter_map(|hit| {
            let passage = self.passage(hit.name())?;
            let score = (hit.score() * 100.0).round() / 100.0;
            Some(FoundPassage { source: passage.source(), text: passage.text.clone(), score })
        });
        found.collect()
    }
}
