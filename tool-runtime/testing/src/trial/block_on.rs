//! Runs a trial to its end on the current thread.

use std::future::Future;

use tool_runtime_core::tool::{PanicWatch, WatchedCode};

#[track_caller]
pub(super) fn block_on<F: Future>(future: F, real_time: bool) -> F::Output {
    assert!(
        tokio::runtime::Handle::try_current().is_err(),
        "a tool is tried here on a runtime of its own: inside of another, as in `#[tokio::test]`, \
         await `ToolTrial::run` and call `assert` on its report"
    );
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(!real_time).build();
    let runtime = runtime.expect("tokio can be started");
    // Between the polls of the trial, this thread runs nothing but tasks that the tool spawned.
    let watch = PanicWatch::default();
    let watched = watch.enter(WatchedCode::All);
    let output = runtime.block_on(future);
    drop(watched);
    if let Some(place) = watch.take_place() {
        eprintln!("a task that the tool spawned panicked at {place}");
    }
    output
}
