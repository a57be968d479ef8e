//! Unknown outcomes, as an operator's application reads them.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;
use uuid::Uuid;

use super::resolving::OutcomeDecision;
use crate::store::{KeyRecord, KeyScope, UnixMillis};

/// Lists keyed calls of a tenant whose outcome is not known.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(in crate::http) struct Outcomes {
    /// A page of them, by principal, tool and key.
    pub(super) outcomes: Vec<Outcome>,
    /// What `after` says for the next page; left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next: Option<String>,
}

/// Describes a keyed call that may have had its effect or not.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UnknownOutcome", deny_unknown_fields)]
pub(in crate::http) struct Outcome {
    /// The id by which it is resolved.
    id: u64,
    /// The tool.
    tool_name: String,
    /// For whom the call was made, such as `user:42`.
    principal: String,
    /// The caller whose share it counts against.
    asked_by: String,
    /// The key: `key:` and the caller's idempotency key, `call:` and a model's call, or `ticket:` and
    /// a ticket's id.
    key: String,
    /// The key that the tool read, and may have sent to other services.
    global_key: String,
    /// When it became unknown, at the latest, as far as the store knows.
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<DateTime<Utc>>,
    /// True if the stored record is damaged, so that its other fields may be wrong.
    damaged: bool,
}

/// Says that an outcome was resolved.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ResolvedOutcome", deny_unknown_fields)]
pub(in crate::http) struct Resolved<'a> {
    /// The outcome's id.
    pub(super) id: u64,
    /// What was found out.
    pub(super) decision: OutcomeDecision,
    /// The tool.
    pub(super) tool_name: &'a str,
}

impl Outcome {
    pub(super) fn of(record: &KeyRecord) -> Self {
        Self {
            id: record.fence.get(),
            tool_name: record.key.tool.to_string(),
            principal: record.key.principal.to_string(),
            asked_by: record.caller.to_string(),
            key: record.key.key.to_string(),
            global_key: record.key.global_key(),
            since: record.since.and_then(moment),
            damaged: record.damaged,
        }
    }
}

fn moment(at: UnixMillis) -> Option<DateTime<Utc>> {
    i64::try_from(at.get()).ok().and_then(DateTime::from_timestamp_millis)
}

/// The place after an outcome in the list: three texts as hexadecimal digits, with `-` between.
#[derive(Debug)]
pub(in crate::http) struct Cursor([String; 3]);

impl Cursor {
    /// Admits what is a cursor, and nothing else.
    pub(in crate::http) const PATTERN: &str = "^([0-9a-f]{2})*-([0-9a-f]{2})*-([0-9a-f]{2})*$";

    pub(super) fn after(key: &KeyScope) -> Self {
        Self([&key.principal, &key.tool, &key.key].map(ToString::to_string))
    }

    /// Makes it the place of an outcome of this tenant.
    pub(super) fn of(self, tenant: Uuid) -> KeyScope {
        let [principal, tool, key] = self.0;
        KeyScope::new(tenant, principal, tool, key)
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str("-")?;
            }
            part.bytes().try_for_each(|byte| write!(f, "{byte:02x}"))?;
        }
        Ok(())
    }
}

impl FromStr for Cursor {
    type Err = ();

    /// Takes whatever [`PATTERN`](Self::PATTERN) admits: a place between two outcomes is one too.
    fn from_str(text: &str) -> Result<Self, ()> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Ok(byte - b'0'),
            b'a'..=b'f' => Ok(byte - b'a' + 10),
            _ => Err(()),
        };
        let part = |digits: &str| {
            let pairs = digits.as_bytes().chunks(2).map(|pair| match *pair {
                [high, low] => Ok(digit(high)? << 4 | digit(low)?),
                _ => Err(()),
            });
            let bytes = pairs.collect::<Result<Vec<u8>, ()>>()?;
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
        let key = KeyScope::new(Uuid::nil(), "user:jänë", "pay", "key:\"a\"");
        let written = Cursor::after(&key).to_string();
        assert_eq!(written.parse::<Cursor>().map(|it| it.of(Uuid::nil())), Ok(key));
        let pattern = regex_lite::Regex::new(Cursor::PATTERN).expect("a pattern");
        let others = ["--", "ff-5b-", &written[2..]];
        assert!(others.iter().all(|it| it.parse::<Cursor>().is_ok() && pattern.is_match(it)));
        for wrong in ["", "-", "---", "5", "zz", "5b5d", "+1-+2-", "AA--", &format!("{written}0")] {
            assert!(wrong.parse::<Cursor>().is_err() && !pattern.is_match(wrong), "{wrong}");
        }
    }
}
