//! Describes a remote server.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tool_contracts::{Effect, ToolkitSpec};
use tool_runtime_core::runtime::Runtime;

use super::connect::{RemoteEndpoint, RemoteProtocol};
use super::error::RemoteError;
use super::handle::Remote;
use super::limits::RemoteLimits;
use super::lock::{LockStore, McpLockMode};
use super::settings::{HostToolSettings, Listener, NewTools, ReconnectSettings, RemoteSettings};
use super::spending::AmountArgument;
use super::status::RemoteEvent;

/// Describes a remote server, and connects it to a runtime; see [`Remote`].
///
/// `Debug` shows neither credentials nor arguments of a command.
#[must_use = "the server is connected by `connect` or `start`"]
pub struct RemoteBuilder {
    endpoint: RemoteEndpoint,
    prefix: Option<String>,
    description: Option<String>,
    protocol: RemoteProtocol,
    lock: Option<PathBuf>,
    new_tools: NewTools,
    only: Option<BTreeSet<String>>,
    claims: HostToolSettings,
    call_timeout: Option<Duration>,
    patience: Duration,
    refresh_every: Option<Duration>,
    reconnect: ReconnectSettings,
    limits: RemoteLimits,
    listener: Option<Listener>,
    /// The first setting that does not fit the kind of server.
    misfit: Option<&'static str>,
}

impl RemoteBuilder {
    pub(super) fn new(endpoint: RemoteEndpoint) -> Self {
        Self {
            endpoint,
            prefix: None,
            description: None,
            protocol: RemoteProtocol::default(),
            lock: None,
            new_tools: NewTools::default(),
            only: None,
            claims: HostToolSettings::default(),
            call_timeout: None,
            patience: Duration::from_secs(30),
            refresh_every: Some(Duration::from_secs(10 * 60)),
            reconnect: ReconnectSettings {
                first: Duration::from_millis(500),
                longest: Duration::from_secs(60),
                max_attempts: None,
            },
            limits: RemoteLimits::new(),
            listener: None,
            misfit: None,
        }
    }

    /// Sets the prefix of the tools' names, required: letters, digits, `_`, `.` and `-`.
    ///
    /// It is the name of their toolkit, to which permissions and rules apply. A tool is registered as
    /// `prefix.tool`; characters of the server's name that names do not have become underscores. Two
    /// names that become the same are reported, and one of the tools is left out.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// Describes the server's tools together, for models; the server's own description is not used.
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the file of the lock; without it the definitions are pinned in memory.
    ///
    /// Commit the file. It is read at each comparison, so a definition can be accepted by an edit: by
    /// its `sha256`. The environment variable `MCP_LOCK` overrides the host: `accept` accepts every
    /// tool as the server lists it at the first connection, and `frozen` writes nothing and admits no
    /// tool that is not in the lock. Each server has a lock of its own.
    pub fn lock(mut self, path: impl Into<PathBuf>) -> Self {
        self.lock = Some(path.into());
        self
    }

    /// Sets what happens to tools that are not in the lock. Default: [`NewTools::PinFirst`].
    pub fn new_tools(mut self, new_tools: NewTools) -> Self {
        self.new_tools = new_tools;
        self
    }

    /// Uses these tools only, by the server's names; others are neither registered nor pinned.
    pub fn only<T: Into<String>>(mut self, tools: impl IntoIterator<Item = T>) -> Self {
        self.only.get_or_insert_default().extend(tools.into_iter().map(Into::into));
        self
    }

    /// Sets what a call of a tool does, by the server's name of it. Default: `destructive`.
    ///
    /// The server's annotations are claims, which are pinned and decide nothing.
    pub fn effect(mut self, tool: impl Into<String>, effect: Effect) -> Self {
        self.claims.effects.insert(tool.into(), effect);
        self
    }

    /// Sets whether a tool accesses systems beyond its server. Default: true.
    pub fn open_world(mut self, tool: impl Into<String>, open_world: bool) -> Self {
        self.claims.open_world.insert(tool.into(), open_world);
        self
    }

