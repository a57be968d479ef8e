//! Converts numbers to the signed 64-bit integers of SQL, for backends.

use super::{Settlement, UnixMillis};

/// Converts a timestamp; one beyond the range becomes the greatest integer.
#[must_use]
pub fn timestamp(timestamp: UnixMillis) -> i64 {
    whole(timestamp.get())
}

/// Converts an integer to a timestamp; the greatest integer becomes the last timestamp.
#[must_use]
pub fn to_unix_millis(stored: i64) -> UnixMillis {
    UnixMillis::new(if stored == i64::MAX { u64::MAX } else { u64::try_from(stored).unwrap_or(0) })
}

/// Converts a length, an offset or a fence.
#[must_use]
pub fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Converts a number of rows, bytes or versions.
#[must_use]
pub fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns the settlement with the time that a column can hold, so that it equals the stored one when it is
/// repeated.
#[must_use]
pub fn as_stored(settlement: &Settlement) -> Settlement {
    match settlement {
        Settlement::Answered { answer, keep_until } => Settlement::Answered {
            answer: answer.clone(),
            keep_until: to_unix_millis(timestamp(*keep_until)),
        },
        Settlement::Unknown => Settlement::Unknown,
        Settlement::Released => Settlement::Released,
    }
}
