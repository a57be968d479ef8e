//! The id of a snapshot, which holds the time at which it was made.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use thiserror::Error;
use uuid::{NoContext, Timestamp, Uuid};

use crate::store::UnixMillis;

const PREFIX: &str = "ev_";
const MAX_MILLIS: u64 = (1 << 48) - 1;

/// The id of a snapshot: `ev_` and the 32 hexadecimal digits of a UUID of version 7.
///
/// The UUID begins with the time at which the snapshot was made, so that ids sort by time.
///
/// # Examples
/// ```
/// use tool_runtime::evidence::SnapshotId;
/// use tool_runtime::store::UnixMillis;
///
/// let id = SnapshotId::at(UnixMillis::new(1_800_000_000_000));
/// assert!(id.to_string().starts_with("ev_01a3185c"));
/// assert_eq!(id.created_at(), UnixMillis::new(1_800_000_000_000));
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SnapshotId(Uuid);

/// The error of a text that is not a snapshot's id; it does not quote the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a snapshot's id is `ev_` and the 32 hexadecimal digits of a UUID of version 7")]
#[non_exhaustive]
pub struct ParseSnapshotIdError;

impl SnapshotId {
    /// Makes a new id, of this time.
    ///
    /// A time that a UUID cannot hold, after the year 10889, becomes the last one that it can.
    #[must_use]
    pub fn at(moment: UnixMillis) -> Self {
        let millis = moment.get().min(MAX_MILLIS);
        let nanos = u32::try_from(millis % 1000).unwrap_or(0) * 1_000_000;
        Self(Uuid::new_v7(Timestamp::from_unix(NoContext, millis / 1000, nanos)))
    }

    /// Makes an id from the UUID of an earlier one; `None` if its version is not 7.
    #[must_use]
    pub fn from_uuid(uuid: Uuid) -> Option<Self> {
        (uuid.get_version_num() == 7).then_some(Self(uuid))
    }

    /// Returns the UUID.
    #[must_use]
    pub const fn uuid(self) -> Uuid {
        self.0
    }

    /// Returns the time at which the snapshot was made.
    #[must_use]
    pub fn created_at(self) -> UnixMillis {
        UnixMillis::new(u64::try_from(self.0.as_u128() >> 80).unwrap_or(u64::MAX))
    }

    /// Returns this id with its last 62 bits, which are random, cleared: an id of the same time that
    /// is not greater.
    #[must_use]
    pub fn position(self) -> Self {
        const RANDOM: u128 = (1 << 62) - 1;
        Self(Uuid::from_u128(self.0.as_u128() & !RANDOM))
    }

    /// Returns the least UUID of this time: greater than the UUID of every snapshot made before,
    /// and not greater than any other. A store uses it to find a time in a column of ids.
    #[must_use]
    pub fn least_uuid(moment: UnixMillis) -> Uuid {
        if moment.get() > MAX_MILLIS {
            return Uuid::max();
        }
        Uuid::from_u128(u128::from(moment.get()) << 80)
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0.simple())
    }
}

impl fmt::Debug for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for SnapshotId {
    type Err = ParseSnapshotIdError;

    fn from_str(text: &str) -> Result<Self, ParseSnapshotIdError> {
        let digits = text.strip_prefix(PREFIX).ok_or(ParseSnapshotIdError)?;
        let id = Uuid::try_parse(digits).ok().and_then(Self::from_uuid);
        // One spelling is accepted, so that texts are equal exactly if the ids are.
        id.filter(|id| id.to_string() == text).ok_or(ParseSnapshotIdError)
    }
}

impl Serialize for SnapshotId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SnapshotId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_its_moment_and_sorts_by_it() {
        let moments = [0, 1, 999, 1_000, 1_800_000_000_123, MAX_MILLIS].map(UnixMillis::new);
        let ids = moments.map(SnapshotId::at);
        assert_eq!(ids.map(SnapshotId::created_at), moments);
        assert!(ids.is_sorted());
        for (id, moment) in ids.iter().zip(moments) {
            let next = UnixMillis::new(moment.get() + 1);
            let least = SnapshotId::least_uuid;
            assert!(least(moment) <= id.uuid() && id.uuid() < least(next));
        }
        assert_eq!(SnapshotId::at(UnixMillis::new(u64::MAX)).created_at().get(), MAX_MILLIS);
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = "ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a";
        assert_eq!(id.parse::<SnapshotId>().map(|id| id.to_string()), Ok(id.to_owned()));
        let others = [
            "",
            "ev_",
            "0197f0c49a5b7c3e8a416f2b8f0d1e2a",
            "ev_0197F0C49A5B7C3E8A416F2B8F0D1E2A",
            "ev_0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a",
            "ev_0197f0c49a5b4c3e8a416f2b8f0d1e2a",
            "ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a ",
        ];
        for other in others {
            assert_eq!(other.parse::<SnapshotId>(), Err(ParseSnapshotIdError), "{other}");
        }
    }
}
