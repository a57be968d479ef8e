//! The settings of a remote server, once they are checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};
use tool_contracts::{Effect, ToolkitSpec};
use tool_runtime_core::log::log_event;
use tool_runtime_core::tool::catch_panic;

use super::connect::{ConnectOptions, RemoteEndpoint, RemoteProtocol};
use super::limits::RemoteLimits;
use super::lock::{LockStore, McpLockMode};
use super::spending::ToolMarks;
use super::status::RemoteEvent;

/// Selects what happens to a tool that is not in the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum NewTools {
    /// While there is no lock, the tools that the server lists are accepted, and pinned. A tool that
    /// is listed later waits until it is accepted.
    #[default]
    PinFirst,
    /// Every new tool is accepted, and pinned, also later. Changes still have to be accepted.
    Pin,
    /// No tool is accepted by itself: all have to be in the lock.
    Refuse,
}

/// The host's listener for events.
pub(super) type Listener = Arc<dyn Fn(&RemoteEvent) + Send + Sync>;

/// The delays between attempts to connect.
pub(super) type ReconnectDelays = <ExponentialBuilder as backon::BackoffBuilder>::Backoff;

/// The settings of a remote server.
pub(super) struct RemoteSettings {
    pub(super) toolkit: ToolkitSpec,
    pub(super) endpoint: RemoteEndpoint,
    pub(super) protocol: RemoteProtocol,
    pub(super) lock: LockStore,
    pub(super) lock_mode: McpLockMode,
    pub(super) new_tools: NewTools,
    /// The tools that are used; all without it.
    pub(super) only: Option<BTreeSet<String>>,
    pub(super) claims: HostToolSettings,
    pub(super) call_timeout: Option<Duration>,
    pub(super) patience: Duration,
    pub(super) refresh_every: Option<Duration>,
    pub(super) reconnect: ReconnectSettings,
    pub(super) limits: RemoteLimits,
    pub(super) listener: Option<Listener>,
}

/// The host's settings of the tools; without one, the most dangerous value holds.
#[derive(Debug, Clone, Default)]
pub(super) struct HostToolSettings {
    pub(super) effects: BTreeMap<String, Effect>,
    pub(super) open_world: BTreeMap<String, bool>,
    pub(super) idempotent: BTreeMap<String, bool>,
    pub(super) spending: BTreeMap<String, ToolMarks>,
}

/// The delays between attempts to connect, and their number.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReconnectSettings {
    pub(super) first: Duration,
    pub(super) longest: Duration,
    pub(super) max_attempts: Option<usize>,
}

impl RemoteSettings {
    /// Returns the prefix of the tools' names.
    pub(super) fn prefix(&self) -> &str {
        self.toolkit.name()
    }

    pub(super) fn connect_options(&self) -> ConnectOptions<'_> {
        ConnectOptions {
            endpoint: &self.endpoint,
            protocol: self.protocol,
            patience: self.patience,
            limits: self.limits,
            name: self.prefix(),
        }
    }

    /// Logs an event, and passes it to the host's listener.
    pub(super) fn emit(&self, event: &RemoteEvent) {
        match event {
            RemoteEvent::Connected(_) | RemoteEvent::Available { .. } | RemoteEvent::Closed => {
                self.log_success(event);
            }
            RemoteEvent::Disconnected { .. }
            | RemoteEvent::Disabled { .. }
            | RemoteEvent::Finding(_)
            | RemoteEvent::Failed { .. } => self.log_warning(event),
        }
        if let Some(listener) = &self.listener {
            // A panic of the host's code must not end the connection.
            drop(catch_panic(|| listener(event)));
        }
    }
}

impl RemoteSettings {
    fn log_success(&self, event: &RemoteEvent) {
        log_event!(info, server = %self.prefix(), event = %event, "remote MCP server event");
    }

    fn log_warning(&self, event: &RemoteEvent) {
        log_event!(warn, server = %self.prefix(), event = %event, "remote MCP server event");
    }
}

impl HostToolSettings {
    pub(super) fn effect(&self, tool: &str) -> Effect {
        // The server's annotations are only claims. A tool of which the host says nothing is
        // destructive, so that a person approves each call.
        self.effects.get(tool).copied().unwrap_or(Effect::Destructive)
    }

    pub(super) fn is_open_world(&self, tool: &str) -> bool {
        self.open_world.get(tool).copied().unwrap_or(true)
    }

    pub(super) fn is_idempotent(&self, tool: &str) -> bool {
        self.idempotent.get(tool).copied().unwrap_or(false)
    }

    /// Lists the tools that the host has settings for.
    pub(super) fn named(&self) -> BTreeSet<&String> {
        let effects = self.effects.keys();
        let others = self.open_world.keys().chain(self.idempotent.keys());
        effects.chain(others).chain(self.spending.keys()).collect()
    }
}

impl ReconnectSettings {
    /// The jitter adds up to the whole delay, so the delays grow to half of the longest one.
    pub(super) fn delays(self) -> ReconnectDelays {
        let half = self.longest / 2;
        let builder = ExponentialBuilder::new()
            .with_jitter()
            .with_factor(2.0)
            .with_min_delay(self.first.min(half))
            .with_max_delay(half);
        match self.max_attempts {
            Some(attempts) => builder.with_max_times(attempts).build(),
            None => builder.without_max_times().build(),
        }
    }
}

impl fmt::Debug for RemoteSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSettings")
            .field("prefix", &self.prefix())
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delays_between_attempts_grow_to_a_limit_and_end_only_if_their_number_is_set() {
        let (first, longest) = (Duration::from_millis(100), Duration::from_secs(2));
        let settings = ReconnectSettings { first, longest, max_attempts: None };
        let delays: Vec<_> = settings.delays().take(50).collect();
        assert_eq!(delays.len(), 50);
        assert!(delays.iter().all(|delay| (first..=longest).contains(delay)), "{delays:?}");
        assert!(delays[49] >= longest / 2 && delays[0] < 2 * first, "{delays:?}");
        let few = ReconnectSettings { max_attempts: Some(3), ..settings };
        assert_eq!(few.delays().count(), 3);
    }

    #[test]
    fn a_tool_without_host_settings_is_the_most_dangerous() {
        let claims = HostToolSettings::default();
        assert_eq!(claims.effect("x"), Effect::Destructive);
        assert!(claims.is_open_world("x") && !claims.is_idempotent("x"));
    }
}
