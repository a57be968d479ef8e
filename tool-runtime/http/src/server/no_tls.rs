//! A stub of TLS without the feature `tls`: all connections are plain.

use tokio::sync::watch;

use super::connection::ShutdownStage;
use super::request_service::RequestService;
use super::socket::Socket;

/// No TLS.
#[derive(Clone, Default)]
pub(super) struct ServerTls {}

#[allow(clippy::unused_self, reason = "same signatures as with the feature")]
impl ServerTls {
    pub(super) fn is_set(&self) -> bool {
        false
    }

    /// Returns the connection as it is.
    #[allow(clippy::unused_async, reason = "same signature as with the feature")]
    pub(super) async fn open(
        self,
        socket: Socket,
        _: &RequestService,
        _: &mut watch::Receiver<ShutdownStage>,
    ) -> Option<Socket> {
        Some(socket)
    }
}
