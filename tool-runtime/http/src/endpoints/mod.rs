//! The endpoints: a file or folder for each one's handlers and bodies.

pub(super) mod approvals;
pub(super) mod attachments;
pub(super) mod call;
pub(super) mod evidence;
pub(super) mod list;
pub(super) mod outcomes;
pub(super) mod probes;
pub(super) mod traces;

use chrono::{DateTime, Utc};
use tool_runtime_core::store::UnixMillis;

/// Converts a timestamp of a store; `None` beyond the years that a date can have.
fn to_date_time(at: UnixMillis) -> Option<DateTime<Utc>> {
    i64::try_from(at.get()).ok().and_then(DateTime::from_timestamp_millis)
}
