//! Responses to calls.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, de::Error};
use serde_json::value::RawValue;

use super::ResponseError;
use crate::{
    Evidence, ToolError, ToolErrorMeta, ToolOutput, ToolResult, ToolResultMeta, Warning,
    wire::{self, Buffered, ConstBool, reads},
};

/// The response to a request: `data` if `ok` is true, else an `error` with a standard code.
///
/// It is a [`ToolOutput`] in another form. Of the output's `meta`, the `warnings`, `ttl_seconds`
/// and `evidence` are in the envelope itself, `warnings` always; the other fields stay in `meta`.
/// It is omitted if all of them have their defaults, including the duration. The echo of the
/// input is dropped, because the caller has the input.
///
/// Without a parameter the data stays raw JSON and keeps its bytes. Deserialization treats `null`
/// as absent, but `data` beside `ok: true` may be null.
///
/// ```
/// use serde_json::json;
/// use tool_contracts::{ToolOutput, ToolResult, ToolResultMeta, envelope::ResponseEnvelope};
///
/// let meta = ToolResultMeta::new(42).with_ttl_seconds(60);
/// let output: ToolOutput<_, _> = ToolResult::new(json!({"sku": 7}), json!({"price": 9}), meta).into();
/// let response = ResponseEnvelope::from(output.clone());
/// assert_eq!(
///     serde_json::to_string(&response)?,
///     r#"{"ok":true,"data":{"price":9},"warnings":[],"ttl_seconds":60,"meta":{"took_ms":42}}"#,
/// );
/// assert_eq!(response.into_output(json!({"sku": 7})), output);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ResponseEnvelope<O = Box<RawValue>>(Answer<O>);

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Answer<O> {
    Ok(Success<O>),
    Error(Failure),
}

/// The response to a successful call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::null_beside_success)]
struct Success<O> {
    /// Always true; distinguishes success from failure.
    ok: ConstBool<true>,
    /// The tool's data.
    data: O,
    /// Warnings about data that is usable but imperfect.
    #[schemars(with = "Option<Vec<Warning>>")]
    warnings: Vec<Warning>,
    /// The time for which the data may be cached, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// The stored evidence of this data.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// Further metadata of the call.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(with = "Option<ToolResultMeta>")]
    meta: ToolResultMeta,
}

/// The response to a failed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::null_beside_failure)]
struct Failure {
    /// Always false; distinguishes failure from success.
    ok: ConstBool<false>,
    /// Warnings for the caller beside the error.
    #[schemars(with = "Option<Vec<Warning>>")]
    warnings: Vec<Warning>,
    /// The error.
    error: ResponseError,
    /// The time for which the failure may be cached, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_seconds: Option<u64>,
    /// The stored evidence of the failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// Further metadata of the call.
    #[serde(skip_serializing_if = "is_default")]
    #[schemars(with = "Option<ToolErrorMeta>")]
    meta: ToolErrorMeta,
}

impl<O> ResponseEnvelope<O> {
    /// Creates a successful response; warnings, cache time and evidence are those of `meta`.
    #[must_use]
    pub fn success(data: O, meta: ToolResultMeta) -> Self {
        let (meta, warnings, ttl_seconds, evidence) = meta.split_envelope_fields();
        Self(Answer::Ok(Success { ok: ConstBool, data, warnings, ttl_seconds, evidence, meta }))
    }

    /// Creates a failed response; warnings, cache time and evidence are those of `meta`.
    #[must_use]
    pub fn failure(error: impl Into<ResponseError>, meta: ToolErrorMeta) -> Self {
        let (meta, warnings, ttl_seconds, evidence) = meta.split_envelope_fields();
        let error = error.into();
        Self(Answer::Error(Failure { ok: ConstBool, warnings, error, ttl_seconds, evidence, meta }))
    }

    /// Returns whether the call succeeded.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        matches!(self.0, Answer::Ok(_))
    }

    /// Returns the tool's data, if the call succeeded.
    #[must_use]
    pub const fn data(&self) -> Option<&O> {
        match &self.0 {
            Answer::Ok(success) => Some(&success.data),
            Answer::Error(_) => None,
        }
    }

    /// Returns the error, if the call failed.
    #[must_use]
    pub const fn error(&self) -> Option<&ResponseError> {
        match &self.0 {
            Answer::Ok(_) => None,
            Answer::Error(failure) => Some(&failure.error),
        }
    }

    /// Returns the warnings beside the data or the error.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        match &self.0 {
            Answer::Ok(success) => &success.warnings,
            Answer::Error(failure) => &failure.warnings,
        }
    }

    /// Returns how long the data or the failure may be cached, in seconds.
    #[must_use]
    pub const fn ttl_seconds(&self) -> Option<u64> {
        match &self.0 {
            Answer::Ok(success) => success.ttl_seconds,
            Answer::Error(failure) => failure.ttl_seconds,
        }
    }

    /// Returns the stored evidence of the data or the failure.
    #[must_use]
    pub const fn evidence(&self) -> Option<&Evidence> {
        match &self.0 {
            Answer::Ok(success) => success.evidence.as_ref(),
            Answer::Error(failure) => failure.evidence.as_ref(),
        }
    }

    /// Returns how long the call took, in milliseconds; 0 if unknown.
    #[must_use]
    pub const fn took_ms(&self) -> u64 {
        match &self.0 {
            Answer::Ok(success) => success.meta.took_ms(),
            Answer::Error(failure) => failure.meta.took_ms(),
        }
    }

    /// Borrows the response as a `Result`.
    ///
    /// # Errors
    /// Returns an error if the call failed.
    pub const fn as_result(&self) -> Result<&O, &ResponseError> {
        match &self.0 {
            Answer::Ok(success) => Ok(&success.data),
            Answer::Error(failure) => Err(&failure.error),
        }
    }

    /// Returns the core's output of a call with this input.
    #[must_use]
    pub fn into_output<I>(self, input: I) -> ToolOutput<I, O> {
        match self.0 {
            Answer::Ok(Success { data, warnings, ttl_seconds, evidence, meta, .. }) => {
                let meta = meta.with_envelope_fields(warnings, ttl_seconds, evidence);
                ToolResult::new(input, data, meta).into()
            }
            Answer::Error(Failure { error, warnings, ttl_seconds, evidence, meta, .. }) => {
                let meta = meta.with_envelope_fields(warnings, ttl_seconds, evidence);
                ToolError::new(input, error.into(), meta).into()
            }
        }
    }
}

