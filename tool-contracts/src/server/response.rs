//! Responses to calls.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, de::Error};
use serde_json::value::RawValue;

use super::{Audit, audit::error_type_of};
use crate::{
    ErrorCode, ToolError, ToolErrorDetail, ToolErrorMeta, ToolErrorType, ToolOutput, ToolResult,
    ToolResultMeta,
    wire::{self, Buffered, ConstBool, reads},
};

/// The response to a call: the tool's output or the error, and an audit.
///
/// It is a [`ToolOutput`] in another form. `error_type` is the error's code, or its type if it has
/// no code, and `detail` is the full error. `meta` is omitted if it holds only the duration, which
/// is also in the audit. The echo of the input is dropped, because the caller has the input.
///
/// Without a parameter the output stays raw JSON and keeps its bytes. Deserialization treats `null`
/// as absent, but `output` beside `success: true` may be null. It also accepts a failure without
/// `detail` from servers that write only `error` and `error_type`: the type is then a standard code,
/// else a type, else a code of the tool's own under the type `FATAL`.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::{ToolOutput, ToolResult, ToolResultMeta};
/// use tool_contracts::server::{Audit, CallResponse};
///
/// let result = ToolResult::new(json!({"query": "tea"}), json!({"total": 3}), ToolResultMeta::new(45));
/// let output = ToolOutput::<_, _>::from(result);
/// let audit = Audit::new("trace-1", "search_content", 45, "0".repeat(64))?;
/// let response = CallResponse::from_output(output.clone(), audit);
/// assert!(serde_json::to_string(&response)?.starts_with(
///     r#"{"success":true,"output":{"total":3},"audit":{"trace_id":"trace-1","#,
/// ));
/// assert_eq!(response.into_output(json!({"query": "tea"})), output);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallResponse<O = Box<RawValue>> {
    answer: Answer<O>,
    audit: Audit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer<O> {
    Success(O, ToolResultMeta),
    Failure(ToolErrorDetail, ToolErrorMeta),
}

impl<O> CallResponse<O> {
    /// A successful response.
    #[must_use]
    pub fn success(output: O, meta: ToolResultMeta, audit: Audit) -> Self {
        Self { answer: Answer::Success(output, meta), audit: audit.with_success() }
    }

    /// A failed response.
    #[must_use]
    pub fn failure(detail: ToolErrorDetail, meta: ToolErrorMeta, audit: Audit) -> Self {
        let audit = audit.with_error(&detail);
        Self { answer: Answer::Failure(detail, meta), audit }
    }

    /// Creates a response from the core's output; the echo of the input is dropped.
    #[must_use]
    pub fn from_output<I>(output: ToolOutput<I, O>, audit: Audit) -> Self {
        match output {
            ToolOutput::Ok(result) => {
                let (_, data, meta) = result.into_parts();
                Self::success(data, meta, audit)
            }
            ToolOutput::Error(error) => {
                let (_, detail, meta) = error.into_parts();
                Self::failure(detail, meta, audit)
            }
        }
    }

    /// Returns the core's output of a call with this input; the audit is dropped.
    #[must_use]
    pub fn into_output<I>(self, input: I) -> ToolOutput<I, O> {
        match self.answer {
            Answer::Success(output, meta) => ToolResult::new(input, output, meta).into(),
            Answer::Failure(detail, meta) => ToolError::new(input, detail, meta).into(),
        }
    }

    /// Returns whether the call succeeded.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.answer, Answer::Success(..))
    }

    /// Returns the tool's data, if the call succeeded.
    #[must_use]
    pub const fn output(&self) -> Option<&O> {
        match &self.answer {
            Answer::Success(output, _) => Some(output),
            Answer::Failure(..) => None,
        }
    }

    /// Returns the error, if the call failed.
    #[must_use]
    pub const fn detail(&self) -> Option<&ToolErrorDetail> {
        match &self.answer {
            Answer::Success(..) => None,
            Answer::Failure(detail, _) => Some(detail),
        }
    }

    /// Returns the error's code, or its type if it has no code.
    #[must_use]
    pub fn error_type(&self) -> Option<&str> {
        self.detail().map(error_type_of)
    }

    /// Returns the server's record of the call.
    #[must_use]
    pub const fn audit(&self) -> &Audit {
        &self.audit
    }

    /// Borrows the response as a `Result`.
    ///
    /// # Errors
    /// Returns an error if the call failed.
    pub const fn as_result(&self) -> Result<&O, &ToolErrorDetail> {
        match &self.answer {
            Answer::Success(output, _) => Ok(output),
            Answer::Failure(detail, _) => Err(detail),
        }
    }
}

/// The response to a successful call.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CallSuccess", transform = crate::schemas::audited_success)]
struct Returned<'a, O> {
    /// Always true; distinguishes success from failure.
    success: ConstBool<true>,
    /// The tool's output.
    output: &'a O,
    /// Metadata of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a ToolResultMeta>,
    /// The server's record of the call.
    audit: &'a Audit,
}

