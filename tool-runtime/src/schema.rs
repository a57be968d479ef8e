//! JSON Schemas: generated from types, titled by type names, and checked against raw JSON; with the feature
//! `export`, compared and exported.

#[cfg(feature = "export")]
#[doc(inline)]
pub use tool_runtime_contracts_lock::{
    ComparedVersion, Compatibility, ContractChange, ContractChanges, ContractPart, Export,
    ExportError, ExportErrorKind, SchemaChange, SchemaReader, WrittenFiles, compare,
};
#[doc(inline)]
pub use tool_runtime_schema::schema::{
    Coerce, InputSchema, JsonSchema, Malformed, Property, SchemaError, SchemaFinding, SchemaKind,
    UncheckedRule, ValidationReport, Validator, open, title,
};
