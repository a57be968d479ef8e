//! JSON Schemas: generated from types, titled by type names, and checked against raw JSON.

mod absent;
mod close;
mod compare;
pub(crate) mod exclusive;
pub(crate) mod export;
mod findings;
mod input;
mod nested;
pub(crate) mod pattern;
pub(crate) mod reference;
mod title;
mod unchecked;
pub(crate) mod validator;

pub(crate) use self::absent::AbsentField;
pub use self::close::open;
pub(crate) use self::close::{ChoiceReading, close};
pub(crate) use self::compare::compare_without_counterexamples;
pub use self::compare::{ComparedVersion, Compatibility, SchemaChange, SchemaReader, compare};
pub use self::export::{
    ContractChange, ContractChanges, ContractPart, Export, ExportError, ExportErrorKind,
    WrittenFiles,
};
pub use self::findings::SchemaFinding;
pub(crate) use self::findings::{IsClosed, schema_findings};
pub(crate) use self::input::take_unchecked_bounds;
pub use self::input::{InputSchema, Property};
pub(crate) use self::title::output;
pub use self::title::title;
pub(crate) use self::unchecked::loosened;
pub use self::unchecked::{SchemaKind, UncheckedRule};
pub(crate) use self::validator::{AnswerCheck, is_type_name, nearest_tools};
pub use self::validator::{Coerce, Malformed, SchemaError, ValidationReport, Validator};

pub use schemars::JsonSchema;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;

/// Creates the generator of input schemas.
pub(crate) fn input_generator() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

/// Creates the generator of output schemas.
pub(crate) fn output_generator() -> SchemaGenerator {
    settings().for_serialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None)
}
