//! Opens connections: the transport, and the handshake of the newest or an older protocol version.

mod child;
mod events;
mod failure;
mod group;
mod http;
mod http_client;
mod lines;
mod message;
mod replies;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use rmcp::model::{ProtocolVersion, SubscriptionFilter};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService,
    RunningServiceCancellationToken, Subscription, serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::timeout;

pub(super) use self::child::ServerCommand;
use self::child::ServerProcess;
pub(super) use self::failure::{TransportFailure, server_text, transport_failure};
pub(super) use self::http::HttpEndpoint;
use self::lines::LineTransport;
pub(super) use self::message::result_text;
use super::client::{ClientState, RemoteClient};
use super::error::{RemoteError, RemoteErrorKind};
use super::limits::RemoteLimits;
use super::status::RemoteServer;

/// Reads and writes the messages of a server.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// Opens a stream of bytes to a server.
pub(super) type OpenStream =
    Arc<dyn Fn() -> BoxFuture<'static, std::io::Result<Box<dyn ByteStream>>> + Send + Sync>;

/// The way in which a server is reached.
#[derive(Clone)]
pub(super) enum RemoteEndpoint {
    Command(ServerCommand),
    Http(HttpEndpoint),
    Stream(OpenStream),
}

/// The revisions of the protocol that a connection may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RemoteProtocol {
    /// The newest that the server has: 2026-07-28, or 2025-11-25 and older.
    #[default]
    Automatic,
    /// 2026-07-28 only, without a session.
    Stateless,
    /// 2025-11-25 and older, with the handshake `initialize`.
    Session,
}

/// The settings of a connection.
pub(super) struct ConnectOptions<'s> {
    pub(super) endpoint: &'s RemoteEndpoint,
    pub(super) protocol: RemoteProtocol,
    pub(super) patience: Duration,
    pub(super) limits: RemoteLimits,
    /// The prefix of the tools, which names the server in the log.
    pub(super) name: &'s str,
}

/// An open connection.
pub(super) struct Connection {
    pub(super) peer: Peer<RoleClient>,
    pub(super) state: Arc<ClientState>,
    pub(super) server: RemoteServer,
    /// The subscription that was made before the tools were listed, so that no change is missed.
    pub(super) subscription: Option<Subscription>,
    ended: watch::Receiver<bool>,
    cancel: CancelOnDrop,
    process: Option<ServerProcess>,
}

/// Ends the service of a connection when it is dropped.
struct CancelOnDrop(Option<RunningServiceCancellationToken>);

