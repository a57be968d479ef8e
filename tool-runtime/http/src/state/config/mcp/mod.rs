//! The configuration of a server of the protocol: its name, its pages and its sessions.

mod resource;
mod settings;

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{self, Implementation};
use tool_contracts::ContractError;
use tool_contracts::server::{CallContext, Tenant};

use crate::state::quota::half;

pub use self::resource::ProtectedResource;
pub(crate) use self::resource::{WELL_KNOWN, challenge_parameter, resource_of};
pub(crate) use self::settings::McpSettings;

/// The most tools of one page of a list, unless the host sets another number.
const PAGE_SIZE: usize = 200;

/// The longest time that a client may keep a list, unless the host sets another one.
const LIST_LIFETIME: Duration = Duration::from_secs(60);

/// The most sessions of clients before revision 2026-07-28, unless the host sets another number.
const SESSIONS: usize = 1_000;

/// The most sessions of one caller, unless the host sets another number: each holds tasks and channels.
const SESSIONS_OF_CALLER: usize = 64;

/// The longest idle time of a session, unless the host sets another one.
const SESSION_IDLE_TIME: Duration = Duration::from_secs(30 * 60);

/// The time after which a call of a long tool becomes a task, unless the host sets another one.
const TASK_AFTER: Duration = Duration::from_millis(200);

/// The retention of a task, unless the host sets another one.
const TASK_LIFETIME: Duration = Duration::from_secs(3_600);

/// The configuration of a server of the Model Context Protocol.
///
/// ```
/// use tool_runtime::mcp::{Icon, McpConfig};
///
/// let config = McpConfig::new("heritage", env!("CARGO_PKG_VERSION"))
///     .title("Villages of the salt fields")
///     .instructions("Search before you ask for a village by its id.")
///     .icon(Icon::new("https://heritage.example/icon.png").mime_type("image/png"));
/// # let _ = config;
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct McpConfig {
    pub(crate) server: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) tool_icons: BTreeMap<Box<str>, Vec<model::Icon>>,
    pub(crate) open_schemas: bool,
    pub(crate) page_size: usize,
    pub(crate) list_lifetime: Duration,
    pub(crate) sessions: Option<usize>,
    /// Sessions of one caller; by default half of all, and at most [`SESSIONS_OF_CALLER`].
    sessions_per_caller: Option<usize>,
    pub(crate) session_idle_time: Duration,
    pub(crate) tenant: Option<Tenant>,
    pub(crate) site: Option<Box<str>>,
    pub(crate) protected_resource: Option<ProtectedResource>,
    pub(crate) tasks: BTreeMap<Box<str>, TaskMode>,
    pub(crate) task_after: Duration,
    pub(crate) task_lifetime: Duration,
}

/// The calls of a tool that may become tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMode {
    /// Those of clients with the tasks extension.
    Optional,
    /// All; other clients are refused.
    Required,
}

/// An icon of a server or of a tool.
#[derive(Debug, Clone)]
#[must_use]
pub struct Icon(model::Icon);