/// The response to a failed call.
#[derive(Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CallFailure", transform = crate::schemas::audited_failure)]
struct Failed<'a> {
    /// Always false; distinguishes failure from success.
    success: ConstBool<false>,
    /// The error message for people.
    error: &'a str,
    /// The error's code, or its type if it has no code.
    #[schemars(length(min = 1))]
    error_type: &'a str,
    /// The full error.
    detail: &'a ToolErrorDetail,
    /// Metadata of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<&'a ToolErrorMeta>,
    /// The server's record of the call.
    audit: &'a Audit,
}

impl<O: Serialize> Serialize for CallResponse<O> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let audit = &self.audit;
        match &self.answer {
            Answer::Success(output, meta) => {
                let is_said = *meta == ToolResultMeta::new(audit.latency_ms());
                let meta = Some(meta).filter(|_| !is_said);
                Returned { success: ConstBool, output, meta, audit }.serialize(to)
            }
            Answer::Failure(detail, meta) => {
                let is_said = *meta == ToolErrorMeta::new(audit.latency_ms());
                let meta = Some(meta).filter(|_| !is_said);
                let (error, error_type) = (detail.message(), error_type_of(detail));
                Failed { success: ConstBool, error, error_type, detail, meta, audit }.serialize(to)
            }
        }
    }
}

reads! {
    CallResponse<O>, "an answer to a call, an object with `success`";
    required success = "success", leaf wire::Flag;
    optional output = "output", raw Option<O>;
    optional error = "error", leaf wire::Text;
    optional error_type = "error_type", leaf wire::FilledText;
    optional detail = "detail", nested ToolErrorDetail;
    optional meta = "meta", nested Buffered;
    required audit = "audit", nested Audit;
    => {
        let took_ms = audit.latency_ms();
        if success {
            foreign(error.is_some(), "error", success)?;
            foreign(error_type.is_some(), "error_type", success)?;
            foreign(detail.is_some(), "detail", success)?;
            let output = match output {
                Some(Some(output)) => output,
                Some(None) => wire::null("output")?,
                None => return Err(wire::missing("output")),
            };
            let meta = meta.map_or_else(|| Ok(ToolResultMeta::new(took_ms)), |meta| meta.read("meta"))?;
            return told(&audit, CallResponse::success(output, meta, audit.clone()));
        }
        foreign(output.flatten().is_some(), "output", success)?;
        let detail = match (detail, &error, &error_type) {
            (Some(detail), _, _) => detail,
            (None, Some(error), Some(error_type)) => detail_of(error, error_type),
            (None, None, _) => return Err(wire::missing("error")),
            (None, Some(_), None) => return Err(wire::missing("error_type")),
        };
        repeats("error", error, detail.message(), "`detail.message`")?;
        repeats("error_type", error_type, error_type_of(&detail), "the code in `detail`, else its type")?;
        let meta = meta.map_or_else(|| Ok(ToolErrorMeta::new(took_ms)), |meta| meta.read("meta"))?;
        told(&audit, CallResponse::failure(detail, meta, audit.clone()))
    }
}

/// Returns the error of a failure that has only a message and a type.
fn detail_of(error: &str, error_type: &str) -> ToolErrorDetail {
    if let Ok(code) = error_type.parse::<ErrorCode>() {
        return ToolErrorDetail::from_code(code, error).build();
    }
    if let Ok(error_type) = error_type.parse::<ToolErrorType>() {
        return ToolErrorDetail::builder(error_type, error).build();
    }
    let builder = ToolErrorDetail::builder(ToolErrorType::Fatal, error);
    builder.code(error_type.to_owned()).build()
}

fn foreign<E: Error>(given: bool, field: &str, success: bool) -> Result<(), E> {
    if !given {
        return Ok(());
    }
    Err(E::custom(format_args!(
        "`{field}`: not allowed where `success` is {success}; leave it out"
    )))
}

fn repeats<E: Error>(field: &str, said: Option<String>, once: &str, place: &str) -> Result<(), E> {
    let said = said.ok_or_else(|| wire::missing(field))?;
    if said == once {
        return Ok(());
    }
    Err(E::custom(format_args!("`{field}`: expected what {place} says")))
}

/// Returns the response if its audit is consistent with it.
fn told<O, E: Error>(read: &Audit, response: CallResponse<O>) -> Result<CallResponse<O>, E> {
    if response.audit == *read {
        return Ok(response);
    }
    Err(E::custom("`audit`: expected the status and the error that the answer has"))
}

impl<O: JsonSchema> JsonSchema for CallResponse<O> {
    fn schema_name() -> Cow<'static, str> {
        "CallResponse".into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::CallResponse<{}>", module_path!(), O::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "description": "The response to a call: the tool's output or the error, and an audit.",
            "oneOf": [
                generator.subschema_for::<Returned<'_, O>>(),
                generator.subschema_for::<Failed<'_>>(),
            ],
        });
        crate::schemas::documented("call_response")(&mut schema);
        schema
    }
}
