//! The host's handle of a remote server.

use std::ffi::OsString;
use std::fmt;
use std::future::Future;
use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot, watch};
use tool_runtime_core::runtime::Runtime;
use tool_runtime_schema::canonical::Digest;

use super::builder::RemoteBuilder;
use super::connect::{ByteStream, HttpEndpoint, RemoteEndpoint, ServerCommand};
use super::error::RemoteError;
use super::settings::RemoteSettings;
use super::status::RemoteStatus;
use super::supervisor::{Command, Reply, SharedStatus, Supervisor};

/// The most requests of the host that wait for the task of the server.
const MAX_COMMANDS: usize = 32;

/// A server of the Model Context Protocol whose tools are tools of a runtime. A handle: cloning it is
/// cheap.
///
/// The tools are registered as `prefix.tool`, and behave like any other: arguments are checked before
/// anything is sent, deadlines, approval, policies and records apply. The connection is kept, and
/// made again when it is lost. When the last handle is dropped, it is closed, and the tools are
/// removed from the runtime.
///
/// # Trust
/// The definitions of the tools are texts of another party that models read:
/// - **They are pinned.** A [lock](RemoteBuilder::lock) has the title, the description, the schemas
///   and the annotations of each tool. A tool that its server changes is disabled until the new
///   definition is [accepted](Self::accept), also while the program runs. While there is no lock, the
///   tools that the server lists first are accepted: review the file that this writes.
/// - **Annotations are claims**, and decide nothing. The host says what each tool does
///   ([`RemoteBuilder::effect`]); what it does not say counts as `destructive` and `open_world`, so
///   that a person approves each call.
/// - **Suspicious texts are reported** as [`RemoteFinding`](super::RemoteFinding)s, and models read
///   none of their invisible characters.
/// - **The server gets nothing from the host** but the calls: neither roots nor samples of a model,
///   and elicitations are declined.
///
/// The protocol has no idempotency keys and no dry runs: a dry run of a write sends nothing.
///
/// # Examples
/// ```no_run
/// use tool_runtime::mcp;
/// use tool_runtime::prelude::*;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().build()?;
/// let remote = mcp::Remote::command("npx", ["-y", "@modelcontextprotocol/server-everything"])
///     .prefix("everything")
///     .lock("everything.lock.json")
///     .effect("echo", Effect::Read)
///     .on_event(|event| eprintln!("everything: {event}"))
///     .connect(&runtime)
///     .await?;
///
/// let cx = ToolContext::local();
/// let mut call = runtime.call("everything.echo", r#"{"message":"tea"}"#, &cx);
/// println!("{:?}", call.execute().await.data_json());
///
/// for tool in &remote.status().tools {
///     println!("{tool}"); // a changed one with its differences
/// }
/// remote.accept("echo").await?;
/// # Ok(())
/// # }
/// ```
///
/// A server on the network:
/// ```no_run
/// use tool_runtime::mcp::Remote;
/// use tool_runtime::prelude::*;
///
/// # async fn example(runtime: Runtime, token: String) -> Result<(), Box<dyn std::error::Error>> {
/// let remote = Remote::http("https://tools.example.com/mcp")
///     .bearer_token(token)
///     .prefix("crm")
///     .lock("crm.lock.json")
///     .effect("find_customer", Effect::Read)
///     .connect(&runtime)
///     .await?;
/// # drop(remote);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "the connection is closed when the last handle is dropped"]
pub struct Remote {
    shared: Arc<RemoteShared>,
}

struct RemoteShared {
    prefix: String,
    shared_status: Arc<SharedStatus>,
    commands: mpsc::Sender<Command>,
    close: watch::Sender<bool>,
}

impl Remote {
    /// Describes a server that is a program, which is started and uses its standard streams.
    ///
    /// The program gets a few variables of the host's environment, such as `PATH` and `HOME`, and
    /// those of [`env`](RemoteBuilder::env); what it writes to its standard error stream is logged.
    pub fn command<P, A>(program: P, arguments: A) -> RemoteBuilder
    where
        P: Into<OsString>,
        A: IntoIterator,
        A::Item: Into<OsString>,
    {
        let arguments = arguments.into_iter().map(Into::into).collect();
        RemoteBuilder::new(RemoteEndpoint::Command(ServerCommand::new(program.into(), arguments)))
    }

    /// Describes a server on the network: `http://` or `https://`, over streamable HTTP. Redirects
    /// are not followed.
    pub fn http(url: impl Into<String>) -> RemoteBuilder {
        RemoteBuilder::new(RemoteEndpoint::Http(HttpEndpoint::new(url.into())))
    }

