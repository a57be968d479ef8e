//! A stub of the log of refusals without the feature `trace`: nothing is logged.

use super::logged_refusal::LoggedRefusal;

/// No log.
#[derive(Debug, Default)]
pub(crate) struct RefusalLog {}

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl RefusalLog {
    pub(crate) fn log(&self, _: &LoggedRefusal<'_>) {}
}
