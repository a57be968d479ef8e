//! The body of a resolution.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tool_runtime_core::policy::Resolution;

use crate::problem::Problem;
use crate::request::body_schema::{BodySchema, require_readable};

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::for_type::<ResolutionBody>);

/// A resolution with its reason.
#[derive(Debug)]
pub(super) struct ParsedResolution {
    pub(super) decision: OutcomeDecision,
    pub(super) resolution: Resolution,
    pub(super) reason: String,
}

/// Resolves a call whose outcome is unknown.
#[derive(JsonSchema)]
#[schemars(rename = "OutcomeResolution", tag = "decision", rename_all = "snake_case")]
#[schemars(deny_unknown_fields, example = example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(crate) enum ResolutionBody {
    /// The effect happened; repeats of the call get this answer.
    Happened {
        /// The answer, valid by the tool's output schema.
        answer: Value,
        /// The grounds of the resolution, such as the bank's answer; recorded in the ledger.
        #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
        reason: String,
    },
    /// The effect did not happen and can no longer happen; a repeat of the call runs.
    DidNotHappen {
        /// The grounds of the resolution, such as the bank's answer; recorded in the ledger.
        #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
        reason: String,
    },
}

/// The fields of a valid body.
#[derive(Deserialize)]
struct ResolutionFields<'b> {
    decision: OutcomeDecision,
    #[serde(borrow)]
    answer: Option<&'b RawValue>,
    reason: String,
}

/// The kind of a resolution.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeDecision {
    /// The effect happened.
    Happened,
    /// The effect did not happen.
    DidNotHappen,
}

impl OutcomeDecision {
    /// Returns the action's name in the ledger.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Happened => "resolve_happened",
            Self::DidNotHappen => "resolve_did_not_happen",
        }
    }
}

impl ParsedResolution {
    pub(super) fn read(body: &[u8]) -> Result<Self, Problem> {
        let text = SCHEMA.check(body)?;
        let fields: ResolutionFields<'_> =
            serde_json::from_str(text).map_err(|_| Problem::internal())?;
        require_readable("reason", &fields.reason)?;
        let resolution = match fields.decision {
            OutcomeDecision::Happened => Resolution::Happened {
                answer: fields.answer.map_or("null", RawValue::get).to_owned(),
            },
            OutcomeDecision::DidNotHappen => Resolution::DidNotHappen,
        };
        Ok(Self { decision: fields.decision, resolution, reason: fields.reason })
    }
}

fn example() -> Value {
    serde_json::json!({"decision": "did_not_happen", "reason": "the bank has no such payment"})
}
