//! The body of a decision about a waiting call.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::problem::Problem;
use crate::request::body_schema::{BodySchema, require_readable};

static SCHEMA: LazyLock<BodySchema> = LazyLock::new(BodySchema::for_type::<DecisionBody>);

/// A decision of an approver.
#[derive(Debug)]
pub(super) enum ApprovalDecision<'b> {
    Approve {
        exceed_budgets: bool,
    },
    Edit {
        /// All arguments as JSON text.
        arguments: &'b str,
        exceed_budgets: bool,
    },
    Decline(String),
}

/// Decides about a call that waits for approval.
#[derive(JsonSchema)]
#[schemars(rename = "ApprovalDecision", tag = "decision", rename_all = "snake_case")]
#[schemars(deny_unknown_fields, example = example())]
#[allow(dead_code, reason = "it stands for the schema")]
pub(crate) enum DecisionBody {
    /// Lets the call run with the arguments that it was opened with.
    Approve {
        /// True if the call may exceed budgets that ask; it needs the scope `exceed_budgets`.
        exceed_budgets: Option<bool>,
    },
    /// Lets the call run with other arguments.
    Edit {
        /// All arguments; they have to be valid by the tool's schema. A secret that is sent as its
        /// mask `***` stays as it is.
        #[schemars(extend("x-sensitivity" = "secret"))]
        arguments: Map<String, Value>,
        /// True if the call may exceed budgets that ask; it needs the scope `exceed_budgets`.
        exceed_budgets: Option<bool>,
    },
    /// Declines the call for good.
    Decline {
        /// The reason, which the requester of the call is told.
        #[schemars(length(max = 2000))]
        feedback: Option<String>,
    },
}

/// The fields of a valid body.
#[derive(Deserialize)]
struct DecisionFields<'b> {
    decision: RequestedDecision,
    #[serde(borrow)]
    arguments: Option<&'b RawValue>,
    feedback: Option<String>,
    exceed_budgets: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum RequestedDecision {
    Approve,
    Edit,
    Decline,
}

impl<'b> ApprovalDecision<'b> {
    pub(super) fn read(body: &'b [u8]) -> Result<Self, Problem> {
        let text = SCHEMA.check(body)?;
        let fields: DecisionFields<'b> =
            serde_json::from_str(text).map_err(|_| Problem::internal())?;
        require_readable("feedback", fields.feedback.as_deref().unwrap_or_default())?;
        let exceed_budgets = fields.exceed_budgets.unwrap_or_default();
        Ok(match fields.decision {
            RequestedDecision::Approve => Self::Approve { exceed_budgets },
            RequestedDecision::Edit => {
                let arguments = fields.arguments.map_or("{}", RawValue::get);
                Self::Edit { arguments, exceed_budgets }
            }
            RequestedDecision::Decline => Self::Decline(fields.feedback.unwrap_or_default()),
        })
    }

    /// Returns the word for records.
    pub(super) const fn as_str(&self) -> &'static str {
        match self {
            Self::Approve { exceed_budgets: false } => "approve",
            Self::Approve { exceed_budgets: true } => "approve_beyond_budgets",
            Self::Edit { exceed_budgets: false, .. } => "edit",
            Self::Edit { exceed_budgets: true, .. } => "edit_beyond_budgets",
            Self::Decline(_) => "decline",
        }
    }
}

fn example() -> Value {
    serde_json::json!({"decision": "decline", "feedback": "ask the village office first"})
}
