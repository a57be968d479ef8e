use std::convert::Infallible;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::time::{advance, sleep};

use super::*;

const SECOND: Duration = Duration::from_secs(1);

/// Lets what goes on in the background come to its end.
async fn settle() {
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
}

/// Asks, and hangs up.
async fn asked_and_left(readiness: &Readiness) {
    assert!(readiness.failing().now_or_never().is_none());
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_nobody_waited_for_is_not_taken_for_a_new_one() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let mut readiness = Readiness::default();
    readiness.add("database".into(), move || {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        async move {
            sleep(SECOND).await;
            is_first.then_some(()).ok_or("down by now")
        }
    });
    asked_and_left(&readiness).await;
    advance(10 * SECOND).await;
    settle().await;
    assert_eq!(readiness.failing().await.len(), 1);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn a_check_that_hangs_is_given_up_although_nobody_waits() {
    let held = Arc::new(());
    let holds = held.clone();
    let mut readiness = Readiness::default();
    readiness.add("database".into(), move || {
        let connection = holds.clone();
        async move {
            pending::<()>().await;
            drop(connection);
            Ok::<_, Infallible>(())
        }
    });
    let own = Arc::strong_count(&held);
    asked_and_left(&readiness).await;
    assert_eq!(Arc::strong_count(&held), own + 1);
    advance(2 * SECOND).await;
    settle().await;
    assert_eq!(Arc::strong_count(&held), own);
}
