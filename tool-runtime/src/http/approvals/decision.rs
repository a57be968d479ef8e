//! What is decided about a call that waits: the body, and what it says.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::http::form::Form;
use crate::http::problem::Problem;

static FORM: LazyLock<Form> = LazyLock::new(Form::of::<DecisionBody>);

/// What an approver decided.
#[derive(Debug)]
pub(super) enum Decision<'b> {
    Approve,
    /// With these arguments, as JSON text.
    Edit(&'b str),
    Decline(String),
}

/// Decides about a call that waits.
#[derive(JsonSchema)]
#[schemars(rename = "ApprovalDecision", tag = "decision", rename_all = "snake_case")]
#[schemars(deny_unknown_fields, example = example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(in crate::http) enum DecisionBody {
    /// Lets the call run with the arguments that it was opened with.
    Approve {},
    /// Lets the call run with other arguments.
    Edit {
        /// All arguments, secret ones too; the tool's schema decides whether they are valid.
        arguments: Map<String, Value>,
    },
    /// Says no, for good.
    Decline {
        /// Why; whoever asked for the call is told.
        #[schemars(length(max = 2000))]
        feedback: Option<String>,
    },
}

/// A body that its schema admits.
#[derive(Deserialize)]
struct Said<'b> {
    decision: Word,
    #[serde(borrow)]
    arguments: Option<&'b RawValue>,
    feedback: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Edit,
    Decline,
}

impl<'b> Decision<'b> {
    pub(super) fn read(body: &'b [u8]) -> Result<Self, Problem> {
        let text = FORM.check(body)?;
        let said: Said<'b> = serde_json::from_str(text).map_err(|_| Problem::internal())?;
        Ok(match said.decision {
            Word::Approve => Self::Approve,
            Word::Edit => Self::Edit(said.arguments.map_or("{}", RawValue::get)),
            Word::Decline => Self::Decline(said.feedback.unwrap_or_default()),
        })
    }

    /// Gives the word for a record.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Edit(_) => "edit",
            Self::Decline(_) => "decline",
        }
    }
}

fn example() -> Value {
    serde_json::json!({"decision": "decline", "feedback": "ask the village office first"})
}
