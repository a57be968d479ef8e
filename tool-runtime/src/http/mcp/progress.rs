//! The progress of a call, sent to the client that asked for it.

use std::future::pending;

use futures::FutureExt;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::watch;

use crate::{ProgressUpdate, ToolCall};

/// The reports of one call. A slow client misses reports, but not the newest one.
pub(super) struct ProgressReports(Option<Reports>);

struct Reports {
    token: ProgressToken,
    newest: watch::Receiver<Option<ProgressUpdate>>,
    is_open: bool,
    /// The progress that was sent last: it never falls, as the protocol requires.
    sent: f64,
}

impl ProgressReports {
    /// Listens to a call, if the client asks for its progress.
    pub(super) fn of(call: &ToolCall, request: &RequestContext<RoleServer>) -> Self {
        let Some(token) = request.meta.get_progress_token() else { return Self(None) };
        let (report, newest) = watch::channel(None);
        call.on_progress(move |update| drop(report.send_replace(Some(update))));
        Self(Some(Reports { token, newest, is_open: true, sent: 0.0 }))
    }

    /// Waits for the next report; forever if there will be none.
    pub(super) async fn next(&mut self) {
        match &mut self.0 {
            Some(reports) if reports.is_open => {
                if reports.newest.changed().await.is_err() {
                    reports.is_open = false;
                    pending::<()>().await;
                }
            }
            Some(_) | None => pending().await,
        }
    }

    /// Sends the newest report.
    pub(super) async fn send(&mut self, client: &Peer<RoleServer>) {
        let Some(reports) = &mut self.0 else { return };
        let Some(notification) = reports.notification() else { return };
        reports.is_open = client.notify_progress(notification).await.is_ok();
    }

    /// Sends a report that came as the call ended.
    pub(super) async fn send_last(&mut self, client: &Peer<RoleServer>) {
        let has_news = |reports: &mut Reports| {
            reports.is_open && matches!(reports.newest.changed().now_or_never(), Some(Ok(())))
        };
        if self.0.as_mut().is_some_and(has_news) {
            self.send(client).await;
        }
    }
}

impl Reports {
    fn notification(&mut self) -> Option<ProgressNotificationParam> {
        let update = self.newest.borrow_and_update().clone()?;
        let notification = match update.fraction {
            Some(fraction) => {
                self.sent = self.sent.max(fraction);
                ProgressNotificationParam::new(self.token.clone(), self.sent).with_total(1.0)
            }
            None => {
                self.sent += 1.0;
                ProgressNotificationParam::new(self.token.clone(), self.sent)
            }
        };
        let message = update.message;
        Some(if message.is_empty() { notification } else { notification.with_message(message) })
    }
}
