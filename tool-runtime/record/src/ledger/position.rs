//! The position of a record in its ledger, which is also the cursor of a page.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use thiserror::Error;
use tool_runtime_core::store::UnixMillis;
use uuid::Uuid;

/// The position of a record in its ledger: its number, and its chain if several writers share the ledger.
///
/// Positions have the order of their ledger. Its text (`Display`, `FromStr`, serde) is a cursor for [`LedgerQuery::after`](super::LedgerQuery::after): the
/// number alone, or `TIME.NUMBER.CHAIN`.
///
/// ```
/// use tool_runtime::ledger::RecordPosition;
///
/// let position = RecordPosition::from(17);
/// assert_eq!((position.seq(), position.chain()), (17, None));
/// assert_eq!(position.to_string().parse(), Ok(position));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordPosition {
    // The order of the fields is that of the records.
    in_chain: Option<ChainPosition>,
    seq: u64,
}

/// Places a record among those of other chains: the order is that of time, chain, number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct ChainPosition {
    at: UnixMillis,
    chain: Uuid,
}

/// The error of reading a [`RecordPosition`] from a text that is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("expected a record's number, or `TIME.NUMBER.CHAIN` as a page's `next` has it")]
#[non_exhaustive]
pub struct InvalidRecordPosition;

impl RecordPosition {
    /// The pattern of its text, for JSON Schema. Numbers of 19 digits are the longest that all fit into 64 bits.
    #[doc(hidden)]
    pub const PATTERN: &'static str =
        r"^[0-9]{1,19}(\.[0-9]{1,19}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})?$";

    /// Returns the position of a record in one of several chains. `at` is the time by which the store orders the
    /// records of all chains.
    #[must_use]
    pub const fn in_chain(chain: Uuid, seq: u64, at: UnixMillis) -> Self {
        Self { seq, in_chain: Some(ChainPosition { at, chain }) }
    }

    /// Returns the record's number in its chain, from 0.
    #[must_use]
    pub const fn seq(&self) -> u64 {
        self.seq
    }

    /// Returns the id of its chain; none if the ledger has one chain.
    #[must_use]
    pub fn chain(&self) -> Option<Uuid> {
        self.in_chain.map(|position| position.chain)
    }

    /// Returns the time by which it is ordered among several chains; none if the ledger has one.
    #[must_use]
    pub fn at(&self) -> Option<UnixMillis> {
        self.in_chain.map(|position| position.at)
    }
}

impl From<u64> for RecordPosition {
    fn from(seq: u64) -> Self {
        Self { seq, in_chain: None }
    }
}

impl fmt::Display for RecordPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.in_chain {
            None => write!(f, "{}", self.seq),
            Some(ChainPosition { at, chain }) => write!(f, "{}.{}.{chain}", at.get(), self.seq),
        }
    }
}

impl FromStr for RecordPosition {
    type Err = InvalidRecordPosition;

    fn from_str(text: &str) -> Result<Self, InvalidRecordPosition> {
        let number = |text: &str| {
            let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|_| is_number).ok_or(InvalidRecordPosition)
        };
        let mut parts = text.splitn(3, '.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(seq), None, None) => Ok(number(seq)?.into()),
            (Some(at), Some(seq), Some(chain)) if chain.len() == 36 => {
                let chain = Uuid::try_parse(chain).map_err(|_| InvalidRecordPosition)?;
                Ok(Self::in_chain(chain, number(seq)?, UnixMillis::new(number(at)?)))
            }
            (_, _, _) => Err(InvalidRecordPosition),
        }
    }
}

impl Serialize for RecordPosition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for RecordPosition {
    fn schema_name() -> Cow<'static, str> {
        "RecordPosition".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": Self::PATTERN})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_leads_back_to_its_position() {
        let chain = Uuid::from_u128(7);
        for position in [
            RecordPosition::from(0),
            u64::MAX.into(),
            RecordPosition::in_chain(chain, 3, UnixMillis::new(1_764_400_000_000)),
        ] {
            assert_eq!(position.to_string().parse(), Ok(position));
        }
        let longest =
            "9999999999999999999.9999999999999999999.ffffffff-ffff-ffff-ffff-ffffffffffff";
        for text in ["0", "9999999999999999999", "0000000000000000017", longest] {
            assert!(text.parse::<RecordPosition>().is_ok(), "the pattern accepts {text}");
        }
        for text in ["", "-1", "+1", " 1", "1.", "1.2", "1.2.3", "1..x", "18446744073709551616"] {
            assert_eq!(text.parse::<RecordPosition>(), Err(InvalidRecordPosition), "{text}");
        }
    }
}
