//! The progress of a call, sent to the client that asked for it.

use std::convert::Infallible;
use std::future::pending;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestMetaObject};
use rmcp::service::Peer;
use tokio::sync::mpsc;
use tool_runtime_core::{ProgressUpdate, ToolCall};

/// The most reports that wait for a slow client; it misses further ones.
const WAITING: usize = 64;

/// The whole of a progress that a tool reports as a share.
const TOTAL: f64 = 100.0;

/// The reports of one call.
pub(super) struct ProgressReports(Option<ClientReports>);

struct ClientReports {
    token: ProgressToken,
    updates: mpsc::Receiver<ProgressUpdate>,
    /// The progress that was sent last: it never falls, as the protocol requires.
    sent: f64,
}

impl ProgressReports {
    /// Listens to a call: for the client, if it asks for the progress, and for another listener.
    pub(super) fn new(
        call: &ToolCall,
        meta: &RequestMetaObject,
        listen: impl Fn(&ProgressUpdate) + Send + Sync + 'static,
    ) -> Self {
        let Some(token) = meta.get_progress_token() else {
            call.on_progress(move |update| listen(&update));
            return Self(None);
        };
        let (report, updates) = mpsc::channel(WAITING);
        call.on_progress(move |update| {
            listen(&update);
            let _ = report.try_send(update);
        });
        Self(Some(ClientReports { token, updates, sent: 0.0 }))
    }

    /// Sends the reports, for as long as this is polled.
    pub(super) async fn send_all(&mut self, client: &Peer<RoleServer>) -> Infallible {
        if let Some(reports) = &mut self.0 {
            while let Some(update) = reports.updates.recv().await {
                if !reports.send(update, client).await {
                    break;
                }
            }
        }
        pending().await
    }

    /// Sends the reports that are left when the call has ended.
    pub(super) async fn send_rest(&mut self, client: &Peer<RoleServer>) {
        let Some(reports) = &mut self.0 else { return };
        while let Ok(update) = reports.updates.try_recv() {
            if !reports.send(update, client).await {
                return;
            }
        }
    }
}

impl ClientReports {
    /// Sends a report; false if the client has disconnected.
    async fn send(&mut self, update: ProgressUpdate, client: &Peer<RoleServer>) -> bool {
        let notification = self.notification(update);
        client.notify_progress(notification).await.is_ok()
    }

    fn notification(&mut self, update: ProgressUpdate) -> ProgressNotificationParam {
        let token = self.token.clone();
        let notification = if let Some(fraction) = update.fraction {
            self.sent = self.sent.max(fraction * TOTAL);
            ProgressNotificationParam::new(token, self.sent).with_total(TOTAL)
        } else {
            self.sent += 1.0;
            ProgressNotificationParam::new(token, self.sent)
        };
        let message = update.message;
        if message.is_empty() { notification } else { notification.with_message(message) }
    }
}