    /// Describes a server on a stream of bytes, such as a Unix socket or a pipe in the process. The
    /// function opens it, for each connection again.
    pub fn stream<F, R, S>(open: F) -> RemoteBuilder
    where
        F: Fn() -> R + Send + Sync + 'static,
        R: Future<Output = io::Result<S>> + Send + 'static,
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        RemoteBuilder::new(RemoteEndpoint::Stream(Arc::new(move || {
            let opened = open();
            Box::pin(async move { Ok(Box::new(opened.await?) as Box<dyn ByteStream>) })
        })))
    }

    /// Returns the prefix of the tools' names.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.shared.prefix
    }

    /// Returns the state of the connection, the tools and the findings as they are now.
    #[must_use]
    pub fn status(&self) -> Arc<RemoteStatus> {
        self.shared.shared_status.read()
    }

    /// Accepts the definition of a tool that the server lists now, stores it in the lock, and makes
    /// the tool available.
    ///
    /// The name is the server's. Accepting a tool that the server does not list any more forgets it.
    ///
    /// # Errors
    /// [`UnknownTool`](super::RemoteErrorKind::UnknownTool),
    /// [`Refused`](super::RemoteErrorKind::Refused) for a tool that cannot be used,
    /// [`Lock`](super::RemoteErrorKind::Lock) if the lock cannot be written, and
    /// [`Setting`](super::RemoteErrorKind::Setting) if it is frozen; nothing is accepted then.
    pub async fn accept(&self, tool: &str) -> Result<(), RemoteError> {
        let tool = tool.to_owned();
        self.command_task(|reply| Command::Accept { tool, expected: None, reply }).await
    }

    /// Accepts a definition that a person has seen: the one with this
    /// [hash](super::RemoteTool::digest).
    ///
    /// # Errors
    /// As [`accept`](Self::accept), and [`Refused`](super::RemoteErrorKind::Refused) if the server
    /// lists another definition by now.
    pub async fn accept_digest(&self, tool: &str, digest: Digest) -> Result<(), RemoteError> {
        let tool = tool.to_owned();
        self.command_task(|reply| Command::Accept { tool, expected: Some(digest), reply }).await
    }

    /// Accepts all changed, new and vanished tools.
    ///
    /// # Errors
    /// As [`accept`](Self::accept); nothing is accepted then.
    pub async fn accept_all(&self) -> Result<(), RemoteError> {
        self.command_task(Command::AcceptAll).await
    }

    /// Reads the server's tools and the lock again, and compares them.
    ///
    /// Without a connection the next attempt to connect begins, and this returns an error.
    ///
    /// # Errors
    /// The tools or the lock cannot be read, or there is no connection.
    pub async fn refresh(&self) -> Result<(), RemoteError> {
        self.command_task(Command::Refresh).await
    }

    /// Closes the connection, ends the server's process, and removes the tools from the runtime.
    ///
    /// Calls that wait for their answer fail. Closing again does nothing.
    pub async fn close(&self) {
        // An error says that it is closed.
        drop(self.command_task(Command::Close).await);
    }

    async fn command_task(
        &self,
        command: impl FnOnce(Reply) -> Command,
    ) -> Result<(), RemoteError> {
        let (reply, answer) = oneshot::channel();
        let done = match self.shared.commands.send(command(reply)).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(RemoteError::closed())),
            Err(_) => Err(RemoteError::closed()),
        };
        done.map_err(|error| error.with_server(&self.shared.prefix))
    }

    /// Connects, and keeps the connection in a task.
    pub(super) async fn connect(
        settings: RemoteSettings,
        runtime: &Runtime,
    ) -> Result<Self, RemoteError> {
        let (remote, mut supervisor) = Self::prepare(settings, runtime);
        let first = supervisor.connect().await;
        let first = first.map_err(|error| error.with_server(&remote.shared.prefix))?;
        tokio::spawn(supervisor.run(Some(first)));
        Ok(remote)
    }

    /// Connects in a task, as often as it takes.
    pub(super) fn start(settings: RemoteSettings, runtime: &Runtime) -> Self {
        let (remote, supervisor) = Self::prepare(settings, runtime);
        tokio::spawn(supervisor.run(None));
        remote
    }

    fn prepare(settings: RemoteSettings, runtime: &Runtime) -> (Self, Supervisor) {
        let shared_status = Arc::new(SharedStatus::default());
        let (close, closed) = watch::channel(false);
        let (commands, received) = mpsc::channel(MAX_COMMANDS);
        let prefix = settings.prefix().to_owned();
        let shared =
            RemoteShared { prefix, shared_status: Arc::clone(&shared_status), commands, close };
        let supervisor = Supervisor::new(settings, runtime, shared_status, closed, received);
        (Self { shared: Arc::new(shared) }, supervisor)
    }
}

impl Drop for RemoteShared {
    fn drop(&mut self) {
        self.close.send_replace(true);
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote").field("prefix", &self.shared.prefix).finish_non_exhaustive()
    }
}
