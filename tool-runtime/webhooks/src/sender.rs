//! Delivers events: leases them, sends them, and settles each attempt.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::join_all;
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, RETRY_AFTER};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::sleep;
use tool_runtime_core::Runtime;
use tool_runtime_core::log::log_event;
use tool_runtime_core::policy::EventDelivery;
use tool_runtime_core::store::{DeadReason, StoreError};

use super::receiver::Endpoint;

/// The most requests to one receiver at a time, and the most events that it has leased.
const MAX_REQUESTS: usize = 4;

/// The delay after which the store is asked for events of other processes, and for those that are due again.
const POLL_DELAY: Duration = Duration::from_secs(1);

/// The time for which an event is leased beyond the receiver's timeout: to settle it.
const SETTLE_TIME: Duration = Duration::from_secs(30);

/// The longest delay that a receiver may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// A sender of webhooks in the background; [`Webhooks::start`](super::Webhooks::start) returns it.
///
/// When it is dropped, it leases no more events.
#[derive(Debug)]
pub struct WebhookSender {
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

/// The sender to one receiver.
struct EndpointSender {
    runtime: Runtime,
    endpoint: Arc<Endpoint>,
}

/// The result of a request.
enum DeliveryResult {
    Delivered,
    Gone,
    Failed { log: String, retry_after: Option<Duration> },
}

impl WebhookSender {
    pub(crate) fn start(runtime: &Runtime, endpoints: &[Arc<Endpoint>]) -> Self {
        let (stop, stopped) = watch::channel(false);
        let start = |endpoint: &Arc<Endpoint>| {
            let (runtime, endpoint) = (runtime.clone(), endpoint.clone());
            tokio::spawn(Arc::new(EndpointSender { runtime, endpoint }).run(stopped.clone()))
        };
        let tasks = endpoints.iter().map(start).collect();
        Self { stop, tasks }
    }

    /// Leases no more events, and waits until the requests that run have ended and are settled. What is not delivered
    /// stays in the store.
    pub async fn shutdown(self) {
        let _ = self.stop.send(true);
        join_all(self.tasks).await;
    }
}

impl EndpointSender {
    async fn run(self: Arc<Self>, mut stopped: watch::Receiver<bool>) {
        // Tasks of their own, so that a slow store delays none of them.
        let mut attempts = JoinSet::new();
        while !*stopped.borrow() {
            // Created before the lease, so that an event that is stored meanwhile is not missed.
            let stored_event = self.runtime.events().stored();
            let free_slots = MAX_REQUESTS - attempts.len();
            if free_slots > 0 {
                for event in self.lease(free_slots).await {
                    attempts.spawn(self.clone().attempt(event));
                }
            }
            tokio::select! {
                biased;
                _ = stopped.changed() => break,
                Some(_) = attempts.join_next() => {}
                () = stored_event, if attempts.len() < MAX_REQUESTS => {}
                () = sleep(POLL_DELAY) => {}
            }
        }
        while attempts.join_next().await.is_some() {}
    }

    /// Leases events; none if the store fails.
    async fn lease(&self, limit: usize) -> Vec<EventDelivery> {
        let Endpoint { name, timeout, .. } = &*self.endpoint;
        let leased = self.runtime.events().lease(name, *timeout + SETTLE_TIME, limit).await;
        leased.unwrap_or_else(|error| {
            log_event!(warn, target: "tool_runtime::webhooks", receiver = %name, %error,
                "the events of a receiver cannot be read from the store; they are asked for again");
            Vec::new()
        })
    }

    /// Sends an event, and settles the attempt.
    async fn attempt(self: Arc<Self>, event: EventDelivery) {
        let settled = match self.send(&event).await {
            DeliveryResult::Delivered => self.runtime.events().delivered(&event).await,
            DeliveryResult::Gone => self.give_up(&event, DeadReason::Gone, "status 410").await,
            DeliveryResult::Failed { log, retry_after } => {
                self.retry(&event, &log, retry_after).await
            }
        };
        if let Err(error) = settled {
            let (receiver, id) = (&self.endpoint.name, event.id);
            log_event!(warn, target: "tool_runtime::webhooks", %receiver, %id, %error,
                "an attempt was not settled: the event is sent again when its lease ends");
        }
    }

    async fn send(&self, event: &EventDelivery) -> DeliveryResult {
        let endpoint = &*self.endpoint;
        let id = event.id.to_string();
        let timestamp = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let signatures = endpoint.secrets.iter().map(|it| it.sign(&id, timestamp, &event.body));
        let signatures = signatures.collect::<Vec<_>>().join(" ");
        let request = endpoint
            .client
            .post(endpoint.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures)
            .body(event.body.clone());
        match request.send().await {
            Ok(response) if response.status().is_success() => DeliveryResult::Delivered,
            Ok(response) if response.status() == StatusCode::GONE => DeliveryResult::Gone,
            Ok(response) => {
                let retry_after = response.headers().get(RETRY_AFTER).and_then(|header| {
                    let seconds = header.to_str().ok()?.parse().ok()?;
                    Some(Duration::from_secs(seconds).min(MAX_RETRY_AFTER))
                });
                DeliveryResult::Failed { log: format!("status {}", response.status()), retry_after }
            }
            // The query of the URL may contain a credential.
            Err(error) => {
                DeliveryResult::Failed { log: causes(&error.without_url()), retry_after: None }
            }
        }
    }

    /// Makes a failed event due again, or gives it up after its last attempt.
    async fn retry(
        &self,
        event: &EventDelivery,
        log: &str,
        retry_after: Option<Duration>,
    ) -> Result<bool, StoreError> {
        let failures = usize::try_from(event.failures).unwrap_or(usize::MAX);
        let Some(delay) = self.endpoint.retry_delays.get(failures) else {
            return self.give_up(event, DeadReason::AttemptsExhausted, log).await;
        };
        let delay = extended_at_random(*delay).max(retry_after.unwrap_or_default());
        let (receiver, id, failures) = (&self.endpoint.name, event.id, event.failures);
        log_event!(info, target: "tool_runtime::webhooks", %receiver, %id, failures, cause = %log,
            delay_ms = delay.as_millis(), "a webhook failed and is sent again");
        self.runtime.events().retry(event, delay).await
    }

    async fn give_up(
        &self,
        event: &EventDelivery,
        reason: DeadReason,
        log: &str,
    ) -> Result<bool, StoreError> {
        let (receiver, id, failures) = (&self.endpoint.name, event.id, event.failures);
        log_event!(warn, target: "tool_runtime::webhooks", %receiver, %id, failures, cause = %log,
            reason = reason.as_str(), "the delivery of a webhook has ended; it is listed as undelivered");
        self.runtime.events().give_up(event, reason).await
    }
}

/// Extends a delay by up to a fifth, so that events that failed together are not sent together.
fn extended_at_random(delay: Duration) -> Duration {
    let mut byte = [0];
    // Without random bytes the delay is not extended.
    let _ = getrandom::fill(&mut byte);
    delay.saturating_add(delay / 5 * u32::from(byte[0]) / 255)
}

/// Joins the texts of an error and its sources.
fn causes(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(Some(error), |error| error.source());
    sources.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
