//! Panic hooks for panics that the runtime catches: they do not print what a tool panicked with.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, Once, PoisonError};

thread_local! {
    /// The number of guards that this thread is inside of.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
    /// The watch that this thread's panics go to.
    static WATCH: RefCell<Option<(PanicWatch, WatchedCode)>> = const { RefCell::new(None) };
}

/// Marks that this thread runs guarded code, until it is dropped.
pub(super) struct QuietGuard(());

impl QuietGuard {
    pub(super) fn begin() -> Self {
        GUARDS.set(GUARDS.get().saturating_add(1));
        Self(())
    }
}

impl Drop for QuietGuard {
    fn drop(&mut self) {
        GUARDS.set(GUARDS.get().saturating_sub(1));
    }
}

/// Keeps the texts of panics inside calls out of the process's standard error stream.
///
/// Rust's own panic hook prints each panic's text. The text of a tool's panic may hold an argument, a
/// secret or a part of an answer. This function installs a hook that prints only the place for a
/// panic that the runtime catches: in a tool, in its arguments' `Deserialize`, in a listener, a store
/// or an approver of a call. It passes every other panic to the hook that was installed before.
///
/// Call it once, at the start of `main`, after any hook of your own is installed: a hook that is
/// installed later is asked first, and sees the text. Further calls do nothing. Libraries should
/// leave it to the program.
///
/// A thread or a task that a tool starts by itself is not inside the call: its panics go to the
/// previous hook. So does `RUST_BACKTRACE`; panics inside calls have no backtrace.
///
/// # Panics
/// Panics when it is called from a thread that is panicking.
///
/// # Examples
/// ```
/// tool_runtime::quiet_tool_panics();
/// ```
pub fn quiet_tool_panics() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| match GUARDS.get() {
            _ if is_watched(info) => {}
            0 => previous(info),
            _ => print_place(info),
        }));
    });
}

/// Prints where a panic happened. A stream that cannot be written is no reason to panic again.
fn print_place(info: &PanicHookInfo<'_>) {
    let mut stream = std::io::stderr().lock();
    let _ = match info.location() {
        Some(place) => writeln!(stream, "a tool call panicked at {place}; its text is not printed"),
        None => writeln!(stream, "a tool call panicked; its text is not printed"),
    };
}

/// Keeps the place of the last panic of a trial's calls, in place of its text on standard error.
#[derive(Debug, Clone, Default)]
pub struct PanicWatch(pub(super) Arc<Mutex<Option<String>>>);

/// The code of a thread whose panics a watch keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchedCode {
    /// Guarded code: tools, and what the runtime calls of the host's.
    Calls,
    /// All code, since the thread runs nothing but tasks that tools have spawned.
    #[allow(dead_code, reason = "only the feature `testing` has such threads")]
    All,
}

impl PanicWatch {
    /// Watches the panics of this thread, until the result is dropped.
    #[must_use]
    pub fn enter(&self, code: WatchedCode) -> WatchedThread {
        WatchedThread(WATCH.replace(Some((self.clone(), code))))
    }
}

/// A thread that is watched; the earlier watch is put back when it is dropped.
pub struct WatchedThread(Option<(PanicWatch, WatchedCode)>);

impl fmt::Debug for WatchedThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedThread").finish_non_exhaustive()
    }
}

impl Drop for WatchedThread {
    fn drop(&mut self) {
        WATCH.set(self.0.take());
    }
}

/// Returns the watch of this thread, for another thread that works for the same call.
pub(super) fn current_watch() -> Option<PanicWatch> {
    WATCH.with_borrow(|watch| watch.as_ref().map(|(watch, _)| watch.clone()))
}

/// Keeps the place of a panic that a watch of this thread is for.
pub(super) fn is_watched(info: &PanicHookInfo<'_>) -> bool {
    let watch_result = WATCH.try_with(|watch| {
        let Ok(watch) = watch.try_borrow() else { return false };
        let Some((watch, code)) = &*watch else { return false };
        if *code == WatchedCode::Calls && GUARDS.get() == 0 {
            return false;
        }
        let place = info.location().map(ToString::to_string);
        *watch.0.lock().unwrap_or_else(PoisonError::into_inner) = place;
        true
    });
    watch_result.unwrap_or(false)
}
