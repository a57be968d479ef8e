//! The store's time: the server's wall clock, corrected by an offset that all processes share.
//!
//! PostgreSQL has no monotonic clock. Each process compares the time that passed on the server with its own
//! monotonic clock, and the first one that sees the wall clock set writes the offset that undoes the step.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_postgres::Row;
use tool_runtime_core::store::signed::{timestamp, to_unix_millis, whole};
use tool_runtime_core::store::{ClockReading, MonotonicTime, StoreError, UnixMillis};
use tool_runtime_core::timer::whole_millis;

use crate::columns::column;
use crate::database::{Database, RowScope};
use crate::error::unavailable;
use crate::statement::Statement;

/// The least difference that is a step of a clock, and not the delay of an answer or a rate of correction.
const LEAST_STEP: Duration = Duration::from_secs(5);

/// The most readings of one request; each but the first follows a change of the offset.
const MAX_ATTEMPTS: u32 = 3;

const READ: &str = r#"
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint + offset_ms AS time, epoch, latest
    FROM "SCHEMA".store_clock"#;

/// Undoes a step, unless another process has done it.
const CORRECT: &str = r#"
    UPDATE "SCHEMA".store_clock SET offset_ms = offset_ms + $1, epoch = epoch + 1 WHERE epoch = $2
    RETURNING epoch"#;

const ADVANCE: &str = r#"
    UPDATE "SCHEMA".store_clock SET latest = greatest(latest, $1) RETURNING latest"#;

/// The last time that this process has read. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ServerClock(Arc<Mutex<Option<LastTime>>>);

#[derive(Debug, Clone, Copy)]
struct LastTime {
    time: UnixMillis,
    read_at: MonotonicTime,
}

/// A reading of the server's clock.
#[derive(Debug, Clone, Copy)]
struct ServerReading {
    time: i64,
    epoch: i64,
    latest: i64,
}

impl ServerClock {
    /// Reads the store's time, and corrects a step of the server's wall clock.
    pub(crate) async fn read(
        &self,
        database: &Database,
        reading: ClockReading,
    ) -> Result<UnixMillis, StoreError> {
        for _ in 0..MAX_ATTEMPTS {
            let started = Instant::now();
            let statement = Statement::new(READ);
            let mut readings =
                database.rows(RowScope::AllTenants, &[statement], server_reading).await?;
            let Some(server) = readings.pop() else { break };
            let expected = self.expected_at(reading.monotonic());
            if let Some(correction) = server.correction(expected, started.elapsed()) {
                let correct = Statement::new(CORRECT).number(correction).number(server.epoch);
                database.count(RowScope::AllTenants, &[correct]).await?;
                continue;
            }
            let advance = Statement::new(ADVANCE).number(server.time);
            let latest = |row: &Row| column::<i64>(row, "latest");
            let mut times = database.rows(RowScope::AllTenants, &[advance], latest).await?;
            let Some(time) = times.pop().map(to_unix_millis) else { break };
            let last = LastTime { time, read_at: reading.monotonic() };
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(last);
            return Ok(time);
        }
        Err(unavailable("the store's clock has no row, or changes at each reading"))
    }

    /// Returns the time that this process expects by its own monotonic clock; none before its first reading.
    fn expected_at(&self, now: MonotonicTime) -> Option<UnixMillis> {
        let last = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        now.since(last.read_at).map(|passed| last.time.after(passed))
    }
}

impl ServerReading {
    /// Returns the milliseconds to add to the offset; none if the clock was not set.
    ///
    /// The latest time that any process has read tells which clock is at fault: if it lies beyond the expected
    /// time, then this machine stood still, and the server did not.
    fn correction(self, expected: Option<UnixMillis>, delay: Duration) -> Option<i64> {
        let tolerance = whole(whole_millis(LEAST_STEP + delay));
        let Some(expected) = expected.map(timestamp) else {
            // A process that has just started sees only that the time went back.
            let behind = self.latest.saturating_sub(self.time);
            return (behind > tolerance).then_some(behind);
        };
        let step = self.time.saturating_sub(expected);
        let others_are_ahead = self.latest > expected.saturating_add(tolerance);
        let is_step = step < -tolerance || (step > tolerance && !others_are_ahead);
        is_step.then_some(-step)
    }
}

fn server_reading(row: &Row) -> Result<ServerReading, StoreError> {
    Ok(ServerReading {
        time: column(row, "time")?,
        epoch: column(row, "epoch")?,
        latest: column(row, "latest")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 60 * 60 * 1_000;
    const EXPECTED: i64 = 1_800_000_000_000;
    const DELAY: Duration = Duration::from_millis(20);

    fn correction(time: i64, latest: i64, expected: Option<i64>) -> Option<i64> {
        let reading = ServerReading { time, epoch: 1, latest };
        reading.correction(expected.map(to_unix_millis), DELAY)
    }

    #[test]
    fn a_step_of_the_servers_clock_is_undone() {
        let minute_ago = EXPECTED - 60_000;
        let table = [
            (EXPECTED, None),
            (EXPECTED + 4_000, None),
            (EXPECTED - 4_000, None),
            (EXPECTED + HOUR, Some(-HOUR)),
            (EXPECTED - HOUR, Some(HOUR)),
            (EXPECTED + 30_000, Some(-30_000)),
        ];
        for (time, expected) in table {
            assert_eq!(correction(time, minute_ago, Some(EXPECTED)), expected, "{time}");
        }
    }

    #[test]
    fn a_machine_that_stood_still_does_not_move_the_time_of_the_others() {
        let others = EXPECTED + HOUR - 30_000;
        assert_eq!(correction(EXPECTED + HOUR, others, Some(EXPECTED)), None);
    }

    #[test]
    fn a_process_that_has_just_started_undoes_a_step_back() {
        assert_eq!(correction(EXPECTED - HOUR, EXPECTED, None), Some(HOUR));
        assert_eq!(correction(EXPECTED + HOUR, EXPECTED, None), None);
        assert_eq!(correction(EXPECTED, 0, None), None);
    }
}
