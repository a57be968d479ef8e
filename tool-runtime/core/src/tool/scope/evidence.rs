//! Accessors of the call scope for replays.

use std::sync::Arc;

use tool_runtime_schema::Limits;
use tool_runtime_schema::redact::Redactor;
use uuid::Uuid;

use super::purpose::Purpose;
use super::{CallScope, CallState};

impl CallScope {
    /// Makes a call that replays an earlier one; to be used before the call is shared.
    #[must_use]
    pub fn replaying(&self, earlier: Uuid) -> Self {
        let mut shared = self.restarted_with(self.arguments().into());
        shared.purpose = Purpose::Replay(earlier);
        Self(Arc::new(shared))
    }
}

impl CallState {
    /// Redacts the tool's answer for a record; none if it is not JSON.
    pub fn redacted_answer(&self, data: &str, redactor: &dyn Redactor) -> Option<String> {
        self.tool.output.as_ref()?.redact(data, &Limits::WIDEST, redactor)
    }

    /// Redacts the arguments for a record; none if they are not JSON.
    ///
    /// At most `free_bytes` of free text are searched; the rest is left out.
    pub fn redacted(&self, redactor: &dyn Redactor, free_bytes: usize) -> Option<String> {
        let limits = self.environment.limits();
        self.tool.input.redact_with_limit(self.admitted_arguments(), limits, redactor, free_bytes)
    }
}
