//! The store's clock, kept in the file for all processes that share it.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{ClockReading, MonotonicTime, StoreClock, UnixMillis};

use super::columns::{time, uuid};

const READ: &str = "SELECT time, wall, boot, up_ms FROM timeline";

const WRITE: &str = "
    REPLACE INTO timeline (number, time, wall, boot, up_ms)
    VALUES (0, :time, :wall, :boot, :up_ms)";

/// Advances the clock to a reading, and returns its time.
pub(super) fn advance(
    connection: &Connection,
    reading: ClockReading,
) -> rusqlite::Result<UnixMillis> {
    let stored = connection.prepare_cached(READ)?.query_row([], clock).optional()?;
    let mut clock = stored.unwrap_or(StoreClock::start(reading));
    let now = clock.advance(reading);
    if stored != Some(clock) {
        let (read, monotonic) = (clock.read(), clock.read().monotonic());
        connection.prepare_cached(WRITE)?.execute(named_params! {
            ":time": timestamp(clock.time()),
            ":wall": timestamp(read.wall()),
            ":boot": monotonic.boot().as_bytes(),
            ":up_ms": whole(monotonic.up_ms()),
        })?;
    }
    Ok(now)
}

/// Returns the time that the clock has at a reading, without advancing it.
pub(super) fn peek(connection: &Connection, reading: ClockReading) -> rusqlite::Result<UnixMillis> {
    let stored = connection.prepare_cached(READ)?.query_row([], clock).optional()?;
    Ok(stored.unwrap_or(StoreClock::start(reading)).advance(reading))
}

fn clock(row: &Row<'_>) -> rusqlite::Result<StoreClock> {
    let up_ms = to_unix_millis(row.get("up_ms")?).get();
    let monotonic = MonotonicTime::new(uuid(row, "boot")?, up_ms);
    Ok(StoreClock::new(time(row, "time")?, ClockReading::new(time(row, "wall")?, monotonic)))
}
