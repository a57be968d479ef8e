//! The body of a request that resolves an outcome.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::http::form::Form;
use crate::http::problem::Problem;
use crate::policy::Resolution;

static FORM: LazyLock<Form> = LazyLock::new(Form::of::<FoundBody>);

/// A resolution, and why.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) decision: OutcomeDecision,
    pub(super) resolution: Resolution,
    pub(super) reason: String,
}

/// Says what became of a call whose outcome was not known.
#[derive(JsonSchema)]
#[schemars(rename = "OutcomeResolution", tag = "decision", rename_all = "snake_case")]
#[schemars(deny_unknown_fields, example = example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(in crate::http) enum FoundBody {
    /// The effect happened: repeats of the call get this answer.
    Happened {
        /// The answer, as the tool's output schema has it.
        answer: Value,
        /// How it was found out; it goes into the ledger.
        #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
        reason: String,
    },
    /// The effect did not happen and cannot happen any more: a repeat of the call runs.
    DidNotHappen {
        /// How it was found out; it goes into the ledger.
        #[schemars(length(min = 1, max = 256), extend("pattern" = r"\S"))]
        reason: String,
    },
}

/// A body that its schema admits.
#[derive(Deserialize)]
struct Said<'b> {
    decision: OutcomeDecision,
    #[serde(borrow)]
    answer: Option<&'b RawValue>,
    reason: String,
}

/// Names what was found out.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(in crate::http) enum OutcomeDecision {
    /// The effect happened.
    Happened,
    /// The effect did not happen.
    DidNotHappen,
}

impl OutcomeDecision {
    /// Gives the word for the ledger.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Happened => "resolve_happened",
            Self::DidNotHappen => "resolve_did_not_happen",
        }
    }
}

impl Found {
    pub(super) fn read(body: &[u8]) -> Result<Self, Problem> {
        let text = FORM.check(body)?;
        let said: Said<'_> = serde_json::from_str(text).map_err(|_| Problem::internal())?;
        let resolution = match said.decision {
            OutcomeDecision::Happened => Resolution::Happened {
                answer: said.answer.map_or("null", RawValue::get).to_owned(),
            },
            OutcomeDecision::DidNotHappen => Resolution::DidNotHappen,
        };
        Ok(Self { decision: said.decision, resolution, reason: said.reason })
    }
}

fn example() -> Value {
    serde_json::json!({"decision": "did_not_happen", "reason": "the bank has no such payment"})
}