impl ConnectOptions<'_> {
    /// Opens a connection.
    ///
    /// A server that does not understand the question for the newest revision is asked for an older
    /// one: on the same transport if it answers with an error, else on a new one, since some servers
    /// end a connection on an unknown first message.
    pub(super) async fn connect(&self) -> Result<Connection, RemoteError> {
        let opened = timeout(self.patience, async {
            let mut modes = lifecycles(self.protocol).into_iter();
            let Some(mut mode) = modes.next() else {
                return Err(RemoteError::setting("no revision of the protocol is selected"));
            };
            // The answer to the first attempt is the reason, unless a later one says more.
            let mut reason: Option<AttemptError> = None;
            loop {
                let error = match self.attempt(mode).await {
                    Ok(connection) => return Ok(connection),
                    Err(error) => error,
                };
                let may_be_protocol = error.is_about_protocol;
                let reason = match reason.take() {
                    Some(known) if known.detail >= error.detail => reason.insert(known),
                    Some(_) | None => reason.insert(error),
                };
                match modes.next() {
                    Some(next) if may_be_protocol => mode = next,
                    Some(_) | None => return Err(reason.error.clone()),
                }
            }
        });
        let too_slow = |_| {
            let seconds = self.patience.as_secs_f32();
            let message = format!("the server did not answer within {seconds} seconds");
            Err(RemoteError::new(RemoteErrorKind::Timeout, message))
        };
        opened.await.unwrap_or_else(too_slow)
    }

    async fn attempt(&self, mode: ClientLifecycleMode) -> Result<Connection, AttemptError> {
        let state = Arc::new(ClientState::default());
        let client = RemoteClient(Arc::clone(&state));
        let (running, process) = match self.endpoint {
            RemoteEndpoint::Command(command) => {
                let (process, reader, writer) = command.spawn(self.name)?;
                let transport = LineTransport::new(reader, writer, self.limits);
                match handshake(client, transport, mode).await {
                    Ok(running) => (running, Some(process)),
                    Err(error) => return Err(process.ended_early(handshake_error(&error)).await),
                }
            }
            RemoteEndpoint::Http(endpoint) => {
                let transport = endpoint.transport(self.limits)?;
                let running = handshake(client, transport, mode).await;
                (running.map_err(|error| handshake_error(&error))?, None)
            }
            RemoteEndpoint::Stream(open) => {
                let stream = open().await.map_err(|error| cannot_open(&error))?;
                let (reader, writer) = tokio::io::split(stream);
                let transport = LineTransport::new(reader, writer, self.limits);
                let running = handshake(client, transport, mode).await;
                (running.map_err(|error| handshake_error(&error))?, None)
            }
        };
        let connection = Connection::new(running, state, process);
        let Err(unknown) = check_revision(connection.server.protocol()) else {
            return Ok(connection);
        };
        connection.close().await;
        Err(unknown.into())
    }
}

/// Returns an error for a revision of the protocol that this client does not have.
fn check_revision(chosen: &str) -> Result<(), RemoteError> {
    let known_versions = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str);
    if known_versions.clone().any(|known_versions| known_versions == chosen) {
        return Ok(());
    }
    let message = format!(
        "the server has chosen revision `{}` of the protocol; this client has {}",
        server_text(chosen),
        known_versions.collect::<Vec<_>>().join(", ")
    );
    Err(RemoteError::new(RemoteErrorKind::Protocol, message))
}

impl Connection {
    fn new(
        running: RunningService<RoleClient, RemoteClient>,
        state: Arc<ClientState>,
        process: Option<ServerProcess>,
    ) -> Self {
        let peer = running.peer().clone();
        let server = RemoteServer::from_info(peer.peer_info().as_deref());
        let cancel = CancelOnDrop(Some(running.cancellation_token()));
        let (end, ended) = watch::channel(false);
        tokio::spawn(async move {
            drop(running.waiting().await);
            end.send_replace(true);
        });
        Self { peer, state, server, subscription: None, ended, cancel, process }
    }

    /// Waits until the connection ends by itself. Cancel-safe.
    pub(super) async fn ended(&self) {
        wait_for_end(self.ended.clone()).await;
    }

    /// Returns whether the revision has subscriptions and the server announces changes.
    pub(super) fn offers_subscriptions(&self) -> bool {
        self.server.announces_changes() && self.server.has_subscriptions()
    }

    /// Subscribes to changes of the list of tools; none if the server refuses it, or does not answer in
    /// time.
    pub(super) async fn subscribe(&self) -> Option<Subscription> {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        timeout(SUBSCRIBE, self.peer.listen(filter)).await.ok()?.ok()
    }

    /// Closes the connection, and ends the server's process if there is one.
    pub(super) async fn close(self) {
        let Self { ended, cancel, process, .. } = self;
        drop(cancel);
        // One that does not end in time is left to its task.
        let _ = timeout(CLOSE, wait_for_end(ended)).await;
        if let Some(mut process) = process {
            process.end().await;
        }
    }
}

/// The time in which a server acknowledges a subscription.
const SUBSCRIBE: Duration = Duration::from_secs(5);

/// The time in which a connection is closed.
const CLOSE: Duration = Duration::from_secs(3);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(token) = self.0.take() {
            token.cancel();
        }
    }
}

