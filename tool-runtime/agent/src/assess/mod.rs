//! Compresses the context of a model's turn: fewer tokens in, with what the question needs.
//!
//! [`Assessor`] makes an [`OptimizedContext`](tool_contracts::assess::OptimizedContext) from a
//! [`ContextData`](tool_contracts::assess::ContextData); the trait [`ContextManager`] is its
//! interface. A [`ContextCompressor`] of your own replaces one of its methods, a [`Summarizer`]
//! is the smaller model of the distillation, and an [`Embedder`] computes the similarity.

mod assessor;
mod compression;
mod context_text;
mod distillation;
mod escapes;
mod identifiers;
mod json_rows;
mod limits;
mod manager;
mod options;
mod passages;
mod pruning;
mod query_terms;
mod raw_context;
mod references;
mod relevance;
mod result_message;
mod results;
mod salience;
mod savings;
mod similarity;

#[cfg(test)]
mod tests;

pub use self::assessor::Assessor;
pub(crate) use self::assessor::{COMPRESSION_COST, WITHOUT_CACHE};
pub use self::manager::{
    CompressionError, ContextCompressor, ContextManager, Embedder, Summarizer, SummaryRequest,
};
pub use self::options::AssessOptions;
pub(crate) use self::savings::to_f64;
