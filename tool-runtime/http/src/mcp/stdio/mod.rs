//! A server on the program's standard streams, for desktop programs and editors.

mod limited_lines;
pub(super) mod line_writer;
mod message_lines;
mod open_requests;
mod streams;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::service::ServerInitializeError;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use tool_contracts::server::Tenant;
use tool_runtime_core::Runtime;
use tool_runtime_record::ledger::Ledger;

use self::limited_lines::LimitedLines;
use self::line_writer::QueuedBytes;
use self::message_lines::{MessageLines, StreamFailure};
use super::handler::ToolServer;
use super::listing::McpToolCache;
use super::transport::{CallTurns, InputEnd, RequestCaller, Transport};
use crate::request::admission::Admitted;
use crate::state::app::{App, SharedApp};
use crate::state::config::mcp::McpConfig;
use crate::state::drain::Drain;
use crate::{Auth, HttpConfig, Principal, Scopes, Users};

/// The longest message of a client, in bytes.
const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;

/// The time that running writes have to finish after the client has disconnected.
const END_TIME: Duration = Duration::from_secs(10);

/// The time for the last steps: writes that were cancelled, the ledger.
const FINAL_TIME: Duration = Duration::from_secs(5);

/// A server of the protocol on the program's standard streams: see [`stdio`].
#[derive(Debug)]
#[must_use = "nothing is served before `serve`"]
pub struct Stdio {
    runtime: Runtime,
    config: McpConfig,
    principal: Principal,
    tenant: Option<Tenant>,
    ledger: Option<Ledger>,
}

/// The error of a server on standard streams.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StdioError {
    /// A standard stream cannot be used.
    #[error("a standard stream cannot be used: {0}")]
    Stream(#[from] io::Error),
    /// The client did not open the protocol, as its first message has to.
    #[error("the client did not begin with `initialize` or a request of revision 2026-07-28: {0}")]
    Opening(String),
    /// The ledger could not be written to its end.
    #[error("the ledger was not flushed: {0}")]
    Ledger(String),
}

/// Serves the tools of a runtime to the program that has started this one, on standard input and
/// output.
///
/// The caller of all calls is the configuration's principal: by default one that may call every tool
/// that is meant for models, and whose user confirms the calls that ask for it. Its tenant is the nil
/// UUID, as of [`ToolContext::local`](tool_contracts::ToolContext::local).
///
/// On Unix, both streams are the protocol's alone: what tools and the programs that they start print goes
/// to standard error, and they read an empty input.
///
/// ```no_run
/// use tool_runtime::mcp::{self, McpConfig};
/// use tool_runtime::prelude::*;
///
/// /// Adds two numbers.
/// #[ai_tool(effect = "read")]
/// async fn add(
///     /// The first.
///     a: i64,
///     /// The second.
///     b: i64,
/// ) -> i64 {
///     a + b
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let runtime = Runtime::builder().tool::<AddTool>().build()?;
///     mcp::stdio(runtime).config(McpConfig::new("adder", env!("CARGO_PKG_VERSION"))).serve().await?;
///     Ok(())
/// }
/// ```
pub fn stdio(runtime: Runtime) -> Stdio {
    let scopes = "tools approvals".parse::<Scopes>().unwrap_or_default();
    Stdio {
        runtime,
        config: McpConfig::new(program_name(), ""),
        principal: Principal::new("stdio").for_every_tenant().with_scopes(scopes),
        tenant: None,
        ledger: None,
    }
}

impl Stdio {
    /// Sets the configuration of the protocol: the program's name and version above all, which are the
    /// file name of the program and an empty version without it.
    pub fn config(mut self, config: McpConfig) -> Self {
        self.config = config;
        self
    }

    /// Sets the caller of all calls.
    pub fn principal(mut self, principal: Principal) -> Self {
        self.principal = principal;
        self
    }

    /// Sets the person for whom all calls are made.
    pub fn user(mut self, user: impl Into<Box<str>>) -> Self {
        self.principal = self.principal.with_users(Users::Only(user.into()));
        self
    }

    /// Sets the tenant of all calls.
    pub fn tenant(mut self, tenant: Tenant) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// Flushes this ledger before [`serve`](Self::serve) returns.
    pub fn ledger(mut self, ledger: &Ledger) -> Self {
        self.ledger = Some(ledger.clone());
        self
    }

    /// Serves until the client closes standard input; running writes are awaited, for 10 seconds.
    ///
    /// # Errors
    /// A standard stream cannot be used, a message is longer than 16 MiB, the first message does not
    /// open the protocol, or the ledger cannot be flushed.
    pub async fn serve(self) -> Result<(), StdioError> {
        let (input, output) = streams::take_standard_streams()?;
        self.serve_on(input, output).await
    }

    /// Serves on other streams, such as the two halves of a socket. Each message is one line of JSON.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub async fn serve_on<R, W>(self, input: R, output: W) -> Result<(), StdioError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let ledger = self.ledger.clone();
        let app = self.app();
        let drain = app.config.drain.clone();
        let input = LimitedLines::new(input, MAX_MESSAGE_BYTES);
        let failure = StreamFailure::default();
        let input_end = InputEnd::new();
        let queued = QueuedBytes::new();
        let output = (output, queued.clone());
        let messages = MessageLines::new(input, output, failure.clone(), input_end.clone());
        let served = match rmcp::serve_server(self.server(app, input_end, queued), messages).await {
            Ok(service) => match service.waiting().await {
                Ok(_) => failure.into_error().map_or(Ok(()), |error| Err(error.into())),
                Err(error) => Err(io::Error::other(error).into()),
            },
            // A client that leaves before its first message has asked for nothing.
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(StdioError::Opening(error.to_string())),
        };
        ended(&drain).await;
        flushed(ledger.as_ref()).await?;
        served
    }

    fn app(&self) -> SharedApp {
        let auth = Auth::unauthenticated_as(self.principal.clone());
        // The one user of the program decides about its calls.
        let config = HttpConfig::new(auth).four_eyes(false).without_tenants();
        let config = match &self.tenant {
            Some(tenant) => config.single_tenant(tenant.clone()),
            None => config,
        };
        Arc::new(App::new(self.runtime.clone(), config, std::iter::empty()))
    }

    fn server(self, app: SharedApp, input_end: InputEnd, queued: QueuedBytes) -> ToolServer {
        let listing = Arc::new(McpToolCache::new(&app.runtime, &self.config));
        let caller = RequestCaller::without_request(Admitted::for_program(self.principal));
        let turns = CallTurns::new(queued);
        let transport = Transport::Streams { caller: Arc::new(caller), input_end, turns };
        ToolServer::new(app, Arc::new(self.config), listing, transport)
    }
}

/// Returns the file name of the program, which clients show as the server's name.
fn program_name() -> String {
    let program = std::env::current_exe().unwrap_or_default();
    program.file_stem().map_or_else(|| "tools".to_owned(), |it| it.to_string_lossy().into_owned())
}

/// Waits for the calls that run on without their client, and cancels those that take too long.
async fn ended(drain: &Drain) {
    drain.begin();
    if timeout(END_TIME, drain.idle()).await.is_err() {
        drain.finish();
        let _ = timeout(FINAL_TIME, drain.idle()).await;
    }
}

async fn flushed(ledger: Option<&Ledger>) -> Result<(), StdioError> {
    let Some(ledger) = ledger else { return Ok(()) };
    match timeout(FINAL_TIME, ledger.flush()).await {
        Ok(flushed) => flushed.map_err(|error| StdioError::Ledger(error.to_string())),
        Err(_) => Err(StdioError::Ledger("its store did not answer in time".to_owned())),
    }
}
