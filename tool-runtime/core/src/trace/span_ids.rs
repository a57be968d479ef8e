//! Optional ids in spans: personal data that a host has to enable.

use tool_contracts::ToolContext;

/// Selects the ids of users, sessions and sites in the calls' spans; none by default.
///
/// Ids of users and sessions are personal data, and spans leave the process: enable them only if
/// the service that receives the spans may store such data. They are recorded as in the context.
/// The ids of the run, the tenant and the trace are in every span.
///
/// | enabled by | attribute | interpreted as |
/// | --- | --- | --- |
/// | [`user`](Self::user) | `user.id` | the user, by Langfuse, OpenInference and others |
/// | [`session`](Self::session) | `session.id` | the session, by the same |
/// | [`site`](Self::site) | `tool_runtime.site.id` | |
/// | [`langfuse_metadata`](Self::langfuse_metadata) | `langfuse.trace.metadata.run_id` or `….ingestion_run_id`; `….site_id` if the site is enabled | metadata of the trace, by Langfuse |
///
/// ```
/// use tool_runtime::prelude::*;
/// use tool_runtime::trace::SpanIds;
/// # /// Tells the time.
/// # #[ai_tool(effect = "read")]
/// # async fn now(cx: &ToolContext) -> String { cx.now_iso().to_string() }
///
/// let ids = SpanIds::none().user().session().site().langfuse_metadata();
/// let runtime = Runtime::builder().tool::<NowTool>().span_ids(ids).build()?;
/// # let _ = runtime;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpanIds(u8);

const USER: u8 = 0b0001;
const SESSION: u8 = 0b0010;
const SITE: u8 = 0b0100;
const LANGFUSE: u8 = 0b1000;

impl SpanIds {
    /// Selects no ids.
    #[must_use]
    pub const fn none() -> Self {
        Self(0)
    }

    /// Adds the user, as [`user.id`](super::conventions::USER_ID). It is personal data.
    #[must_use]
    pub const fn user(self) -> Self {
        Self(self.0 | USER)
    }

    /// Adds the session, as [`session.id`](super::conventions::SESSION_ID). It is personal data.
    #[must_use]
    pub const fn session(self) -> Self {
        Self(self.0 | SESSION)
    }

    /// Adds the site, as [`tool_runtime.site.id`](super::conventions::SITE_ID).
    #[must_use]
    pub const fn site(self) -> Self {
        Self(self.0 | SITE)
    }

    /// Adds the run, and the site if it is enabled, under Langfuse's names for a trace's metadata.
    #[must_use]
    pub const fn langfuse_metadata(self) -> Self {
        Self(self.0 | LANGFUSE)
    }

    pub(super) fn user_of(self, cx: &ToolContext) -> Option<&str> {
        cx.user_id().filter(|_| self.has(USER))
    }

    pub(super) fn session_of(self, cx: &ToolContext) -> Option<&str> {
        cx.session_id().filter(|_| self.has(SESSION))
    }

    pub(super) fn site_of(self, cx: &ToolContext) -> Option<&str> {
        cx.site_id().filter(|_| self.has(SITE))
    }

    pub(super) fn langfuse_of(self, id: Option<&str>) -> Option<&str> {
        id.filter(|_| self.has(LANGFUSE))
    }

    const fn has(self, id: u8) -> bool {
        self.0 & id != 0
    }
}
