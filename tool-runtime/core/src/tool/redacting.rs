//! Redacts a call's arguments: small ones where the call runs, large ones on a thread that may block.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::channel::oneshot;
use tool_runtime_schema::schema::Validator;

use super::CallScope;
use super::panic_guard::catch_panic;

/// Up to this size, in bytes, redacting costs less than moving to another thread.
const INLINE: usize = 4 * 1024;

/// The longest wait for large arguments.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The most large arguments that are redacted at once, in the whole process.
const MAX_JOBS: usize = 8;

static JOBS: AtomicUsize = AtomicUsize::new(0);

/// Gives the arguments as a record may keep them; none if they are not JSON.
///
/// `redact` takes the most bytes of free text to search. Large arguments are redacted on a blocking
/// thread, at most until the call's deadline. Without a free thread or enough time, only the first
/// bytes of free text are searched and the rest is left out, so that a record is always written.
pub async fn redacted<F>(scope: &CallScope, redact: F) -> Option<String>
where
    F: Fn(&CallScope, usize) -> Option<String> + Clone + Send + 'static,
{
    if scope.arguments().len() <= INLINE {
        return redact(scope, INLINE);
    }
    let limit = scope.budget().min(MAX_WAIT);
    let aside = scope.environment().within(limit, on_a_blocking_thread(scope, redact.clone()));
    match aside.await {
        Some(Ok(redacted)) => redacted,
        Some(Err(NotRedacted)) | None => redact(scope, INLINE),
    }
}

/// All permits are taken, there is no executor, or the work panicked.
struct NotRedacted;

async fn on_a_blocking_thread<F>(
    scope: &CallScope,
    redact: F,
) -> Result<Option<String>, NotRedacted>
where
    F: Fn(&CallScope, usize) -> Option<String> + Send + 'static,
{
    let timer = scope.environment().timer();
    let permit = RedactionPermit::take().filter(|_| timer.is_ready()).ok_or(NotRedacted)?;
    let (done, result) = oneshot::channel();
    let scope = scope.clone();
    let job = Box::new(move || {
        let _permit = permit;
        if let Ok(redacted) = catch_panic(|| redact(&scope, Validator::FREE_TEXT_BYTES)) {
            drop(done.send(redacted));
        }
    });
    catch_panic(|| timer.spawn_blocking(job)).map_err(|_| NotRedacted)?;
    result.await.map_err(|_| NotRedacted)
}

/// One of a bounded number of jobs; given back when dropped.
struct RedactionPermit;

impl RedactionPermit {
    fn take() -> Option<Self> {
        let free = |now: usize| (now < MAX_JOBS).then_some(now + 1);
        JOBS.fetch_update(Ordering::AcqRel, Ordering::Acquire, free).ok().map(|_| Self)
    }
}

impl Drop for RedactionPermit {
    fn drop(&mut self) {
        JOBS.fetch_sub(1, Ordering::AcqRel);
    }
}
