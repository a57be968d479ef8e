//! Sample times, easily confused texts, and bytes for the suites.

use std::collections::BTreeSet;
use std::task::Poll;
use std::time::Duration;

use futures::future::poll_fn;
use tool_runtime_core::store::{StoreError, UnixMillis};

/// The time at which every check begins, with room before and after it.
pub(super) const START: UnixMillis = UnixMillis::new(1_700_000_000_000);

/// The last possible time.
pub(super) const END: UnixMillis = UnixMillis::new(u64::MAX);

/// The number of concurrent operations.
pub(super) const CROWD: usize = 16;

/// Unwraps an operation's result.
#[track_caller]
pub(super) fn done<T>(operation: &str, given: Result<T, StoreError>) -> T {
    given.unwrap_or_else(|error| panic!("the operation succeeds: {operation}: {error}"))
}

/// Returns the time this many seconds after the start.
pub(super) fn at(seconds: u64) -> UnixMillis {
    START.after(Duration::from_secs(seconds))
}

/// Returns the time just before another.
pub(super) fn before(moment: UnixMillis) -> UnixMillis {
    UnixMillis::new(moment.get() - 1)
}

/// Returns different triples of texts that are equal once they are joined, folded or cut.
pub(super) fn alike() -> Vec<[String; 3]> {
    let mut triples =
        vec![["a", "bc", "d"], ["ab", "c", "d"], ["a", "b", "cd"], ["abc", "b", "cd"]]
            .into_iter()
            .map(|texts| texts.map(str::to_owned))
            .collect::<Vec<_>>();
    for mark in [":", "/", "|", ",", ".", "-", "'", "\"", "\\", "%", "_", " ", "\u{1f}", "\n"] {
        triples.push([format!("a{mark}b"), "c".to_owned(), "d".to_owned()]);
        triples.push(["a".to_owned(), format!("b{mark}c"), "d".to_owned()]);
        triples.push(["a".to_owned(), "b".to_owned(), format!("c{mark}d")]);
    }
    let long = "x".repeat(199);
    for last in ["X", "x", "x ", " x", "y", "\u{e9}", "e\u{301}", "1", "01", "1.0"] {
        triples.push(["p".to_owned(), "t".to_owned(), last.to_owned()]);
        triples.push(["p".to_owned(), last.to_owned(), "k".to_owned()]);
        triples.push([last.to_owned(), "t".to_owned(), "k".to_owned()]);
        triples.push(["p".to_owned(), "t".to_owned(), format!("{long}{last}")]);
    }
    triples
}

/// Returns different names, with the easily confused ones next to each other.
pub(super) fn names() -> Vec<String> {
    let mut names = alike().into_iter().map(|[name, ..]| name).collect::<Vec<_>>();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns bytes that a backend may misinterpret: none, JSON, every byte, and a megabyte.
pub(super) fn bytes() -> Vec<Vec<u8>> {
    let every = (0..=u8::MAX).collect::<Vec<_>>();
    let megabyte = every.iter().copied().cycle().take(1024 * 1024).collect();
    vec![Vec::new(), br#" {"a" :1.50,"b":"\u0000 \u00e9"} "#.to_vec(), every, megabyte]
}

/// Yields once.
pub(super) async fn pause() {
    let mut paused = false;
    poll_fn(|cx| {
        if paused {
            return Poll::Ready(());
        }
        paused = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
