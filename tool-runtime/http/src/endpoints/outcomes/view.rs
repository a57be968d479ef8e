//! The bodies of `/outcomes`, and its page cursor.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use tool_runtime_core::store::{KeyRecord, ScopedKey};
use tool_runtime_record::ledger::query::utc_time;
use tool_runtime_schema::encoding::{array_of_hex, hex};
use uuid::Uuid;

use super::resolution::OutcomeDecision;

/// Lists keyed calls of a tenant whose outcome is unknown.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Outcomes", deny_unknown_fields)]
pub(crate) struct OutcomesPage {
    /// A page of outcomes, ordered by principal, tool and key.
    pub(super) outcomes: Vec<UnknownOutcome>,
    /// The `after` of the next page; left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// Describes a keyed call that may have had its effect.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UnknownOutcome", deny_unknown_fields)]
pub(crate) struct UnknownOutcome {
    /// The id for the resolution.
    id: u64,
    /// The tool.
    tool_name: String,
    /// The principal of the call, such as `user:42`.
    principal: String,
    /// The caller whose share of the store it counts against.
    asked_by: String,
    /// The key: `key:` and the caller's idempotency key, `call:` and a model's call, or `ticket:`
    /// and a ticket's id.
    key: String,
    /// The key that the tool read, and may have sent to other services.
    global_key: String,
    /// The latest time at which it became unknown, if the store knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<DateTime<Utc>>,
    /// True if the stored record is damaged and other fields may be wrong.
    damaged: bool,
}

/// Says that an outcome was resolved.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ResolvedOutcome", deny_unknown_fields)]
pub(crate) struct Resolved<'a> {
    /// The outcome's id.
    pub(super) id: u64,
    /// The resolution.
    pub(super) decision: OutcomeDecision,
    /// The tool.
    pub(super) tool_name: &'a str,
}

impl UnknownOutcome {
    pub(super) fn from_record(record: &KeyRecord) -> Self {
        Self {
            id: record.fence.get(),
            tool_name: record.key.tool.to_string(),
            principal: record.key.principal.to_string(),
            asked_by: record.caller.to_string(),
            key: record.key.key.to_string(),
            global_key: record.key.global_key(),
            since: record.since.and_then(utc_time),
            damaged: record.damaged,
        }
    }
}

/// A position in the list of outcomes: principal, tool and key in hexadecimal digits, joined by
/// `-`.
#[derive(Debug)]
pub(crate) struct OutcomeCursor([String; 3]);

impl OutcomeCursor {
    /// The pattern of a cursor.
    pub(crate) const PATTERN: &str = "^([0-9a-f]{2})*-([0-9a-f]{2})*-([0-9a-f]{2})*$";

    pub(super) fn after(key: &ScopedKey) -> Self {
        Self([&key.principal, &key.tool, &key.key].map(ToString::to_string))
    }

    /// Returns the position in the list of this tenant.
    pub(super) fn into_scoped_key(self, tenant: Uuid) -> ScopedKey {
        let [principal, tool, key] = self.0;
        ScopedKey::new(tenant, principal, tool, key)
    }
}

impl fmt::Display for OutcomeCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("-")?;
            }
            part.bytes().flat_map(hex).try_for_each(|digit| f.write_char(digit.into()))?;
        }
        Ok(())
    }
}

impl FromStr for OutcomeCursor {
    type Err = ();

    /// Accepts any text that matches [`PATTERN`](Self::PATTERN), even between two outcomes.
    fn from_str(text: &str) -> Result<Self, ()> {
        let part = |digits: &str| {
            let bytes = digits.as_bytes().chunks(2).map(array_of_hex::<1>);
            let bytes = bytes.collect::<Option<Vec<_>>>().ok_or(())?.concat();
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let parts = text.split('-').map(part).collect::<Result<Vec<_>, ()>>()?;
        parts.try_into().map(Self).map_err(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_admits_what_its_pattern_does() {
        let key = ScopedKey::new(Uuid::nil(), "user:jänë", "pay", "key:\"a\"");
        let written = OutcomeCursor::after(&key).to_string();
        assert_eq!(
            written.parse::<OutcomeCursor>().map(|it| it.into_scoped_key(Uuid::nil())),
            Ok(key)
        );
        let pattern = regex_lite::Regex::new(OutcomeCursor::PATTERN).expect("a pattern");
        let others = ["--", "ff-5b-", &written[2..]];
        assert!(
            others.iter().all(|it| it.parse::<OutcomeCursor>().is_ok() && pattern.is_match(it))
        );
        for wrong in ["", "-", "---", "5", "zz", "5b5d", "+1-+2-", "AA--", &format!("{written}0")] {
            assert!(wrong.parse::<OutcomeCursor>().is_err() && !pattern.is_match(wrong), "{wrong}");
        }
    }
}
