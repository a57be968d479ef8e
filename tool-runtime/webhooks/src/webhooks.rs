//! The webhooks of a runtime.

use std::fmt;
use std::sync::Arc;

use tool_runtime_core::Runtime;
use tool_runtime_core::policy::EventReceiver;

use super::receiver::{Endpoint, WebhookReceiver};
use super::sender::WebhookSender;

/// Webhooks: their receivers, and the sender that delivers events to them.
///
/// # Examples
/// ```
/// use tool_runtime::Runtime;
/// use tool_runtime::policy::{KeyRing, Policy};
/// use tool_runtime::webhooks::{WebhookReceiver, Webhooks};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// let receiver = WebhookReceiver::new("ops", "https://ops.example/hooks", secret);
/// let webhooks = Webhooks::new([receiver])?;
///
/// // Events are stored by each runtime that has the receivers, and delivered by each that starts a sender.
/// let policy = Policy::new().ticket_keys(KeyRing::ephemeral()?).event_receivers(webhooks.receivers());
/// let runtime = Runtime::builder().policy(policy).build()?;
/// let sender = webhooks.start(&runtime);
/// // … until the program ends:
/// sender.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Webhooks {
    receivers: Vec<EventReceiver>,
    endpoints: Vec<Arc<Endpoint>>,
}

/// Settings of receivers that are not valid. Its text names each with its cure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidWebhooks {
    /// One line for each fault.
    pub faults: Vec<String>,
}

impl fmt::Display for InvalidWebhooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.faults.join("\n"))
    }
}

impl std::error::Error for InvalidWebhooks {}

impl Webhooks {
    /// Creates the webhooks of these receivers.
    ///
    /// # Errors
    /// Returns the faults of all receivers: a URL without TLS, with credentials or with a private address; a secret
    /// that is none of Standard Webhooks.
    pub fn new(
        receivers: impl IntoIterator<Item = WebhookReceiver>,
    ) -> Result<Self, InvalidWebhooks> {
        let (mut endpoints, mut faults) = (Vec::new(), Vec::new());
        let receivers = receivers.into_iter().map(|receiver| {
            match receiver.endpoint() {
                Ok(endpoint) => endpoints.push(Arc::new(endpoint)),
                Err(more) => faults.extend(more.into_iter().map(|fault| {
                    format!("the receiver of webhooks `{}`: {fault}", receiver.events.name())
                })),
            }
            receiver.events
        });
        let receivers = receivers.collect();
        if faults.is_empty() {
            Ok(Self { receivers, endpoints })
        } else {
            Err(InvalidWebhooks { faults })
        }
    }

    /// Returns the receivers of events, for [`Policy::event_receivers`].
    ///
    /// [`Policy::event_receivers`]: tool_runtime_core::policy::Policy::event_receivers
    #[must_use]
    pub fn receivers(&self) -> Vec<EventReceiver> {
        self.receivers.clone()
    }

    /// Starts a sender in the background. Any number of processes may run one: an event is delivered by one of them.
    ///
    /// # Panics
    /// Panics outside of a tokio runtime.
    #[must_use = "the sender stops when it is dropped"]
    pub fn start(&self, runtime: &Runtime) -> WebhookSender {
        WebhookSender::start(runtime, &self.endpoints)
    }
}
