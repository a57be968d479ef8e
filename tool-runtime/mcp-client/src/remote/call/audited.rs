//! Reads the error that a server of this library sends beside its text: what became of the call there.

use serde_json::Value;
use tool_contracts::AUDIT_MEMBER;
use tool_contracts::{ErrorCode, ToolErrorType};
use tool_runtime_core::effect_state::EffectState;
use tool_runtime_core::failure::{Failure, may_have_had_effect};

/// The longest code, in bytes.
const MAX_CODE: usize = 64;

/// The error of a tool, as its server describes it.
#[derive(Debug)]
pub(super) struct AuditedError<'m> {
    code: &'m str,
    error_type: Option<ToolErrorType>,
    effect: Option<EffectState>,
    retry_after_ms: Option<u64>,
}

impl<'m> AuditedError<'m> {
    /// Reads it from the `_meta` of a result.
    pub(super) fn from_meta(meta: &'m Value) -> Option<Self> {
        let error = meta.get(AUDIT_MEMBER)?.get("error")?;
        Some(Self {
            code: error.get("code")?.as_str().filter(|code| is_code(code))?,
            error_type: error.get("type").and_then(|name| name.as_str()?.parse().ok()),
            effect: error
                .get("details")
                .and_then(|details| details.get(EffectState::KEY)?.as_str())
                // A word that is not known here does not rule out an effect.
                .map(|word| EffectState::parse(word).unwrap_or(EffectState::Unknown)),
            retry_after_ms: error.get("retry_after_ms").and_then(Value::as_u64),
        })
    }

    /// Starts the failure of the call here. If the error does not say whether it had an effect, its
    /// type decides, as on the server; a tool that panicked, was cancelled or broke its own schema may
    /// have had one.
    pub(super) fn failure(&self) -> Failure {
        let (code, has_no_effect) = self.meaning();
        let mut failure = Failure::from_code(code);
        if code.as_str() != self.code {
            failure = failure.with_upstream_code(self.code);
        }
        if let Some(milliseconds) = self.retry_after_ms {
            failure = failure.with_retry_after_ms(milliseconds);
        }
        match self.effect {
            Some(EffectState::None) => failure.with_effect_none(),
            Some(EffectState::Unknown | EffectState::Done) => failure.with_effect_unknown(),
            None if has_no_effect => failure.with_effect_none(),
            None => failure,
        }
    }

    /// The code of the failure here, and whether it stands for a failure without an effect that this
    /// code alone does not tell.
    fn meaning(&self) -> (ErrorCode, bool) {
        if let Ok(code) = self.code.parse::<ErrorCode>() {
            return (code.relayed(), code.is_before_run());
        }
        let had_no_effect = self.error_type.is_some_and(|it| !may_have_had_effect(it));
        (ErrorCode::UpstreamError, had_no_effect)
    }
}

/// Returns whether a text has the form of a code: the model reads it.
fn is_code(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    (1..=MAX_CODE).contains(&text.len()) && text.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_code_keeps_its_meaning_and_an_effect_is_the_servers_word() {
        let failure = |error: Value| {
            let meta = json!({ AUDIT_MEMBER: { "error": error } });
            let failure = AuditedError::from_meta(&meta).expect("it has a code").failure();
            (failure.code().as_str(), failure.leaves_effect_unknown())
        };
        assert_eq!(failure(json!({"code": "INVALID_ARGUMENT"})), ("INVALID_ARGUMENT", false));
        assert_eq!(failure(json!({"code": "NEEDS_USER_CONFIRMATION"})), ("FORBIDDEN", false));
        assert_eq!(failure(json!({"code": "DECLINED"})), ("UPSTREAM_ERROR", false));
        assert_eq!(failure(json!({"code": "TIMEOUT"})), ("TIMEOUT", true));
        assert_eq!(failure(json!({"code": "INTERNAL"})), ("UPSTREAM_ERROR", true));
        assert_eq!(failure(json!({"code": "OWN_CODE"})), ("UPSTREAM_ERROR", true));
        let own = |error_type: &str| failure(json!({"code": "OWN_CODE", "type": error_type}));
        assert_eq!(own("FATAL"), ("UPSTREAM_ERROR", false));
        assert_eq!(own("UPSTREAM"), ("UPSTREAM_ERROR", true));
        for (effect, is_unknown) in [("none", false), ("unknown", true), ("other", true)] {
            let error = json!({"code": "OWN_CODE", "details": {"effect": effect}});
            assert_eq!(failure(error), ("UPSTREAM_ERROR", is_unknown), "{effect}");
        }
        for code in [json!(7), json!(""), json!("A\u{200b}B"), json!("A B"), json!("A".repeat(65))]
        {
            let meta = json!({ AUDIT_MEMBER: {"error": {"code": code}} });
            assert!(AuditedError::from_meta(&meta).is_none(), "{meta}");
        }
        assert!(AuditedError::from_meta(&json!({ AUDIT_MEMBER: "x" })).is_none());
    }
}
