//! The progress of a call, sent to the client that asked for it.

use std::future::pending;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken, RequestMetaObject};
use rmcp::service::Peer;
use tokio::sync::mpsc;

use crate::{ProgressUpdate, ToolCall};

/// The most reports that wait for a slow client; it misses further ones.
const WAITING: usize = 64;

/// The whole of a progress that a tool reports as a share.
const TOTAL: f64 = 100.0;

/// The reports of one call.
pub(super) struct ProgressReports(Option<Reports>);

struct Reports {
    token: ProgressToken,
    updates: mpsc::Receiver<ProgressUpdate>,
    is_open: bool,
    /// The progress that was sent last: it never falls, as the protocol requires.
    sent: f64,
}

impl ProgressReports {
    /// Listens to a call, if the client asks for its progress.
    pub(super) fn of(call: &ToolCall, meta: &RequestMetaObject) -> Self {
        let Some(token) = meta.get_progress_token() else { return Self(None) };
        let (report, updates) = mpsc::channel(WAITING);
        call.on_progress(move |update| drop(report.try_send(update)));
        Self(Some(Reports { token, updates, is_open: true, sent: 0.0 }))
    }

    /// Waits for the next report; forever if there will be none.
    pub(super) async fn next(&mut self) -> ProgressUpdate {
        match &mut self.0 {
            Some(reports) if reports.is_open => match reports.updates.recv().await {
                Some(update) => update,
                None => pending().await,
            },
            Some(_) | None => pending().await,
        }
    }

    /// Sends a report.
    pub(super) async fn send(&mut self, update: ProgressUpdate, client: &Peer<RoleServer>) {
        let Some(reports) = &mut self.0 else { return };
        let notification = reports.notification(update);
        reports.is_open = client.notify_progress(notification).await.is_ok();
    }

    /// Sends the reports that are left when the call has ended.
    pub(super) async fn send_rest(&mut self, client: &Peer<RoleServer>) {
        while let Some(update) = self.0.as_mut().and_then(|it| it.updates.try_recv().ok()) {
            self.send(update, client).await;
        }
    }
}

impl Reports {
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
