//! Times as they are written: RFC 3339 in UTC, with as many digits as they have.

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serializer;

/// The pattern of a time that says its offset; the schema's format alone need not be checked.
pub(crate) const WITH_OFFSET: &str = concat!(
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]",
    r"(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$",
);

/// Writes the time with `+00:00`, as the published examples do.
pub(crate) fn write_time<S: Serializer>(time: &DateTime<Utc>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&time.to_rfc3339_opts(SecondsFormat::AutoSi, false))
}
