//! For build scripts of `tool-runtime`: the contracts of tools in files, and the lock that shows what a change of
//! them breaks.
//!
//! Depend on `tool-runtime` with the feature `export`, which re-exports what is public here. What is hidden is for
//! its other parts, and has no stable interface.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod compare;
#[doc(hidden)]
pub mod export;

#[doc(hidden)]
pub use self::compare::compare_without_counterexamples;
pub use self::compare::{ComparedVersion, Compatibility, SchemaChange, SchemaReader, compare};
pub use self::export::{
    ContractChange, ContractChanges, ContractPart, Export, ExportError, ExportErrorKind,
    WrittenFiles,
};
