//! Keeps a connection to a server, and the runtime's tools as the server lists them and the lock
//! allows: one task a server.

mod subscription;
mod synchronize;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::service::{Peer, RoleClient};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};
use tool_runtime_core::runtime::{Runtime, WeakRuntime};
use tool_runtime_schema::canonical::Digest;

use self::subscription::{ChangeSubscription, SubscriptionEvent};
use super::call::{ActiveConnection, RemoteCallSender};
use super::connect::Connection;
use super::directory::{Directory, Pinning};
use super::error::{RemoteError, RemoteErrorKind};
use super::settings::{ReconnectDelays, RemoteSettings};
use super::status::{RemoteConnection, RemoteEvent, RemoteServer, RemoteStatus};

/// The shortest time between two lists that the server asks for.
const LIST_PAUSE: Duration = Duration::from_millis(200);

/// A request of the host.
pub(super) enum Command {
    Refresh(Reply),
    Accept { tool: String, expected: Option<Digest>, reply: Reply },
    AcceptAll(Reply),
    Close(Reply),
}

pub(super) type Reply = oneshot::Sender<Result<(), RemoteError>>;

/// The status that the task publishes, and hosts read.
#[derive(Debug, Default)]
pub(super) struct SharedStatus(Mutex<Arc<RemoteStatus>>);

/// Keeps the connection to one server.
pub(super) struct Supervisor {
    settings: Arc<RemoteSettings>,
    runtime: WeakRuntime,
    sender: Arc<RemoteCallSender>,
    directory: Directory,
    shared_status: Arc<SharedStatus>,
    server: Option<RemoteServer>,
    state: RemoteConnection,
    was_connected: bool,
    closed: CloseSignal,
    commands: mpsc::Receiver<Command>,
    delays: ReconnectDelays,
    connected_at: Option<Instant>,
}

/// Tells the task to end: set by the host, or when its last handle is dropped.
#[derive(Clone)]
struct CloseSignal(watch::Receiver<bool>);

/// An event that the task of a connection handles.
enum SupervisorEvent {
    Disconnected(DisconnectReason),
    Command(Command),
    /// The server, a call or the clock asks for the list of tools.
    List,
    Subscribe,
}

/// The reason why a connection ends.
enum DisconnectReason {
    Lost(RemoteError),
    Closed(Option<Reply>),
}

impl SupervisorEvent {
    fn closed(reply: Option<Reply>) -> Self {
        Self::Disconnected(DisconnectReason::Closed(reply))
    }

    fn lost(error: RemoteError) -> Self {
        Self::Disconnected(DisconnectReason::Lost(error))
    }
}

impl CloseSignal {
    /// Waits until the host closes the connection. Cancel-safe.
    async fn closed(&mut self) {
        // The sender is only dropped with the last handle.
        while !*self.0.borrow_and_update() && self.0.changed().await.is_ok() {}
    }
}

impl SharedStatus {
    pub(super) fn read(&self) -> Arc<RemoteStatus> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publish(&self, status: RemoteStatus) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(status);
    }
}

impl Supervisor {
    pub(super) fn new(
        settings: RemoteSettings,
        runtime: &Runtime,
        shared_status: Arc<SharedStatus>,
        closed: watch::Receiver<bool>,
        commands: mpsc::Receiver<Command>,
    ) -> Self {
        let (sender, delays) =
            (RemoteCallSender::new(settings.limits), settings.reconnect.delays());
        Self {
            settings: Arc::new(settings),
            runtime: runtime.downgrade(),
            sender: Arc::new(sender),
            directory: Directory::default(),
            shared_status,
            server: None,
            state: RemoteConnection::Connecting,
            was_connected: false,
            closed: CloseSignal(closed),
            commands,
            delays,
            connected_at: None,
        }
    }

    /// Connects once: opens a connection, reads the tools, compares them with the lock, and registers
    /// them.
    pub(super) async fn connect(&mut self) -> Result<Connection, RemoteError> {
        let settings = Arc::clone(&self.settings);
        let mut connection = settings.connect_options().connect().await?;
        if connection.offers_subscriptions() {
            connection.subscription = connection.subscribe().await;
        }
        self.server = Some(connection.server.clone());
        let pinning = if self.was_connected { Pinning::New } else { Pinning::All };
        // Before the tools can be called.
        let active =
            ActiveConnection { peer: connection.peer.clone(), state: connection.state.clone() };
        self.sender.set_connection(Some(active));
        if let Err(error) = self.synchronize(&connection.peer, pinning).await {
            self.sender.set_connection(None);
            connection.close().await;
            return Err(error);
        }
        (self.was_connected, self.state) = (true, RemoteConnection::Connected);
        self.connected_at = Some(Instant::now());
        self.publish();
        self.settings.emit(&RemoteEvent::Connected(connection.server.clone()));
        Ok(connection)
    }

