//! Conversions between the agent's requests and results and the contract of calls.

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, value::RawValue};
use uuid::Uuid;

use super::{ActResult, ActResultBuilder, ToolRequest, request::DEFAULT_TIMEOUT_SECONDS};
use crate::{
    Attachment, ContractError, ErrorCode, ToolCallRequest, ToolError, ToolErrorDetail,
    ToolErrorMeta, ToolErrorType, ToolOutput, ToolResult, ToolResultMeta, Warning,
    contract_error::Problems,
};

/// Converts a request to a call, with a new id.
///
/// The call names the tool `tool_id` if that or its last part is the function, and else the function of
/// the toolkit: `tool_id.function_name`. A call has no type: the registry knows the tool's. Each
/// conversion makes another id, since two calls with one id are repeats of one call.
///
/// # Errors
/// Returns an error if the request sets a time limit or retries, because a call has neither.
impl TryFrom<ToolRequest> for ToolCallRequest {
    type Error = ContractError;

    fn try_from(request: ToolRequest) -> Result<Self, ContractError> {
        let mut problems = Problems::new("ToolCallRequest");
        problems.check(
            request.timeout_seconds() == DEFAULT_TIMEOUT_SECONDS,
            "timeout_seconds",
            "a call has no time limit of its own; leave it out, and set the context's `timeouts_ms`",
        );
        problems.check(
            request.retry_config().is_none(),
            "retry_config",
            "a call has no retries of its own; leave it out",
        );
        problems.finish()?;
        let parameters = request.parameters().to_owned();
        let (tool, function) = (request.tool_id(), request.function_name());
        let is_tool = tool == function || tool.rsplit('.').next() == Some(function);
        let name = if is_tool { tool.to_owned() } else { format!("{tool}.{function}") };
        Ok(Self::new(Uuid::now_v7().to_string(), name, parameters))
    }
}

impl ActResult {
    /// Builds the result of a call from its output, without its tokens.
    ///
    /// The duration and the retries are those of `meta`. The metadata gets, where the output has them,
    /// `replayed`, `dry_run`, `warnings`, `attachments` and `evidence`, and of an error `error_type`,
    /// `error_code`, `error_details`, `retry_after_ms`, `upstream_status` and `endpoint`.
    ///
    /// ```
    /// use tool_contracts::{ToolOutput, act::ActResult};
    ///
    /// let output: ToolOutput = serde_json::from_str(
    ///     r#"{"status":"error","input":null,"error":{"type":"TIMEOUT","message":"too late"},"meta":{"took_ms":30}}"#,
    /// )?;
    /// let result = ActResult::from_output("orders", &output, "2026-05-03T12:34:56Z".parse()?).build()?;
    /// assert_eq!((result.success(), result.to_text().as_str()), (false, "error: too late"));
    /// assert_eq!(result.metadata()["error_type"], "TIMEOUT");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_output<I>(
        tool_id: impl Into<String>,
        output: &ToolOutput<I, Box<RawValue>>,
        timestamp: DateTime<Utc>,
    ) -> ActResultBuilder {
        match output {
            ToolOutput::Ok(result) => {
                let meta = result.meta();
                let builder = Self::succeeded(tool_id, result.data(), timestamp);
                let builder = with_retries(builder, meta.took_ms(), meta.attempts());
                let builder = with_flags(builder, meta.replayed(), meta.dry_run());
                let builder = with_list(builder, "warnings", meta.warnings());
                let builder = with_list(builder, "attachments", meta.attachments());
                with_fact(builder, "evidence", meta.evidence())
            }
            ToolOutput::Error(failed) => {
                let (error, meta) = (failed.error(), failed.meta());
                let builder = Self::failed(tool_id, message(error), timestamp);
                let builder = with_retries(builder, meta.took_ms(), meta.attempts());
                let builder = with_flags(builder, meta.replayed(), meta.dry_run());
                let builder = with_list(builder, "warnings", meta.warnings());
                let builder = with_fact(builder, "evidence", meta.evidence());
                let builder = with_fact(builder, "error_type", Some(&error.error_type()));
                let builder = with_fact(builder, "error_code", error.code().as_ref());
                let builder = with_fact(builder, "error_details", error.details());
                let retry_after = error.retry_after_ms();
                let builder = with_fact(builder, "retry_after_ms", retry_after.as_ref());
                let status = error.upstream_status();
                let builder = with_fact(builder, "upstream_status", status.as_ref());
                with_fact(builder, "endpoint", error.endpoint())
            }
        }
    }
}

fn message(error: &ToolErrorDetail) -> &str {
    let message = error.message();
    if message.is_empty() { ErrorCode::Internal.default_message() } else { message }
}