/// Drops only the echo of the input.
impl<I, O> From<ToolOutput<I, O>> for ResponseEnvelope<O> {
    fn from(output: ToolOutput<I, O>) -> Self {
        match output {
            ToolOutput::Ok(result) => {
                let (_, data, meta) = result.into_parts();
                Self::success(data, meta)
            }
            ToolOutput::Error(error) => {
                let (_, detail, meta) = error.into_parts();
                Self::failure(detail, meta)
            }
        }
    }
}

reads! {
    ResponseEnvelope<O>, "a response envelope, an object with `ok`";
    required ok = "ok", leaf wire::Flag;
    optional data = "data", raw Option<O>;
    optional warnings = "warnings", leaf wire::Texts;
    optional error = "error", nested ResponseError;
    optional ttl_seconds = "ttl_seconds", leaf wire::Whole<u64>;
    optional evidence = "evidence", nested Evidence;
    optional meta = "meta", nested Buffered;
    => {
        let warnings = warnings.unwrap_or_default();
        if ok {
            reject_field(error.is_some(), "error", ok)?;
            let data = match data {
                Some(Some(data)) => data,
                Some(None) => wire::null("data")?,
                None => return Err(wire::missing("data")),
            };
            let meta = meta.map_or_else(
                || Ok(ToolResultMeta::default()),
                |meta| without_envelope_fields(meta.read::<ToolResultMeta, _>("meta")?.split_envelope_fields()),
            )?;
            let meta = meta.with_envelope_fields(warnings, ttl_seconds, evidence);
            return Ok(ResponseEnvelope::success(data, meta));
        }
        reject_field(data.flatten().is_some(), "data", ok)?;
        let error = error.ok_or_else(|| wire::missing("error"))?;
        let meta = meta.map_or_else(
            || Ok(ToolErrorMeta::default()),
            |meta| without_envelope_fields(meta.read::<ToolErrorMeta, _>("meta")?.split_envelope_fields()),
        )?;
        let meta = meta.with_envelope_fields(warnings, ttl_seconds, evidence);
        Ok(ResponseEnvelope::failure(error, meta))
    }
}

/// Returns the `meta` if it has no field that belongs beside it in the envelope.
fn without_envelope_fields<M, E: Error>(
    (rest, warnings, ttl_seconds, evidence): (M, Vec<Warning>, Option<u64>, Option<Evidence>),
) -> Result<M, E> {
    let fields = [
        ("warnings", !warnings.is_empty()),
        ("ttl_seconds", ttl_seconds.is_some()),
        ("evidence", evidence.is_some()),
    ];
    match fields.into_iter().find(|(_, given)| *given) {
        None => Ok(rest),
        Some((field, _)) => Err(E::custom(format_args!(
            "`meta`: `{field}`: not a field of an envelope's `meta`; expected beside `meta`"
        ))),
    }
}

fn reject_field<E: Error>(given: bool, field: &str, ok: bool) -> Result<(), E> {
    if !given {
        return Ok(());
    }
    Err(E::custom(format_args!("`{field}`: not allowed where `ok` is {ok}; leave it out")))
}

fn is_default<M: Default + PartialEq>(meta: &M) -> bool {
    *meta == M::default()
}

impl<O: JsonSchema> JsonSchema for ResponseEnvelope<O> {
    fn schema_name() -> Cow<'static, str> {
        "ResponseEnvelope".into()
    }

    fn schema_id() -> Cow<'static, str> {
        format!("{}::ResponseEnvelope<{}>", module_path!(), O::schema_id()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({
            "description": "The response to a request: `data` if `ok` is true, else an `error` with a standard code.",
            "oneOf": [
                generator.subschema_for::<Success<O>>(),
                generator.subschema_for::<Failure>(),
            ],
        });
        crate::schemas::documented("response_envelope")(&mut schema);
        schema
    }
}
