//! Bodies that are read by the schemas which the document shows.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde_json::value::RawValue;
use tool_contracts::{ErrorCode, Violation};

use super::body;
use super::problem::Problem;
use crate::Limits;
use crate::dispatch::refusal::spell_out;
use crate::schema::{Coerce, Malformed, Validator, input_generator};

/// What checks the bodies of one path.
pub(super) struct Form(Validator);

impl Form {
    /// Makes the form of a type.
    pub(super) fn of<T: JsonSchema>() -> Self {
        let schema = input_generator().into_root_schema_for::<T>().to_value();
        Self(Validator::compile(&schema).expect("the schemas of this rim's bodies are checkable"))
    }

    /// Gives a body's text, if it is what its schema asks for.
    pub(super) fn check<'b>(&self, body: &'b [u8]) -> Result<&'b str, Problem> {
        let text = body::parse::<&RawValue>(body)?.get();
        let mut report = self.0.check(text, &Limits::new(), Coerce::Off);
        // No number is read here: whoever reads one out of the text holds its digits or says so.
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

/// Says what a body breaks: all at once, and never a value.
fn refused(violations: &[Violation]) -> Problem {
    let mut message = String::from("the body is not valid");
    spell_out(violations, &mut message);
    let violations = serde_json::to_value(violations).unwrap_or_default();
    Problem::of(ErrorCode::InvalidArgument, message).with_detail("violations", violations)
}
