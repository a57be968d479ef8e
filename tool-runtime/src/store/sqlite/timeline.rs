//! The store's time, kept in the file for all processes that share it.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::columns::{moment, time, to_moment, uuid, whole};
use crate::store::{ClockReading, SteadyTime, Timeline, UnixMillis};

const READ: &str = "SELECT time, wall, boot, up_ms FROM timeline";

const WRITE: &str = "
    REPLACE INTO timeline (number, time, wall, boot, up_ms)
    VALUES (0, :time, :wall, :boot, :up_ms)";

/// Advances the time to a reading.
pub(super) fn advance(
    connection: &Connection,
    reading: ClockReading,
) -> rusqlite::Result<UnixMillis> {
    let stored = connection.prepare_cached(READ)?.query_row([], timeline).optional()?;
    let mut timeline = stored.unwrap_or(Timeline::start(reading));
    let now = timeline.advance(reading);
    if stored != Some(timeline) {
        let (read, steady) = (timeline.read(), timeline.read().steady());
        connection.prepare_cached(WRITE)?.execute(named_params! {
            ":time": moment(timeline.time()),
            ":wall": moment(read.wall()),
            ":boot": steady.boot().as_bytes(),
            ":up_ms": whole(steady.up_ms()),
        })?;
    }
    Ok(now)
}

fn timeline(row: &Row<'_>) -> rusqlite::Result<Timeline> {
    let up_ms = to_moment(row.get("up_ms")?).get();
    let steady = SteadyTime::new(uuid(row, "boot")?, up_ms);
    Ok(Timeline::new(time(row, "time")?, ClockReading::new(time(row, "wall")?, steady)))
}
