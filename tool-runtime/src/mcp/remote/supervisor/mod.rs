//! Keeps a connection to a server, and the runtime's tools as the server lists them and the lock
//! allows: one task a server.

mod subscription;
mod synchronize;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::service::{Peer, RoleClient};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep};

use self::subscription::{ChangeSubscription, SubscriptionEvent};
use super::call::{Caller, Link};
use super::connect::Connection;
use super::directory::{Directory, Pinning};
use super::error::{RemoteError, RemoteErrorKind};
use super::settings::{ReconnectDelays, Settings};
use super::status::{RemoteConnection, RemoteEvent, RemoteServer, RemoteStatus};
use crate::canonical::Digest;
use crate::runtime::{Runtime, WeakRuntime};

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
pub(super) struct StatusBoard(Mutex<Arc<RemoteStatus>>);

/// Keeps the connection to one server.
pub(super) struct Supervisor {
    settings: Arc<Settings>,
    runtime: WeakRuntime,
    caller: Arc<Caller>,
    directory: Directory,
    board: Arc<StatusBoard>,
    server: Option<RemoteServer>,
    state: RemoteConnection,
    was_connected: bool,
    closed: CloseSignal,
    commands: mpsc::Receiver<Command>,
    delays: ReconnectDelays,
    connected_at: Option<Instant>,
}

/// The host's wish that the task ends, which its last handle makes when it is dropped.
#[derive(Clone)]
struct CloseSignal(watch::Receiver<bool>);

/// The reason for which the task of a connection wakes.
enum Wake {
    Left(Left),
    Command(Command),
    /// The server, a call or the clock asks for the list of tools.
    List,
    Subscribe,
}

/// The reason why a connection ends.
enum Left {
    Lost(RemoteError),
    Closed(Option<Reply>),
}

impl CloseSignal {
    /// Waits until the host closes the connection. Cancel-safe.
    async fn closed(&mut self) {
        // The sender is only dropped with the last handle.
        while !*self.0.borrow_and_update() && self.0.changed().await.is_ok() {}
    }
}

impl StatusBoard {
    pub(super) fn read(&self) -> Arc<RemoteStatus> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn publish(&self, status: RemoteStatus) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(status);
    }
}

impl Supervisor {
    pub(super) fn new(
        settings: Settings,
        runtime: &Runtime,
        board: Arc<StatusBoard>,
        closed: watch::Receiver<bool>,
        commands: mpsc::Receiver<Command>,
    ) -> Self {
        let (caller, delays) = (Caller::new(settings.limits), settings.reconnect.delays());
        Self {
            settings: Arc::new(settings),
            runtime: runtime.downgrade(),
            caller: Arc::new(caller),
            directory: Directory::default(),
            board,
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
        let link = Link { peer: connection.peer.clone(), state: connection.state.clone() };
        self.caller.use_link(Some(link));
        if let Err(error) = self.synchronize(&connection.peer, pinning).await {
            self.caller.use_link(None);
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
            let subscription = ChangeSubscription::of(&mut current, self.settings.reconnect);
            let left = self.serve(&current, subscription).await;
            self.caller.use_link(None);
            match left {
                Left::Closed(reply) => {
                    self.leave();
                    current.close().await;
                    break reply;
                }
                Left::Lost(error) => {
                    delay = self.lose(&error);
                    current.close().await;
                }
            }
        };
        self.leave();
        self.settings.emit(&RemoteEvent::Closed);
        if let Some(reply) = reply {
            // A host that does not wait any more needs no answer.
            drop(reply.send(Ok(())));
        }
    }

    /// Announces that the connection was lost, and returns the delay before the next attempt.
    fn lose(&mut self, error: &RemoteError) -> Option<Duration> {
        // The delays of a server that ends at once go on growing.
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
    fn leave(&mut self) {
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
    ) -> Left {
        let period = self.settings.refresh_every.unwrap_or(FAR);
        let mut refresh = interval_at(Instant::now() + period, period);
        refresh.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let wake = self.wake(connection, &mut subscription, &mut refresh).await;
            let listed = match wake {
                Wake::Left(left) => return left,
                Wake::Command(command) => {
                    match self.obey(command, Some(connection.peer.clone())).await {
                        Ok(()) => continue,
                        Err(error) => return Left::Lost(error),
                    }
                }
                Wake::List => self.list_again(connection).await,
                Wake::Subscribe => {
                    let mut closed = self.closed.clone();
                    tokio::select! {
                        biased;
                        () = closed.closed() => return Left::Closed(None),
                        () = subscription.subscribe(connection) => {}
                    }
                    // A change may have been missed, and the server may be gone.
                    self.list_again(connection).await
                }
            };
            if let Err(left) = listed {
                return left;
            }
        }
    }

    /// Waits for the next thing to do.
    async fn wake(
        &mut self,
        connection: &Connection,
        subscription: &mut ChangeSubscription,
        refresh: &mut Interval,
    ) -> Wake {
        tokio::select! {
            biased;
            () = self.closed.closed() => Wake::Left(Left::Closed(None)),
            () = connection.ended() => Wake::Left(Left::Lost(ended())),
            command = self.commands.recv() => match command {
                None => Wake::Left(Left::Closed(None)),
                Some(Command::Close(reply)) => Wake::Left(Left::Closed(Some(reply))),
                Some(command) => Wake::Command(command),
            },
            () = connection.state.list_changed() => Wake::List,
            event = subscription.next() => match event {
                SubscriptionEvent::Changed => Wake::List,
                SubscriptionEvent::Due => Wake::Subscribe,
            },
            () = self.caller.doubted() => Wake::List,
            _ = refresh.tick() => Wake::List,
        }
    }

    /// Lists the tools again, at most a few times a second.
    async fn list_again(&mut self, connection: &Connection) -> Result<(), Left> {
        if self.runtime.upgrade().is_none() {
            return Err(Left::Closed(None));
        }
        let mut closed = self.closed.clone();
        let synchronized = tokio::select! {
            biased;
            () = closed.closed() => return Err(Left::Closed(None)),
            synchronized = self.synchronize(&connection.peer, Pinning::New) => synchronized,
        };
        if let Err(error) = synchronized {
            if is_lost(&error) {
                return Err(Left::Lost(error));
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
                Err(error) => delay = self.lose(&error),
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
                // Without a connection nothing can fail that loses it.
                Some(command) => drop(self.obey(command, None).await),
            }
        }
    }

    /// Does what the host asks for. An error is one of the connection.
    async fn obey(
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