    /// Sets whether repeating a call of a tool has no further effect. Default: false.
    pub fn idempotent(mut self, tool: impl Into<String>, idempotent: bool) -> Self {
        self.claims.idempotent.insert(tool.into(), idempotent);
        self
    }

    /// Says that an argument of a tool is the amount that a call spends, by the server's names of both; calls of it add
    /// up, and count for budgets.
    ///
    /// The call needs the argument then, whatever default the server's schema has for it. A tool without such an
    /// argument is not used.
    pub fn spends(
        mut self,
        tool: impl Into<String>,
        argument: impl Into<String>,
        amount: AmountArgument,
    ) -> Self {
        self.claims
            .spending
            .entry(tool.into())
            .or_default()
            .arguments
            .insert(argument.into(), amount);
        self
    }

    /// Sets what each call of a tool costs, such as `0.02 USD`, beside what its arguments say.
    pub fn cost(mut self, tool: impl Into<String>, cost: impl Into<String>) -> Self {
        self.claims.spending.entry(tool.into()).or_default().cost = Some(cost.into());
        self
    }

    /// Sets the deadline of the tools. Default: the runtime's timeout.
    pub fn call_timeout(mut self, timeout: Duration) -> Self {
        self.call_timeout = Some(timeout);
        self
    }

    /// Sets how long connecting may take, and listing the tools. Default: 30 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.patience = timeout;
        self
    }

    /// Sets how long the program may take to end after its input is closed: it is asked to end then, and
    /// killed after the same time again. Default: 3 seconds.
    ///
    /// A server of this library waits up to 10 seconds for writes that are running. A connection that was
    /// lost is made again after that.
    pub fn exit_timeout(mut self, timeout: Duration) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Command(command) => command.set_exit_timeout(timeout),
            RemoteEndpoint::Http(_) | RemoteEndpoint::Stream(_) => {
                self.misfit = Some("exit_timeout");
            }
        }
        self
    }

    /// Sets how often the tools are listed without an announcement of the server; never if it is
    /// `None`. Default: 10 minutes.
    pub fn refresh_every(mut self, period: Option<Duration>) -> Self {
        self.refresh_every = period.map(|period| period.max(Duration::from_secs(1)));
        self
    }

    /// Sets the delays between attempts to connect, and between attempts to subscribe to changes: the
    /// first, which is doubled for each further attempt, with a random share, up to the longest.
    /// Default: 500 milliseconds to a minute.
    pub fn reconnect_delays(mut self, first: Duration, longest: Duration) -> Self {
        let first = first.max(Duration::from_millis(1));
        (self.reconnect.first, self.reconnect.longest) = (first, longest.max(2 * first));
        self
    }

    /// Sets the number of attempts to connect again, after which the tools are disabled. Without it
    /// the attempts go on.
    pub fn max_reconnects(mut self, attempts: usize) -> Self {
        self.reconnect.max_attempts = Some(attempts);
        self
    }

    /// Sets the bounds on what the server may send.
    pub fn limits(mut self, limits: RemoteLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the revisions of the protocol. Default: the newest that the server has.
    pub fn protocol(mut self, protocol: RemoteProtocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Tells a function of each event. The log has the events too.
    ///
    /// It is called by the task of the server, so it must not block.
    pub fn on_event(mut self, listen: impl Fn(&RemoteEvent) + Send + Sync + 'static) -> Self {
        self.listener = Some(Arc::new(listen));
        self
    }

    /// Sets a variable of the program's environment.
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Command(command) => command.set_variable(name.into(), value.into()),
            RemoteEndpoint::Http(_) | RemoteEndpoint::Stream(_) => self.misfit = Some("env"),
        }
        self
    }

    /// Gives the program the whole environment of the host, with its credentials.
    pub fn inherit_env(mut self) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Command(command) => command.inherit_all(),
            RemoteEndpoint::Http(_) | RemoteEndpoint::Stream(_) => {
                self.misfit = Some("inherit_env");
            }
        }
        self
    }

    /// Sets the working directory of the program. Default: the host's.
    pub fn current_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Command(command) => command.set_folder(folder.into()),
            RemoteEndpoint::Http(_) | RemoteEndpoint::Stream(_) => {
                self.misfit = Some("current_dir");
            }
        }
        self
    }

    /// Adds a header to every request. It is never logged.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Http(endpoint) => endpoint.add_header(name.into(), value.into()),
            RemoteEndpoint::Command(_) | RemoteEndpoint::Stream(_) => self.misfit = Some("header"),
        }
        self
    }

    /// Sets the bearer token of every request, without the word `Bearer`. It is never logged.
    pub fn bearer_token(mut self, token: impl Into<String>) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Http(endpoint) => endpoint.set_token(token.into()),
            RemoteEndpoint::Command(_) | RemoteEndpoint::Stream(_) => {
                self.misfit = Some("bearer_token");
            }
        }
        self
    }

    /// Allows the token and the headers to be sent without TLS to another machine than this one.
    pub fn allow_plain_http(mut self) -> Self {
        match &mut self.endpoint {
            RemoteEndpoint::Http(endpoint) => endpoint.allow_plain_http(),
            RemoteEndpoint::Command(_) | RemoteEndpoint::Stream(_) => {
                self.misfit = Some("allow_plain_http");
            }
        }
        self
    }

    /// Connects to the server, compares its tools with the lock, and registers them in the runtime,
    /// which is running.
    ///
    /// It is called within a runtime of tokio, which keeps the connection in a task.
    ///
    /// # Errors
    /// A setting is missing or wrong, the server cannot be reached or does not speak the protocol, or
    /// the lock cannot be read or written. A tool that cannot be used is no error: see
    /// [`Remote::status`].
    pub async fn connect(self, runtime: &Runtime) -> Result<Remote, RemoteError> {
        Remote::connect(self.settings()?, runtime).await
    }

    /// Connects in the background, and tries again until it succeeds: for a host that starts without
    /// its servers.
    ///
    /// # Errors
    /// A setting is missing or wrong.
    ///
    /// # Panics
    /// When it is called outside of a runtime of tokio.
    pub fn start(self, runtime: &Runtime) -> Result<Remote, RemoteError> {
        Ok(Remote::start(self.settings()?, runtime))
    }

    fn settings(self) -> Result<RemoteSettings, RemoteError> {
        let prefix = self.prefix.clone();
        let with_server_name = |error: RemoteError| match &prefix {
            Some(prefix) => error.with_server(prefix),
            None => error,
        };
        self.checked().map_err(with_server_name)
    }

    fn checked(self) -> Result<RemoteSettings, RemoteError> {
        if let Some(misfit) = self.misfit {
            let message = format!("`.{misfit}(…)` does not fit this kind of server");
            return Err(RemoteError::setting(message));
        }
        if let RemoteEndpoint::Http(endpoint) = &self.endpoint {
            endpoint.check()?;
        }
        let prefix = self.prefix.ok_or_else(|| {
            RemoteError::setting("the tools have no prefix: set one by `.prefix(…)`")
        })?;
        let description = self.description.unwrap_or_else(|| {
            format!("Tools of another server, which the host knows as `{prefix}`.")
        });
        let toolkit = ToolkitSpec::new(prefix, description)
            .map_err(|error| RemoteError::setting(format!("the prefix of the tools: {error}")))?;
        Ok(RemoteSettings {
            toolkit,
            endpoint: self.endpoint,
            protocol: self.protocol,
            lock: LockStore::new(self.lock),
            lock_mode: McpLockMode::from_env()?,
            new_tools: self.new_tools,
            only: self.only,
            claims: self.claims,
            call_timeout: self.call_timeout,
            patience: self.patience,
            refresh_every: self.refresh_every,
            reconnect: self.reconnect,
            limits: self.limits,
            listener: self.listener,
        })
    }
}

impl std::fmt::Debug for RemoteBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteBuilder")
            .field("endpoint", &self.endpoint)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}
