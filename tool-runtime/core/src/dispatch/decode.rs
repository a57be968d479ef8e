//! The stage that reads a call's arguments, and suspends its tool before it begins.

use std::task::{Context, Poll};

use futures::task::noop_waker_ref;

use super::refusal::Refusal;
use crate::tool::{CallScope, PanicGuarded, catch_panic};

/// Checked and typed arguments, with the tool's future suspended before its first effect.
pub(crate) struct Decoded(pub(crate) PanicGuarded);

/// Checks the arguments and creates the tool's future; nothing of the tool runs.
pub(crate) fn decode(scope: &CallScope) -> Result<Decoded, Box<Refusal>> {
    let tool = scope.registered();
    let limits = scope.environment().limits();
    let raw = scope.raw();
    let short = raw.len() <= limits.max_bytes().min(limits.max_string_bytes());
    let is_checked = scope.schema_report().is_some();
    if tool.validates_before_decoding || is_checked || !short || !raw.trim_start().starts_with('{')
    {
        let report = scope.check_by_schema();
        if report.malformed.is_some() || !report.violations.is_empty() {
            return Err(Refusal::arguments(scope));
        }
    }
    let mut idle = Context::from_waker(noop_waker_ref());
    let started = catch_panic(|| PanicGuarded::new(tool.start.start(scope.clone())));
    let panicked = |text| Refusal::unreadable(format!("panicked: {text}"));
    let mut parked = started.map_err(panicked)?;
    // Reading arguments runs the tool author's code: `Deserialize` and defaults.
    match parked.poll(&mut idle) {
        Ok(Poll::Pending) => Ok(Decoded(parked)),
        Ok(Poll::Ready(_)) => Err(Refusal::arguments(scope)),
        Err(text) => Err(panicked(text)),
    }
}
