//! The store's time, which does not follow the wall clock.

use std::time::Duration;

use tool_runtime_core::store::{ClockReading, IdempotencyStore, MonotonicTime, UnixMillis};
use uuid::Uuid;

use super::super::samples::{START, done};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Longer than the suite takes, for a backend that uses its own server's time.
const SOON: Duration = Duration::from_secs(10 * 60);

pub(super) async fn all(store: &dyn IdempotencyStore) {
    the_time_does_not_follow_the_wall_clock(store).await;
    the_time_does_not_go_back(store).await;
    a_boot_adds_little(store).await;
}

/// Reads the time at a reading of both clocks.
async fn read(
    store: &dyn IdempotencyStore,
    wall: UnixMillis,
    boot: Uuid,
    up_ms: u64,
) -> UnixMillis {
    let reading = ClockReading::new(wall, MonotonicTime::new(boot, up_ms));
    done("read_time", store.read_time(reading).await)
}

async fn the_time_does_not_follow_the_wall_clock(store: &dyn IdempotencyStore) {
    let boot = Uuid::now_v7();
    let before = read(store, START, boot, 1_000).await;
    let after = read(store, START.after(DAY), boot, 2_000).await;
    let promise = "a wall clock that is set ahead does not move the store's time";
    assert!(after >= before && after.since(before) < SOON, "{promise}: {before:?}, {after:?}");
}

async fn the_time_does_not_go_back(store: &dyn IdempotencyStore) {
    let boot = Uuid::now_v7();
    let before = read(store, START, boot, 1_000).await;
    let set_back = read(store, START.before(DAY), boot, 2_000).await;
    let rebooted = read(store, START.before(DAY), Uuid::now_v7(), 0).await;
    let promise = "the store's time does not go back";
    assert!(before <= set_back && set_back <= rebooted, "{promise}: {before:?}, {set_back:?}");
}

async fn a_boot_adds_little(store: &dyn IdempotencyStore) {
    let before = read(store, START, Uuid::now_v7(), 1_000).await;
    let promise = "a machine that reboots does not move the store's time by a day";
    for up_ms in [0, 10 * 1_000 * DAY.as_secs()] {
        let after = read(store, START.after(DAY), Uuid::now_v7(), up_ms).await;
        assert!(after.since(before) < SOON, "{promise}: {before:?}, {after:?}");
    }
}
