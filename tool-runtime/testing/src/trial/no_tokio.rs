//! Runs a trial to its end on the current thread, without tokio.

use std::future::Future;

pub(super) fn block_on<F: Future>(future: F, _: bool) -> F::Output {
    futures::executor::block_on(future)
}
