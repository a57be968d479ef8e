//! The stable data types of LLM tool calls.
//!
//! A call takes a [`ToolContext`] and always ends in a [`ToolOutput`]: a [`ToolResult`] with
//! status `ok` or a [`ToolError`] with status `error`. [`ToolSpec`] describes a tool,
//! [`ToolCallRequest`] is a call requested by a model, [`CallStatus`] is the progress of a call.
//!
//! Every value is valid by construction: fields are private, builders check them, and
//! deserialization applies the same checks. Objects refuse unknown and repeated fields, `null`
//! means absent, absent fields are not written, and no error quotes a rejected value. Numbers
//! with a zero fraction (`1.0`) are integers, as in JSON Schema.
//!
//! Modules:
//! - [`envelope`]: the same data as requests and responses between services;
//! - [`server`]: the same data as the bodies of a tool server over HTTP;
//! - [`articulate`]: serializes data for a model (TOON or compact JSON);
//! - [`act`]: requests and results of agent tool calls;
//! - [`assess`]: compresses the context of a model's turn;
//! - [`proxy`]: requests and responses of the agent.
//!
//! [`schemas`] returns the JSON Schema of each type. The files under `schemas/` in the crate are the
//! same schemas, which refer to each other (`"$ref": "error_code.json"`) instead of repeating
//! definitions; a change to one of them is a change to the contract. [`trace_context`] reads and
//! writes the headers that connect a call to a distributed trace.
//!
//! ```
//! use serde_json::Value;
//! use tool_contracts::{ToolErrorType, ToolOutput};
//!
//! let output: ToolOutput<Value, Value> = serde_json::from_str(
//!     r#"{"status":"error","input":null,"error":{"type":"TIMEOUT","message":"too late"},"meta":{"took_ms":30000}}"#,
//! )?;
//! let error = output.error().expect("the status is `error`");
//! assert_eq!(error.error_type(), ToolErrorType::Timeout);
//! # Ok::<(), serde_json::Error>(())
//! ```

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(clippy::exhaustive_structs, clippy::exhaustive_enums)]

mod accessors;
mod hidden;
mod wire;

mod contract_error;

mod call;
mod context;
mod error;
mod output;
mod result;
mod spec;

pub mod act;
pub mod articulate;
pub mod assess;
pub mod envelope;
#[doc(hidden)]
pub mod portable;
pub mod proxy;
pub mod schemas;
pub mod server;
pub mod trace_context;

pub use crate::{
    call::{CallStatus, ToolCallRequest, Violation},
    context::{
        Actor, ActorType, Allowance, AllowancePeriod, Client, ClientApp, ContextFields,
        ContextForLog, ToolContext, ToolContextBuilder, Trace,
    },
    contract_error::{ContractError, Problem},
    error::{
        ErrorCode, ToolError, ToolErrorDetail, ToolErrorDetailBuilder, ToolErrorMeta, ToolErrorType,
    },
    hidden::{has_bidirectional_controls, has_hidden_characters},
    output::{AUDIT_MEMBER, ToolOutput},
    result::{
        Attachment, AttachmentBuilder, Audience, BudgetUse, Coercion, Evidence, EvidenceSource,
        ToolResult, ToolResultMeta, Warning,
    },
    spec::{Effect, Permission, ToolAnnotations, ToolSpec, ToolSpecBuilder, ToolkitSpec},
};
