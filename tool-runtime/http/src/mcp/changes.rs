//! Tells clients that the list of the tools has changed.

use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tool_runtime_core::ToolSubscription;

use super::transport::Transport;
use crate::state::app::{App, SharedApp};

/// Tells a client with a session of changes, until the session ends.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeNotifier(Arc<OnceLock<NotifierTask>>);

#[derive(Debug)]
struct NotifierTask(AbortHandle);

/// The changes of the tools from one moment on; those between two waits are one.
struct Changes {
    _subscription: ToolSubscription,
    version: watch::Receiver<u64>,
}

impl ChangeNotifier {
    /// Starts to send this client notifications of changes, once.
    pub(super) fn start(&self, app: &SharedApp, client: Peer<RoleServer>) {
        let mut changes = Changes::new(app);
        self.0.get_or_init(|| {
            let task = tokio::spawn(async move {
                while changes.next().await && client.notify_tool_list_changed().await.is_ok() {}
            });
            NotifierTask(task.abort_handle())
        });
    }
}

impl Drop for NotifierTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Tells a subscribed client of changes, until it ends the subscription or leaves, or the server is about
/// to stop.
pub(super) async fn listen(app: &App, transport: &Transport, subscription: &SubscriptionContext) {
    let mut changes = Changes::new(app);
    loop {
        tokio::select! {
            () = subscription.cancelled() => return,
            () = app.config.drain.begun() => return,
            () = transport.client_left() => return,
            is_changed = changes.next() => {
                if !is_changed || subscription.sink().notify_tool_list_changed().await.is_err() {
                    return;
                }
            }
        }
    }
}

impl Changes {
    fn new(app: &App) -> Self {
        let (changed, version) = watch::channel(0);
        let subscription = app.runtime.tools().subscribe(move |tools| {
            changed.send_if_modified(|known| {
                let is_newer = *known < tools.version();
                *known = (*known).max(tools.version());
                is_newer
            });
        });
        Self { _subscription: subscription, version }
    }

    /// Waits for the next change; false if there will be none.
    async fn next(&mut self) -> bool {
        self.version.changed().await.is_ok()
    }
}
