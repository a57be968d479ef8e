//! The reason in the body of a request that leaves an audit record.

use serde::Deserialize;
use serde_json::{Value, json};
use tool_contracts::{ErrorCode, has_bidirectional_controls};

use super::body_schema::BodySchema;
use crate::problem::Problem;

/// The field that all such bodies have; their schemas require it and bound its length.
#[derive(Deserialize)]
struct ReasonField {
    reason: String,
}

/// Reads the reason of a body that is valid by its schema.
pub(crate) fn reason(schema: &BodySchema, body: &[u8]) -> Result<String, Problem> {
    let fields: ReasonField =
        serde_json::from_str(schema.check(body)?).map_err(|_| Problem::internal())?;
    readable("reason", &fields.reason)?;
    Ok(fields.reason)
}

/// Refuses a text for records that its readers would see in another order than it is recorded.
pub(crate) fn readable(field: &str, text: &str) -> Result<(), Problem> {
    if has_bidirectional_controls(text) {
        let message = format!("`{field}`: expected text without bidirectional control characters");
        return Err(Problem::from_code(ErrorCode::InvalidArgument, message));
    }
    Ok(())
}

/// Returns the example of such a body in the OpenAPI document.
pub(crate) fn example() -> Value {
    json!({"reason": "complaint 4711"})
}