    /// Keeps the connection until the host closes it, or the runtime is dropped.
    pub(super) async fn run(mut self, first: Option<Connection>) {
        let mut connection = first;
        let mut delay = Some(Duration::ZERO);
        let reply = loop {
            let mut current = match connection.take() {
                Some(connection) => connection,
                None => match self.reconnect(delay).await {
                    Ok(connection) => connection,
                    Err(reply) => break reply,
                },
            };
            let subscription = ChangeSubscription::new(&mut current, self.settings.reconnect);
            let reason = self.serve(&current, subscription).await;
            self.sender.set_connection(None);
            match reason {
                DisconnectReason::Closed(reply) => {
                    self.unregister_tools();
                    current.close().await;
                    break reply;
                }
                DisconnectReason::Lost(error) => {
                    delay = self.on_connection_lost(&error);
                    current.close().await;
                }
            }
        };
        self.unregister_tools();
        self.settings.emit(&RemoteEvent::Closed);
        if let Some(reply) = reply {
            // A host that does not wait any more needs no answer.
            drop(reply.send(Ok(())));
        }
    }

    /// Publishes that the connection was lost, and returns the delay before the next attempt.
    fn on_connection_lost(&mut self, error: &RemoteError) -> Option<Duration> {
        // The delays of a server that ends at once keep growing.
        let settings = self.settings.reconnect;
        if self.connected_at.take().is_some_and(|since| since.elapsed() >= settings.longest) {
            self.delays = settings.delays();
        }
        self.state = RemoteConnection::Reconnecting;
        self.publish();
        let (reason, retry_after) = (error.to_string(), self.delays.next());
        self.settings.emit(&RemoteEvent::Disconnected { reason, retry_after });
        retry_after
    }

    /// Removes the tools from the runtime.
    fn unregister_tools(&mut self) {
        match self.runtime.upgrade() {
            Some(runtime) => self.directory.unregister(&runtime),
            None => self.directory.revoke_all(),
        }
        self.state = RemoteConnection::Closed;
        self.publish();
    }