/// Makes the handshake. Boxed, since the compiler cannot show otherwise that it may change its thread.
fn handshake<T>(
    client: RemoteClient,
    transport: T,
    mode: ClientLifecycleMode,
) -> BoxFuture<'static, Result<RunningService<RoleClient, RemoteClient>, ClientInitializeError>>
where
    T: Transport<RoleClient> + 'static,
{
    Box::pin(serve_client_with_lifecycle(client, transport, mode))
}

/// Waits for the end of a connection, whose task drops the sender.
async fn wait_for_end(mut ended: watch::Receiver<bool>) {
    while !*ended.borrow_and_update() && ended.changed().await.is_ok() {}
}

/// An attempt to connect that failed.
struct AttemptError {
    error: RemoteError,
    /// True if another revision of the protocol may succeed.
    is_about_protocol: bool,
    detail: ErrorDetail,
}

/// The detail in which an error says why an attempt failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ErrorDetail {
    /// The connection ended.
    Ended,
    /// The server refused, maybe only the revision that was tried.
    Refused,
    /// The reason holds for every revision.
    Reason,
}

impl From<RemoteError> for AttemptError {
    fn from(error: RemoteError) -> Self {
        Self { error, is_about_protocol: false, detail: ErrorDetail::Reason }
    }
}

fn lifecycles(protocol: RemoteProtocol) -> Vec<ClientLifecycleMode> {
    let newest = || vec![ProtocolVersion::V_2026_07_28];
    let stateless = || ClientLifecycleMode::Discover { preferred_versions: newest() };
    match protocol {
        RemoteProtocol::Automatic => vec![
            ClientLifecycleMode::Auto {
                preferred_versions: newest(),
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            ClientLifecycleMode::Initialize,
            stateless(),
        ],
        RemoteProtocol::Stateless => vec![stateless()],
        RemoteProtocol::Session => vec![ClientLifecycleMode::Initialize],
    }
}

fn cannot_open(error: &std::io::Error) -> RemoteError {
    let message = format!("the stream to the server cannot be opened: {error}");
    RemoteError::new(RemoteErrorKind::Connection, message)
}

fn handshake_error(error: &ClientInitializeError) -> AttemptError {
    use ClientInitializeError as Cause;
    let protocol = |message: &str, detail: ErrorDetail| AttemptError {
        error: RemoteError::new(RemoteErrorKind::Protocol, message),
        is_about_protocol: true,
        detail,
    };
    let failed = |failure: TransportFailure| AttemptError {
        is_about_protocol: failure.may_be_protocol(),
        detail: if failure == TransportFailure::Lost {
            ErrorDetail::Ended
        } else {
            ErrorDetail::Reason
        },
        error: failure.into(),
    };
    match error {
        Cause::TransportError { error, .. } => failed(transport_failure(error)),
        Cause::LegacyFallbackFailed { fallback, .. } => handshake_error(fallback),
        Cause::ConnectionClosed(_) => AttemptError {
            error: RemoteError::new(
                RemoteErrorKind::Connection,
                "the server ended the connection before it was set up",
            ),
            is_about_protocol: true,
            detail: ErrorDetail::Ended,
        },
        Cause::JsonRpcError(error) => {
            if let Some(failure) = TransportFailure::from_error(error) {
                return failed(failure);
            }
            let text = server_text(&error.message);
            let message = format!("the server refused to connect: {text} ({})", error.code.0);
            protocol(&message, ErrorDetail::Refused)
        }
        Cause::NoCompatibleProtocolVersion { .. } => {
            let message = "the client and the server have no protocol version in common";
            protocol(message, ErrorDetail::Refused)
        }
        _ => {
            let message = "the response of the server violates the protocol";
            protocol(message, ErrorDetail::Refused)
        }
    }
}

impl fmt::Debug for RemoteEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(command) => command.fmt(f),
            Self::Http(endpoint) => endpoint.fmt(f),
            Self::Stream(_) => f.write_str("Stream"),
        }
    }
}
