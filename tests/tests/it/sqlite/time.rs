//! The time of a file, which all processes that share it use.

use std::time::Duration;

use tool_runtime::store::{Clock, IdempotencyStore};
use tool_runtime::testing::ManualClock;

use super::{Folder, START};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn the_time_of_a_file_is_one_for_all_and_follows_no_wall_clock() {
    let (folder, clock) = (Folder::new(), ManualClock::at(START));
    let (one, another) = (folder.open(), folder.open());
    assert_eq!(one.read_time(clock.read()).await.unwrap(), START);
    clock.set(START.after(DAY));
    clock.advance(SECOND);
    assert_eq!(another.read_time(clock.read()).await.unwrap(), START.after(SECOND));
    clock.set(START.before(DAY));
    clock.advance(SECOND);
    assert_eq!(one.read_time(clock.read()).await.unwrap(), START.after(2 * SECOND));
}

#[tokio::test]
async fn the_time_of_a_file_goes_on_when_it_is_opened_again() {
    let (folder, clock) = (Folder::new(), ManualClock::at(START));
    let store = folder.open();
    assert_eq!(store.read_time(clock.read()).await.unwrap(), START);
    store.close().await;
    clock.set(START.after(DAY));
    clock.advance(DAY);
    assert_eq!(folder.open().read_time(clock.read()).await.unwrap(), START.after(DAY));
}

#[tokio::test]
async fn a_reboot_adds_a_minute_at_most_to_the_time_of_a_file() {
    let (folder, clock) = (Folder::new(), ManualClock::at(START));
    let store = folder.open();
    assert_eq!(store.read_time(clock.read()).await.unwrap(), START);
    clock.reboot();
    clock.set(START.after(DAY));
    let minute = 60 * SECOND;
    assert_eq!(store.read_time(clock.read()).await.unwrap(), START.after(minute));
    clock.advance(SECOND);
    assert_eq!(store.read_time(clock.read()).await.unwrap(), START.after(minute + SECOND));
}
