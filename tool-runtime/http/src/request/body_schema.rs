//! Validates request bodies against the schemas of the OpenAPI document.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde_json::value::RawValue;
use tool_contracts::{ErrorCode, Violation};
use tool_runtime_core::dispatch::refusal::spell_out;
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::{Coerce, Malformed, Validator, input_generator};

use crate::problem::Problem;
use crate::request::body;

/// The validator of one path's bodies.
pub(crate) struct BodySchema(Validator);

impl BodySchema {
    /// Compiles the schema of a type.
    pub(crate) fn for_type<T: JsonSchema>() -> Self {
        let schema = input_generator().into_root_schema_for::<T>().to_value();
        Self(
            Validator::compile(&schema).expect("the schemas of the request bodies can be compiled"),
        )
    }

    /// Returns the text of a valid body.
    pub(crate) fn check<'b>(&self, body: &'b [u8]) -> Result<&'b str, Problem> {
        let text = body::parse::<&RawValue>(body)?.get();
        let mut report = self.0.check(text, &Limits::new(), Coerce::Off);
        // Numbers stay text here; the code that parses one keeps its digits or refuses it.
        report.violations.retain(|violation| violation.rule() != "precision");
        match (&report.malformed, &report.violations[..]) {
            (Some(malformed), _) => Err(unreadable(malformed)),
            (None, []) => Ok(text),
            (None, violations) => Err(refused(violations)),
        }
    }
}

fn unreadable(malformed: &Malformed) -> Problem {
    let message = format!("the body is not readable: {malformed}");
    Problem::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidArgument, message)
        .with_detail("position", malformed.position())
}

/// Lists all violations of a body, without its values.
fn refused(violations: &[Violation]) -> Problem {
    let mut message = String::from("the body is not valid");
    spell_out(violations, &mut message);
    let violations = serde_json::to_value(violations).unwrap_or_default();
    Problem::from_code(ErrorCode::InvalidArgument, message).with_detail("violations", violations)
}
