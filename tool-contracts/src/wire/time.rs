//! The written form of times: RFC 3339 in UTC, at full precision.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// The pattern of a time with an offset, since validators may ignore the schema's `format`.
pub(crate) const WITH_OFFSET: &str = concat!(
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]",
    r"(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
);

/// Writes the time with `+00:00`, as the published examples do.
pub(crate) fn write_time<S: Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&time.to_rfc3339_opts(SecondsFormat::AutoSi, false))
}
