//! JSON Schemas: generated from types, titled by type names, checked against raw JSON, compared, and
//! exported.

mod compare;
pub(crate) mod export;

pub(crate) use self::compare::compare_without_counterexamples;
pub use self::compare::{ComparedVersion, Compatibility, SchemaChange, SchemaReader, compare};
pub use self::export::{
    ContractChange, ContractChanges, ContractPart, Export, ExportError, ExportErrorKind,
    WrittenFiles,
};
pub(crate) use tool_runtime_schema::schema::{
    AbsentField, AnswerCheck, ChoiceReading, IsClosed, close, exclusive, input_generator,
    is_type_name, loosened, nearest_tools, output, output_generator, pattern, reference,
    schema_findings, subschemas, take_unchecked_bounds, validator,
};
pub use tool_runtime_schema::schema::{
    Coerce, InputSchema, JsonSchema, Malformed, Property, SchemaError, SchemaFinding, SchemaKind,
    UncheckedRule, ValidationReport, Validator, open, title,
};
