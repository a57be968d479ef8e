//! A tool's future behind a panic guard: no panic leaves its polls and its destructor.

use std::any::Any;
use std::fmt;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};

use super::panic_hook::QuietGuard;
use super::tool_future::{Finished, ToolFuture};

/// A tool's future. Its destructors run guarded too, wherever it is dropped.
///
/// The mutex is never locked: it makes the type `Sync`, so that other threads can read the call.
pub struct PanicGuarded(Mutex<Option<ToolFuture>>);

impl PanicGuarded {
    pub(crate) fn new(running: ToolFuture) -> Self {
        Self(Mutex::new(Some(running)))
    }

    /// Polls the tool; an error is the text of its panic. Pending for ever once it is discarded.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Result<Poll<Finished>, String> {
        let Some(running) = self.running().as_mut() else { return Ok(Poll::Pending) };
        catch_panic(|| running.as_mut().poll(cx))
    }

    /// Drops what is left of the tool.
    pub(crate) fn discard(&mut self) {
        if let Some(running) = self.running().take() {
            drop(catch_panic(|| drop(running)));
        }
    }

    fn running(&mut self) -> &mut Option<ToolFuture> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PanicGuarded {
    fn drop(&mut self) {
        self.discard();
    }
}

impl fmt::Debug for PanicGuarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PanicGuarded")
    }
}

/// Runs foreign code under a panic guard; the error is the panic's text, for the log only.
pub fn catch_panic<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    let _quiet = QuietGuard::begin();
    catch_unwind(AssertUnwindSafe(code)).map_err(panic_text)
}

fn panic_text(payload: Box<dyn Any + Send>) -> String {
    let text = payload
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("a panic whose payload is no text").to_owned();
    // A payload may panic when it is dropped; none that carries a text does.
    mem::forget(payload);
    text
}