impl McpConfig {
    /// Starts a configuration with the name and the version of the host's program, which clients show
    /// and log.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            server: Implementation::new(name, version),
            instructions: None,
            tool_icons: BTreeMap::new(),
            open_schemas: false,
            page_size: PAGE_SIZE,
            list_lifetime: LIST_LIFETIME,
            sessions: None,
            sessions_per_caller: None,
            session_idle_time: SESSION_IDLE_TIME,
            tenant: None,
            site: None,
            protected_resource: None,
            tasks: BTreeMap::new(),
            task_after: TASK_AFTER,
            task_lifetime: TASK_LIFETIME,
        }
    }

    /// Sets the server's name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.server.title = Some(title.into());
        self
    }

    /// Sets the address of a page about the server, for people.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.server.website_url = Some(url.into());
        self
    }

    /// Adds an icon of the server.
    pub fn icon(mut self, icon: Icon) -> Self {
        self.server.icons.get_or_insert_default().push(icon.0);
        self
    }

    /// Sets the text about the tools as a whole that a client may give to its model.
    pub fn instructions(mut self, text: impl Into<String>) -> Self {
        self.instructions = Some(text.into());
        self
    }

    /// Adds an icon of a tool. The name of an unknown tool has no effect.
    pub fn tool_icon(mut self, tool: impl Into<Box<str>>, icon: Icon) -> Self {
        self.tool_icons.entry(tool.into()).or_default().push(icon.0);
        self
    }

    /// Sets whether the listed schemas leave out `additionalProperties` and `unevaluatedProperties` where
    /// these are booleans; by default objects say by them that they have no further properties.
    ///
    /// For clients that cannot convert schemas with these keywords, such as `google-genai`.
    /// Calls are checked as before: an unknown argument is refused with the closest name.
    pub fn open_schemas(mut self, wanted: bool) -> Self {
        self.open_schemas = wanted;
        self
    }

    /// Sets the most tools of one page of a list; 200 by default, at least 1.
    pub fn page_size(mut self, tools: usize) -> Self {
        self.page_size = tools.max(1);
        self
    }

    /// Sets for how long a client of revision 2026-07-28 may keep a list (`ttlMs`); 60 seconds by
    /// default.
    pub fn list_lifetime(mut self, time: Duration) -> Self {
        self.list_lifetime = time;
        self
    }

    /// Sets the tenant of callers that name none and have not exactly one. They still have to be allowed
    /// to act for it.
    pub fn default_tenant(mut self, tenant: Tenant) -> Self {
        self.tenant = Some(tenant);
        self
    }

    /// Sets the site of requests that name none; `mcp` by default, unless the router has
    /// [one](crate::HttpConfig::default_site).
    ///
    /// # Errors
    /// As for [`HttpConfig::default_site`](crate::HttpConfig::default_site).
    pub fn default_site(mut self, site: impl Into<String>) -> Result<Self, ContractError> {
        let site = site.into();
        CallContext::builder().site_id(&*site).build()?;
        self.site = Some(site.into());
        Ok(self)
    }

    /// Describes the server as a protected resource of OAuth, for clients that get their tokens from an
    /// authorization server. The tokens themselves are checked by
    /// [`Auth::jwt`](crate::Auth).
    pub fn protected_resource(mut self, resource: ProtectedResource) -> Self {
        self.protected_resource = Some(resource);
        self
    }

    /// Lets calls of a long tool become tasks, for clients with the tasks extension of revision
    /// 2026-07-28: such a client gets a handle, and asks for the state and the result of the call, or
    /// cancels it.
    ///
    /// A call that ends, or asks its user, within the time of [`task_after`](Self::task_after) is
    /// answered as any other. The state and the result of a task are kept in the runtime's store of
    /// outputs, so that they survive a restart if that does.
    pub fn task(mut self, tool: impl Into<Box<str>>) -> Self {
        self.tasks.insert(tool.into(), TaskMode::Optional);
        self
    }

    /// Lets calls of a long tool become tasks, and refuses clients without the tasks extension, whose
    /// requests would time out.
    pub fn required_task(mut self, tool: impl Into<Box<str>>) -> Self {
        self.tasks.insert(tool.into(), TaskMode::Required);
        self
    }

    /// Sets the time after which a call of a long tool becomes a task; 200 milliseconds by default.
    pub fn task_after(mut self, time: Duration) -> Self {
        self.task_after = time;
        self
    }

    /// Sets how long a task is kept after it began (`ttlMs`); an hour by default.
    pub fn task_lifetime(mut self, time: Duration) -> Self {
        self.task_lifetime = time;
        self
    }

    /// Sets whether clients before revision 2026-07-28 get a session over HTTP; by default they get
    /// none.
    ///
    /// Without a session each request stands alone: such a client gets no notification of changed tools,
    /// cannot cancel a call but by closing its connection, and is not asked to confirm a call, which
    /// then answers with its ticket. A server with several instances needs none, or a load balancer
    /// that keeps a session on its instance.
    pub fn sessions(self, wanted: bool) -> Self {
        self.max_sessions(if wanted { SESSIONS } else { 0 })
    }

    /// Sets the most sessions at a time, of all callers; 0 is none.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.sessions = Some(sessions).filter(|sessions| *sessions > 0);
        self
    }

    /// Sets the most sessions of one principal, or of one address for anonymous callers; by default half
    /// of [`max_sessions`](Self::max_sessions), and at most 64. Above it `initialize` is answered
    /// `RATE_LIMITED`.
    pub fn max_sessions_per_caller(mut self, sessions: usize) -> Self {
        self.sessions_per_caller = Some(sessions);
        self
    }

    /// Returns the most sessions of one caller if all callers together may have `all`.
    pub(crate) fn sessions_per_caller(&self, all: usize) -> usize {
        self.sessions_per_caller.unwrap_or(half(all).min(SESSIONS_OF_CALLER))
    }

    /// Sets for how long a session is kept that has no request, running call or open stream; 30 minutes by
    /// default. It ends when the next session is opened after that time.
    pub fn session_idle_time(mut self, time: Duration) -> Self {
        self.session_idle_time = time;
        self
    }
}

impl Icon {
    /// Starts an icon with its address: `https:` or `data:`.
    pub fn new(src: impl Into<String>) -> Self {
        Self(model::Icon::new(src))
    }

    /// Sets the media type, such as `image/png`.
    pub fn mime_type(self, mime_type: impl Into<String>) -> Self {
        Self(self.0.with_mime_type(mime_type))
    }

    /// Adds a size, such as `48x48`, or `any` for a format that scales.
    pub fn size(mut self, size: impl Into<String>) -> Self {
        self.0.sizes.get_or_insert_default().push(size.into());
        self
    }
}
