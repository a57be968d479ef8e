//! The methods of compression, and the strategies that a request may ask for.

use schemars::JsonSchema;

use crate::wire::words;

/// The method by which a context was compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("compression_method"))]
#[non_exhaustive]
pub enum CompressionMethod {
    /// The passages that fit the query were kept, word for word.
    SemanticPruning,
    /// A smaller model wrote a summary.
    KnowledgeDistillation,
    /// Older messages were reduced to what later ones need.
    HistoryCompaction,
    /// The context is as it was.
    None,
}

words!(CompressionMethod {
    SemanticPruning = "semantic_pruning",
    KnowledgeDistillation = "knowledge_distillation",
    HistoryCompaction = "history_compaction",
    None = "none",
});

/// The strategy that a request asks for, in place of the one that the context manager selects.
///
/// ```
/// use tool_contracts::assess::{CompressionMethod, CompressionStrategy};
///
/// let strategy: CompressionStrategy = "distillation".parse()?;
/// assert_eq!(strategy.method(), CompressionMethod::KnowledgeDistillation);
///
/// let unknown = "zip".parse::<CompressionStrategy>().unwrap_err().to_string();
/// assert!(unknown.contains("one of `semantic_pruning`, `distillation`, `history_compaction`"));
/// # Ok::<(), tool_contracts::ContractError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("compression_strategy"))]
#[non_exhaustive]
pub enum CompressionStrategy {
    /// Keep the passages that fit the query.
    SemanticPruning,
    /// Have a smaller model write a summary.
    Distillation,
    /// Reduce older messages to what later ones need.
    HistoryCompaction,
}

words!(CompressionStrategy {
    SemanticPruning = "semantic_pruning",
    Distillation = "distillation",
    HistoryCompaction = "history_compaction",
});

impl CompressionStrategy {
    /// Returns the method that the strategy uses.
    #[must_use]
    pub const fn method(self) -> CompressionMethod {
        match self {
            Self::SemanticPruning => CompressionMethod::SemanticPruning,
            Self::Distillation => CompressionMethod::KnowledgeDistillation,
            Self::HistoryCompaction => CompressionMethod::HistoryCompaction,
        }
    }
}
