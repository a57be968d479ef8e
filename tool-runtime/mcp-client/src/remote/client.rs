//! The client side of one connection: progress of calls, changes of the list, and requests of the
//! server, which are declined.

use std::collections::HashMap;
use std::future::{Future, ready};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ErrorCode, ErrorData, Implementation,
    ProgressNotificationParam, ProgressToken,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use tokio::sync::Notify;
use tool_runtime_core::tool::Progress;

use super::findings::clean_text;

/// The most characters of a message about progress.
const MAX_MESSAGE: usize = 500;

/// The state that a connection shares with the calls that it carries.
#[derive(Debug, Default)]
pub(super) struct ClientState {
    listeners: Mutex<HashMap<ProgressToken, Progress>>,
    list_changed: Notify,
}

/// Handles the messages of a server. It offers no capability: it gives the server neither roots nor
/// samples of a model, and declines elicitations.
#[derive(Debug, Clone)]
pub(super) struct RemoteClient(pub(super) Arc<ClientState>);

/// Passes the progress of one call on, until it is dropped.
pub(super) struct ProgressListener {
    state: Arc<ClientState>,
    token: ProgressToken,
}

impl ClientState {
    pub(super) fn listen(self: &Arc<Self>, token: ProgressToken, to: Progress) -> ProgressListener {
        self.lock().insert(token.clone(), to);
        ProgressListener { state: Arc::clone(self), token }
    }

    /// Waits until the server says that its list of tools has changed. Cancel-safe; changes before
    /// the wait are one change.
    pub(super) async fn list_changed(&self) {
        self.list_changed.notified().await;
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ProgressToken, Progress>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, params: &ProgressNotificationParam) {
        let Some(listener) = self.lock().get(&params.progress_token).cloned() else { return };
        let total = params.total.filter(|total| *total > 0.0);
        let share = total.map(|total| params.progress / total).filter(|share| share.is_finite());
        let (clean, _) = clean_text(params.message.as_deref().unwrap_or_default());
        listener.report(share, clean.chars().take(MAX_MESSAGE).collect::<String>());
    }
}

impl Drop for ProgressListener {
    fn drop(&mut self) {
        self.state.lock().remove(&self.token);
    }
}

impl ClientHandler for RemoteClient {
    fn get_info(&self) -> ClientConfig {
        let client = Implementation::new("tool-runtime", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), client)
    }

    #[expect(deprecated, reason = "servers of older revisions may ask for roots")]
    fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<rmcp::model::ListRootsResult, ErrorData>> + Send + '_ {
        let declined = "this client has no roots";
        ready(Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, declined, None)))
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.0.report(&params);
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.0.list_changed.notify_one();
    }
}
