//! The subscription to changes of a server's tools, which is made again after growing delays when the
//! server refuses or ends it.

use rmcp::service::Subscription;
use tokio::time::{Instant, sleep_until};

use crate::remote::connect::Connection;
use crate::remote::settings::{ReconnectDelays, ReconnectSettings};

/// The subscription of one connection.
pub(super) struct ChangeSubscription {
    state: SubscriptionState,
    settings: ReconnectSettings,
    delays: ReconnectDelays,
}

enum SubscriptionState {
    /// The server has no subscriptions, or announces no changes.
    NotOffered,
    Open {
        subscription: Box<Subscription>,
        since: Instant,
    },
    Ended {
        retry_at: Instant,
    },
}

/// The next thing to do about a subscription.
pub(super) enum SubscriptionEvent {
    /// The server announced a change: its tools have to be listed.
    Changed,
    /// The delay is over: [`ChangeSubscription::subscribe`] has to be called.
    Due,
}

impl ChangeSubscription {
    /// Takes over the subscription that was made before the tools were listed. The delays are those
    /// between attempts to connect, without an end to their number.
    pub(super) fn new(connection: &mut Connection, settings: ReconnectSettings) -> Self {
        let settings = ReconnectSettings { max_attempts: None, ..settings };
        let mut this =
            Self { state: SubscriptionState::NotOffered, settings, delays: settings.delays() };
        if connection.offers_subscriptions() {
            this.set(connection.subscription.take());
        }
        this
    }

    /// Waits for the next event; without subscriptions, for ever. Cancel-safe.
    pub(super) async fn next(&mut self) -> SubscriptionEvent {
        loop {
            match &mut self.state {
                SubscriptionState::NotOffered => std::future::pending().await,
                SubscriptionState::Open { subscription, since } => {
                    if let Ok(Some(_)) = subscription.next().await {
                        return SubscriptionEvent::Changed;
                    }
                    // The delays of a server that ends each subscription at once go on growing.
                    if since.elapsed() >= self.settings.longest {
                        self.delays = self.settings.delays();
                    }
                    self.set(None);
                }
                SubscriptionState::Ended { retry_at } => {
                    sleep_until(*retry_at).await;
                    return SubscriptionEvent::Due;
                }
            }
        }
    }

    /// Subscribes again. If this is dropped before it ends, the subscription is due again.
    pub(super) async fn subscribe(&mut self, connection: &Connection) {
        let subscription = connection.subscribe().await;
        self.set(subscription);
    }

    fn set(&mut self, subscription: Option<Subscription>) {
        let now = Instant::now();
        self.state = if let Some(subscription) = subscription {
            SubscriptionState::Open { subscription: Box::new(subscription), since: now }
        } else {
            let delay = self.delays.next().unwrap_or(self.settings.longest);
            SubscriptionState::Ended { retry_at: now + delay }
        };
    }
}
