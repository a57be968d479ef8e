//! JSON Schemas: generated from types, titled by type names, and checked against raw JSON.

mod absent;
mod close;
#[doc(hidden)]
pub mod exclusive;
mod findings;
mod input;
mod nested;
#[doc(hidden)]
pub mod older_drafts;
#[doc(hidden)]
pub mod pattern;
#[doc(hidden)]
pub mod reference;
#[doc(hidden)]
pub mod subschemas;
mod title;
mod unchecked;
#[doc(hidden)]
pub mod validator;

#[doc(hidden)]
pub use self::absent::AbsentField;
pub use self::close::open;
#[doc(hidden)]
pub use self::close::{ChoiceReading, close};
pub use self::findings::SchemaFinding;
#[doc(hidden)]
pub use self::findings::{IsClosed, schema_findings};
#[doc(hidden)]
pub use self::input::take_unchecked_bounds;
pub use self::input::{InputSchema, Property};
#[doc(hidden)]
pub use self::title::output;
pub use self::title::title;
#[doc(hidden)]
pub use self::unchecked::loosened;
pub use self::unchecked::{SchemaKind, UncheckedRule};
#[doc(hidden)]
pub use self::validator::{AnswerCheck, is_type_name, nearest_tools};
pub use self::validator::{Coerce, Malformed, SchemaError, ValidationReport, Validator};

pub use schemars::JsonSchema;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;

/// Creates the generator of input schemas.
#[doc(hidden)]
#[must_use]
pub fn input_generator() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

/// Creates the generator of output schemas.
#[doc(hidden)]
#[must_use]
pub fn output_generator() -> SchemaGenerator {
    settings().for_serialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None)
}