fn with_retries(
    builder: ActResultBuilder,
    took_ms: u64,
    attempts: Option<u32>,
) -> ActResultBuilder {
    #[allow(clippy::cast_precision_loss, reason = "a duration is far below 2^52 milliseconds")]
    let builder = builder.execution_time_ms(took_ms as f64);
    builder.retry_count(attempts.unwrap_or(1).saturating_sub(1))
}

fn with_flags(builder: ActResultBuilder, replayed: bool, dry_run: bool) -> ActResultBuilder {
    let builder = if replayed { builder.metadata("replayed", true) } else { builder };
    if dry_run { builder.metadata("dry_run", true) } else { builder }
}

fn with_list<T: serde::Serialize>(
    builder: ActResultBuilder,
    name: &str,
    items: &[T],
) -> ActResultBuilder {
    with_fact(builder, name, Some(items).filter(|items| !items.is_empty()))
}

fn with_fact<T: serde::Serialize + ?Sized>(
    builder: ActResultBuilder,
    name: &str,
    fact: Option<&T>,
) -> ActResultBuilder {
    match fact.and_then(|fact| serde_json::to_value(fact).ok()) {
        Some(value) => builder.metadata(name, value),
        None => builder,
    }
}

/// Converts a result to an output whose input is null.
///
/// The output gets the facts of the metadata that [`ActResult::from_output`] writes. The duration is
/// rounded to whole milliseconds; the time, the tokens and other metadata are left out.
///
/// # Errors
/// Returns an error for a failure whose metadata lacks an `error_type`, because an output needs one,
/// and for such a fact of another form.
impl TryFrom<ActResult> for ToolOutput<Value, Box<RawValue>> {
    type Error = ContractError;

    fn try_from(result: ActResult) -> Result<Self, ContractError> {
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a duration is finite and not negative, and a cast saturates"
        )]
        let took_ms = result.execution_time_ms().round() as u64;
        let attempts = result.retry_count().saturating_add(1);
        let facts = Facts(result.metadata());
        let (replayed, dry_run) = (facts.or_default("replayed")?, facts.or_default("dry_run")?);
        let warnings: Vec<Warning> = facts.or_default("warnings")?;
        let evidence = facts.get("evidence")?;
        let Some(error) = result.error() else {
            let meta = ToolResultMeta::new(took_ms).with_attempts(attempts);
            let meta = meta.with_replayed(replayed).with_dry_run(dry_run).with_warnings(warnings);
            let meta = meta.with_attachments(facts.or_default::<Vec<Attachment>>("attachments")?);
            let meta = match evidence {
                Some(evidence) => meta.with_evidence(evidence),
                None => meta,
            };
            return Ok(ToolResult::new(Value::Null, result.data().to_owned(), meta).into());
        };
        let meta = ToolErrorMeta::new(took_ms).with_attempts(attempts);
        let meta = meta.with_replayed(replayed).with_dry_run(dry_run).with_warnings(warnings);
        let meta = match evidence {
            Some(evidence) => meta.with_evidence(evidence),
            None => meta,
        };
        Ok(ToolError::new(Value::Null, facts.error(error)?, meta).into())
    }
}

/// The metadata of a result, as the facts of an output.
struct Facts<'m>(&'m Map<String, Value>);

impl Facts<'_> {
    fn get<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, ContractError> {
        let fact = self.0.get(name).map(T::deserialize).transpose();
        fact.map_err(|error| {
            ContractError::single("ToolOutput", "metadata", format!("`{name}`: {error}"))
        })
    }

    fn or_default<T: DeserializeOwned + Default>(&self, name: &str) -> Result<T, ContractError> {
        self.get(name).map(Option::unwrap_or_default)
    }

    fn error(&self, message: &str) -> Result<ToolErrorDetail, ContractError> {
        let Some(error_type) = self.get::<ToolErrorType>("error_type")? else {
            let expected = "a failure needs the `error_type` of an output";
            return Err(ContractError::single("ToolOutput", "metadata", expected));
        };
        let mut detail = ToolErrorDetail::builder(error_type, message);
        if let Some(code) = self.get::<String>("error_code")? {
            detail = detail.code(code);
        }
        if let Some(details) = self.get("error_details")? {
            detail = detail.details(details);
        }
        if let Some(milliseconds) = self.get("retry_after_ms")? {
            detail = detail.retry_after_ms(milliseconds);
        }
        if let Some(status) = self.get("upstream_status")? {
            detail = detail.upstream_status(status);
        }
        if let Some(endpoint) = self.get::<String>("endpoint")? {
            detail = detail.endpoint(endpoint);
        }
        Ok(detail.build())
    }
}
