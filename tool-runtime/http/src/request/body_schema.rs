//! Validates request bodies against the schemas of the OpenAPI document, and reads the reason in those
//! that leave an audit record.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tool_contracts::{ErrorCode, Violation, has_bidirectional_controls};
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

/// The field of all bodies that give a reason; their schemas require it and bound its length.
#[derive(Deserialize)]
struct ReasonField {
    reason: String,
}

/// Reads the reason of a body that is valid by its schema.
pub(crate) fn read_reason(schema: &BodySchema, body: &[u8]) -> Result<String, Problem> {
    let fields: ReasonField =
        serde_json::from_str(schema.check(body)?).map_err(|_| Problem::internal())?;
    require_readable("reason", &fields.reason)?;
    Ok(fields.reason)
}

/// Refuses a text for records that its readers would see in another order than it is recorded.
pub(crate) fn require_readable(field: &str, text: &str) -> Result<(), Problem> {
    if has_bidirectional_controls(text) {
        let message = format!("`{field}`: expected text without bidirectional control characters");
        return Err(Problem::from_code(ErrorCode::InvalidArgument, message));
    }
    Ok(())
}

/// Returns the example of a body with a reason in the OpenAPI document.
pub(crate) fn reason_example() -> Value {
    json!({"reason": "complaint 4711"})
}
