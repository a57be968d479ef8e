//! The panic hook of the trials: it keeps the places of panics that a watch is for.

use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::panic_hook::{PanicWatch, is_watched};

type Hook = Box<dyn Fn(&PanicHookInfo<'_>) + Sync + Send>;

/// The hook of all trials that run at the moment.
static WATCH_HOOK: Mutex<WatchHook> = Mutex::new(WatchHook { trials: 0, installed: None });

struct WatchHook {
    trials: usize,
    installed: Option<InstalledHook>,
}

struct InstalledHook {
    previous: Arc<Hook>,
    /// Identifies the hook, which others may cover or replace meanwhile.
    address: usize,
}

/// Makes watches work, until it is dropped: then the hook before it is put back.
///
/// Several at once share one hook. A panic that is not watched goes to the hook before it, and so
/// does every panic if that hook cannot be put back, because another one covers it.
#[derive(Debug)]
pub struct WatchesPanics(());

impl WatchesPanics {
    pub fn begin() -> Self {
        let mut hook = WATCH_HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        hook.trials += 1;
        // The hook of a thread that panics cannot be changed.
        if hook.trials == 1 && !thread::panicking() {
            hook.install();
        }
        Self(())
    }
}

impl Drop for WatchesPanics {
    fn drop(&mut self) {
        let mut hook = WATCH_HOOK.lock().unwrap_or_else(PoisonError::into_inner);
        hook.trials -= 1;
        if hook.trials == 0 && !thread::panicking() {
            hook.put_back();
        }
    }
}

impl WatchHook {
    fn install(&mut self) {
        let current = panic::take_hook();
        if self.installed.as_ref().is_some_and(|hook| hook.address == address(&current)) {
            return panic::set_hook(current);
        }
        let previous = Arc::new(current);
        let passed = previous.clone();
        let hook: Hook = Box::new(move |info| {
            if !is_watched(info) {
                passed(info);
            }
        });
        self.installed = Some(InstalledHook { previous, address: address(&hook) });
        panic::set_hook(hook);
    }

    fn put_back(&mut self) {
        let Some(installed) = self.installed.take() else { return };
        let current = panic::take_hook();
        if installed.address != address(&current) {
            return panic::set_hook(current);
        }
        drop(current);
        if let Ok(previous) = Arc::try_unwrap(installed.previous) {
            panic::set_hook(previous);
        }
    }
}

fn address(hook: &Hook) -> usize {
    std::ptr::from_ref(&**hook).cast::<()>() as usize
}

impl PanicWatch {
    /// Takes the place of the last panic: file, line and column.
    pub fn take_place(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
