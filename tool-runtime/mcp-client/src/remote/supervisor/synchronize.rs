//! Brings the runtime up to date with the server's list of tools and with the lock.

use std::sync::Arc;

use rmcp::service::{Peer, RoleClient};
use tool_runtime_schema::canonical::Digest;

use super::Supervisor;
use crate::remote::directory::{Before, Pinning, Registrar};
use crate::remote::error::RemoteError;
use crate::remote::listing::list_tools;
use crate::remote::lock::McpLockMode;
use crate::remote::status::{RemoteEvent, RemoteStatus};

impl Supervisor {
    /// Accepts tools as the server lists them, stores the lock, and registers them.
    pub(super) async fn accept(
        &mut self,
        tools: &[String],
        expected: Option<&Digest>,
    ) -> Result<(), RemoteError> {
        if self.settings.lock_mode == McpLockMode::Frozen {
            return Err(RemoteError::setting("the lock is frozen by `MCP_LOCK=frozen`"));
        }
        let before = self.directory.before();
        let pins = self.directory.pins_before();
        let accepted = tools.iter().try_for_each(|tool| self.directory.accept(tool, expected));
        let stored = match accepted {
            Ok(()) => self.settings.lock.write(self.directory.pins()).await,
            Err(error) => Err(error),
        };
        if stored.is_err() {
            self.directory.restore_pins(pins);
        }
        self.directory.compare(&self.settings, Pinning::Never);
        self.register();
        self.announce(&before);
        stored
    }

    /// Reads the tools of the server and the lock, and brings the runtime up to date with both.
    pub(super) async fn synchronize(
        &mut self,
        peer: &Peer<RoleClient>,
        pinning: Pinning,
    ) -> Result<(), RemoteError> {
        let settings = Arc::clone(&self.settings);
        let listing = list_tools(peer, settings.limits, settings.patience).await?;
        let left_out = listing.left_out;
        let before = self.directory.before();
        let read = settings.lock.read().await;
        let read = match read {
            Ok(pins) => pins,
            // Without its lock no tool is trusted that was not trusted before.
            Err(error) if self.was_connected => {
                settings.emit(&RemoteEvent::Failed { reason: error.to_string() });
                None
            }
            Err(error) => return Err(error),
        };
        self.directory.take_pins(read);
        self.directory.observe(listing, &settings);
        let pins = self.directory.pins_before();
        let mut stored = Ok(());
        if self.directory.compare(&settings, pinning) && settings.lock_mode != McpLockMode::Frozen {
            stored = settings.lock.write(self.directory.pins()).await;
            if stored.is_err() {
                self.directory.restore_pins(pins);
                // The next attempt is a first one again.
                if !self.was_connected {
                    return stored;
                }
                self.directory.compare(&settings, Pinning::Never);
            }
        }
        self.register();
        self.announce(&before);
        for reason in left_out.reasons(settings.limits) {
            settings.emit(&RemoteEvent::Failed { reason });
        }
        if before.is_empty() {
            self.report_unlisted();
        }
        stored
    }

    /// Reports settings for tools that the server does not have, since their names may be misspelt.
    fn report_unlisted(&self) {
        let tools = self.directory.tools();
        for name in self.settings.claims.named() {
            if tools.iter().all(|tool| tool.name != *name) {
                let reason =
                    format!("the host has settings for `{name}`, which the server does not list");
                self.settings.emit(&RemoteEvent::Failed { reason });
            }
        }
    }

    fn register(&mut self) {
        let Some(runtime) = self.runtime.upgrade() else { return };
        let registrar =
            Registrar { runtime: &runtime, settings: &self.settings, sender: &self.sender };
        self.directory.register(&registrar);
    }

    fn announce(&self, before: &Before) {
        self.publish();
        for event in self.directory.events_since(before) {
            self.settings.emit(&event);
        }
    }

    pub(super) fn publish(&self) {
        self.shared_status.publish(RemoteStatus {
            connection: self.state,
            server: self.server.clone(),
            tools: self.directory.tools(),
            findings: self.directory.findings(),
        });
    }
}
