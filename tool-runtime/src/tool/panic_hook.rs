//! A panic hook that does not print what a tool panicked with.

use std::cell::Cell;
use std::io::Write as _;
use std::panic::{self, PanicHookInfo};
use std::sync::Once;

thread_local! {
    /// The number of guards that this thread is inside of.
    static GUARDS: Cell<u32> = const { Cell::new(0) };
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
