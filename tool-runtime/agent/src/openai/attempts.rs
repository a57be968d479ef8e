//! Repeats an attempt that failed, first with one model and then with the fallback model.

use std::future::Future;
use std::time::{Duration, Instant};

use super::builder::OpenAiSettings;
use crate::error::{AgentError, AgentErrorReason};

/// An attempt that failed.
#[derive(Debug)]
pub(super) struct FailedAttempt {
    pub(super) error: AgentError,
    /// True if the same request may succeed later.
    pub(super) may_retry: bool,
    /// The delay that the server advises.
    pub(super) advice: Option<Duration>,
}

impl FailedAttempt {
    /// Says that the attempt must not be repeated, because a part of the answer was shown.
    pub(super) fn shown(self) -> Self {
        Self { may_retry: false, ..self }
    }

    /// Returns whether another model may answer the same request.
    fn may_fall_back(&self) -> bool {
        self.may_retry || self.error.reason() == Some(AgentErrorReason::NotFound)
    }
}

/// The model of an attempt.
#[derive(Debug)]
pub(super) struct AttemptedModel {
    /// The name, as the server knows it.
    pub(super) name: String,
    /// True for the model that is asked after the first one has failed.
    pub(super) is_fallback: bool,
    /// The end of this model's time.
    pub(super) ends: Option<Instant>,
}

/// The part of the time that is kept for the fallback model: a third.
const FALLBACK_PART: u32 = 3;

/// Makes attempts until one succeeds. If there is a fallback model, the first one has two thirds of
/// the time.
///
/// # Errors
/// Returns the last failure, with the number of attempts and the model in its details.
pub(super) async fn with_retries<T, F>(
    settings: &OpenAiSettings,
    model: Option<&str>,
    ends: Option<Instant>,
    attempt: impl Fn(AttemptedModel) -> F,
) -> Result<T, AgentError>
where
    F: Future<Output = Result<T, FailedAttempt>>,
{
    let first = model.unwrap_or(&settings.model);
    let fallback = settings.fallback_model.as_deref().filter(|fallback| *fallback != first);
    let mut attempts = 0;
    let mut last = None;
    let first_ends = match fallback {
        Some(_) => ends.map(before_fallback),
        None => ends,
    };
    for (model, model_ends) in
        std::iter::once((first, first_ends)).chain(fallback.map(|it| (it, ends)))
    {
        let name = settings.prefix.apply(model);
        let mut delay = settings.first_delay;
        for number in 1..=settings.max_attempts {
            attempts += 1;
            let attempted = AttemptedModel {
                name: name.to_owned(),
                is_fallback: fallback == Some(model),
                ends: model_ends,
            };
            let failed = match attempt(attempted).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => failed,
            };
            let pause = failed.advice.unwrap_or_default().max(delay);
            let is_last = number == settings.max_attempts || !failed.may_retry;
            let is_late = model_ends.is_some_and(|ends| Instant::now() + pause >= ends);
            let falls_back =
                failed.may_fall_back() && ends.is_none_or(|ends| Instant::now() < ends);
            let error = failed.error.with_detail("model", model).with_detail("attempts", attempts);
            if !falls_back {
                return Err(error);
            }
            last = Some(error);
            if is_last || is_late {
                break;
            }
            tokio::time::sleep(pause).await;
            delay = delay.saturating_mul(2);
        }
    }
    Err(last.unwrap_or_else(|| super::endpoint::timed_out().error))
}

/// Returns the end of the first model's time.
fn before_fallback(ends: Instant) -> Instant {
    let left = ends.saturating_duration_since(Instant::now());
    ends.checked_sub(left / FALLBACK_PART).unwrap_or(ends)
}
