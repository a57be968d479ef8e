//! The filters of `GET /evidence`, as the query of a request has them.

use chrono::{DateTime, Utc};
use tool_contracts::server::is_id;
use tool_runtime_core::store::UnixMillis;
use tool_runtime_record::evidence::SnapshotQuery;
use uuid::Uuid;

use crate::problem::Problem;
use crate::request::context::decoded;
use crate::request::parameters::one;

/// Admits the ids of snapshots.
pub(crate) const ID_PATTERN: &str = "^ev_[0-9a-f]{12}7[0-9a-f]{19}$";

/// Reads the filters of a list. `trace` is not `trace_id`, which names the request's own trace.
pub(super) fn query(tenant: Uuid, text: Option<&str>) -> Result<SnapshotQuery, Problem> {
    let mut query = SnapshotQuery::new(tenant);
    if let Some(trace) = one(text, "trace", &"1 to 256 characters", name)? {
        query = query.with_trace(trace);
    }
    if let Some(tool) = one(text, "tool", &"a tool's name", name)? {
        query = query.with_tool(tool);
    }
    let uuid = |text: &str| decoded(text)?.parse().ok();
    if let Some(invocation) = one(text, "invocation_id", &"a UUID", uuid)? {
        query = query.with_invocation(invocation);
    }
    let expected = "an RFC 3339 time, with `+` encoded as `%2B`";
    if let Some(since) = one(text, "since", &expected, parse_time)? {
        query = query.with_from(since);
    }
    if let Some(until) = one(text, "until", &expected, parse_time)? {
        query = query.with_until(until);
    }
    Ok(query)
}

fn name(text: &str) -> Option<String> {
    decoded(text).filter(|name| is_id(name)).map(Into::into)
}

/// Reads a time. Ids hold whole milliseconds, so that a part of one counts as the next.
fn parse_time(text: &str) -> Option<UnixMillis> {
    let at = DateTime::parse_from_rfc3339(&decoded(text)?).ok()?.with_timezone(&Utc);
    let has_part = at.timestamp_subsec_nanos() % 1_000_000 != 0;
    let millis = at.timestamp_millis().saturating_add(i64::from(has_part));
    Some(UnixMillis::new(u64::try_from(millis).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use tool_runtime_record::evidence::SnapshotId;

    use super::*;

    const TENANT: Uuid = Uuid::from_u128(7);

    fn read(text: &str) -> Result<SnapshotQuery, String> {
        query(TENANT, Some(text)).map_err(|problem| problem.message.into_owned())
    }

    #[test]
    fn a_list_without_filters_is_of_the_whole_tenant() {
        assert_eq!(query(TENANT, None).map_err(|it| it.message), Ok(SnapshotQuery::new(TENANT)));
        assert_eq!(read("limit=3&trace_id=own"), Ok(SnapshotQuery::new(TENANT)));
    }

    #[test]
    fn filters_are_read_percent_decoded() {
        let call = Uuid::from_u128(9);
        let text = format!(
            "trace=a%20b%2Fc&tool=pricing.quote&invocation_id={call}&since=1970-01-01T00:00:01Z\
             &until=1970-01-01T01:00:02.0001%2B01:00"
        );
        let expected = SnapshotQuery::new(TENANT)
            .with_trace("a b/c")
            .with_tool("pricing.quote")
            .with_invocation(call)
            .with_from(UnixMillis::new(1_000))
            .with_until(UnixMillis::new(2_001));
        assert_eq!(read(&text), Ok(expected));
        let early = SnapshotQuery::new(TENANT).with_until(UnixMillis::new(0));
        assert_eq!(read("until=1960-01-01T00:00:00Z"), Ok(early));
    }

    #[test]
    fn a_filter_that_is_no_such_value_is_refused_by_name() {
        for name in ["trace", "tool", "invocation_id", "since", "until"] {
            for value in ["", "%00", "%ff", &format!("x&{name}=x")] {
                let message = read(&format!("{name}={value}")).expect_err(name);
                assert!(message.starts_with(&format!("query `{name}`: expected")), "{message}");
            }
        }
    }

    #[test]
    fn the_pattern_of_ids_admits_what_is_one() {
        let pattern = regex_lite::Regex::new(ID_PATTERN).expect("a pattern");
        let id = SnapshotId::at(UnixMillis::new(1_800_000_000_000)).to_string();
        let upper = id.to_uppercase();
        for (text, is_one) in [(&*id, true), (&id[..34], false), (&upper, false), ("ev_", false)] {
            assert_eq!(pattern.is_match(text), is_one, "{text}");
            assert_eq!(text.parse::<SnapshotId>().is_ok(), is_one, "{text}");
        }
    }
}