    /// Serves one connection until it ends.
    async fn serve(
        &mut self,
        connection: &Connection,
        mut subscription: ChangeSubscription,
    ) -> DisconnectReason {
        let period = self.settings.refresh_every.unwrap_or(FAR);
        let mut refresh = interval_at(Instant::now() + period, period);
        refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let event = self.next_event(connection, &mut subscription, &mut refresh).await;
            let list_result = match event {
                SupervisorEvent::Disconnected(reason) => return reason,
                SupervisorEvent::Command(command) => {
                    match self.handle_command(command, Some(connection.peer.clone())).await {
                        Ok(()) => continue,
                        Err(error) => return DisconnectReason::Lost(error),
                    }
                }
                SupervisorEvent::List => self.list_again(connection).await,
                SupervisorEvent::Subscribe => {
                    let mut closed = self.closed.clone();
                    tokio::select! {
                        biased;
                        () = closed.closed() => return DisconnectReason::Closed(None),
                        () = subscription.subscribe(connection) => {}
                    }
                    // A change may have been missed, and the server may be gone.
                    self.list_again(connection).await
                }
            };
            if let Err(reason) = list_result {
                return reason;
            }
        }
    }

    /// Waits for the next event.
    async fn next_event(
        &mut self,
        connection: &Connection,
        subscription: &mut ChangeSubscription,
        refresh: &mut Interval,
    ) -> SupervisorEvent {
        tokio::select! {
            biased;
            () = self.closed.closed() => SupervisorEvent::closed(None),
            () = connection.ended() => SupervisorEvent::lost(ended()),
            command = self.commands.recv() => match command {
                None => SupervisorEvent::closed(None),
                Some(Command::Close(reply)) => SupervisorEvent::closed(Some(reply)),
                Some(command) => SupervisorEvent::Command(command),
            },
            () = connection.state.list_changed() => SupervisorEvent::List,
            event = subscription.next() => match event {
                SubscriptionEvent::Changed => SupervisorEvent::List,
                SubscriptionEvent::Due => SupervisorEvent::Subscribe,
            },
            () = self.sender.connection_suspect() => SupervisorEvent::List,
            _ = refresh.tick() => SupervisorEvent::List,
        }
    }

    /// Lists the tools again, at most a few times a second.
    async fn list_again(&mut self, connection: &Connection) -> Result<(), DisconnectReason> {
        if self.runtime.upgrade().is_none() {
            return Err(DisconnectReason::Closed(None));
        }
        let mut closed = self.closed.clone();
        let synchronized = tokio::select! {
            biased;
            () = closed.closed() => return Err(DisconnectReason::Closed(None)),
            synchronized = self.synchronize(&connection.peer, Pinning::New) => synchronized,
        };
        if let Err(error) = synchronized {
            if is_lost(&error) {
                return Err(DisconnectReason::Lost(error));
            }
            self.settings.emit(&RemoteEvent::Failed { reason: error.to_string() });
        }
        sleep(LIST_PAUSE).await;
        Ok(())
    }

    /// Makes the next connection after a delay, as often as the host allows. An error has the reply to
    /// the host that closes.
    async fn reconnect(&mut self, delay: Option<Duration>) -> Result<Connection, Option<Reply>> {
        let mut delay = delay;
        loop {
            if delay.is_some() {
                self.idle(delay).await?;
            } else {
                self.give_up().await?;
            }
            if self.runtime.upgrade().is_none() {
                return Err(None);
            }
            let mut closed = self.closed.clone();
            let connected = tokio::select! {
                biased;
                () = closed.closed() => return Err(None),
                connected = self.connect() => connected,
            };
            match connected {
                Ok(connection) => return Ok(connection),
                Err(error) => delay = self.on_connection_lost(&error),
            }
        }
    }

    /// Disables the tools, and waits until the host refreshes.
    async fn give_up(&mut self) -> Result<(), Option<Reply>> {
        self.state = RemoteConnection::GivenUp;
        if let Some(runtime) = self.runtime.upgrade() {
            self.directory.disable_all(&runtime, "its server cannot be reached");
        }
        self.publish();
        self.idle(None).await?;
        self.delays = self.settings.reconnect.delays();
        self.state = RemoteConnection::Reconnecting;
        self.publish();
        Ok(())
    }

    /// Waits without a connection: for a time, or until the host refreshes.
    async fn idle(&mut self, time: Option<Duration>) -> Result<(), Option<Reply>> {
        let until = Instant::now() + time.unwrap_or(FAR);
        loop {
            let command = tokio::select! {
                biased;
                () = self.closed.closed() => return Err(None),
                command = self.commands.recv() => command,
                () = tokio::time::sleep_until(until), if time.is_some() => return Ok(()),
            };
            match command {
                None => return Err(None),
                Some(Command::Close(reply)) => return Err(Some(reply)),
                Some(Command::Refresh(reply)) => {
                    drop(reply.send(Err(RemoteError::new(
                        RemoteErrorKind::Connection,
                        "there is no connection to the server now; the next attempt begins",
                    ))));
                    return Ok(());
                }
                // There is no connection that this command could lose.
                Some(command) => drop(self.handle_command(command, None).await),
            }
        }
    }

    /// Runs a command of the host. An error means that the connection is lost.
    async fn handle_command(
        &mut self,
        command: Command,
        peer: Option<Peer<RoleClient>>,
    ) -> Result<(), RemoteError> {
        let is_connected = peer.is_some();
        let (reply, done) = match command {
            Command::Refresh(reply) => {
                let done = match peer {
                    Some(peer) => self.synchronize(&peer, Pinning::New).await,
                    None => Err(RemoteError::closed()),
                };
                (reply, done)
            }
            Command::Accept { tool, expected, reply } => {
                (reply, self.accept(&[tool], expected.as_ref()).await)
            }
            Command::AcceptAll(reply) => {
                let waiting = self.directory.waiting();
                (reply, self.accept(&waiting, None).await)
            }
            Command::Close(reply) => (reply, Ok(())),
        };
        let lost = match &done {
            Err(error) if is_connected && is_lost(error) => Err(error.clone()),
            Ok(()) | Err(_) => Ok(()),
        };
        // A host that does not wait any more needs no answer.
        drop(reply.send(done));
        lost
    }
}

/// Longer than any process runs, and short enough for every clock.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// Returns whether an error means that the connection does not work.
fn is_lost(error: &RemoteError) -> bool {
    matches!(
        error.kind(),
        RemoteErrorKind::Connection | RemoteErrorKind::Timeout | RemoteErrorKind::Unauthorized
    )
}

fn ended() -> RemoteError {
    RemoteError::new(RemoteErrorKind::Connection, "the server ended the connection")
}
