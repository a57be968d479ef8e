//! What is asked of the ledger: which records, and how many at once.

use chrono::{DateTime, SecondsFormat, Utc};
use uuid::Uuid;

use super::record::{Record, RecordStatus, RecordedCall};

/// Which calls to find; what is not set admits all.
///
/// ```
/// use tool_runtime::ledger::{LedgerQuery, RecordStatus};
///
/// let failed_mails =
///     LedgerQuery::new().tool("send_mail").status(RecordStatus::Error).limit(20);
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct LedgerQuery {
    pub(super) trace_id: Option<String>,
    pub(super) tenant_id: Option<Uuid>,
    pub(super) tool: Option<String>,
    pub(super) status: Option<RecordStatus>,
    pub(super) since: Option<DateTime<Utc>>,
    pub(super) until: Option<DateTime<Utc>>,
    pub(super) after: Option<u64>,
    /// The end of the part that is looked through.
    pub(super) before: Option<u64>,
    pub(super) limit: usize,
}

/// The most records of one page.
pub const LARGEST_PAGE: usize = 1_000;

impl Default for LedgerQuery {
    fn default() -> Self {
        Self {
            trace_id: None,
            tenant_id: None,
            tool: None,
            status: None,
            since: None,
            until: None,
            after: None,
            before: None,
            limit: 100,
        }
    }
}

impl LedgerQuery {
    /// Asks for all calls, a hundred at once.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only calls of this trace.
    pub fn trace(mut self, trace_id: impl Into<String>) -> Self {
        self.trace_id = Some(trace_id.into());
        self
    }

    /// Only calls of this tenant.
    pub fn tenant(mut self, tenant_id: Uuid) -> Self {
        self.tenant_id = Some(tenant_id);
        self
    }

    /// Only calls of this tool.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Only calls that were answered so.
    pub fn status(mut self, status: RecordStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Only calls that ended at this moment or later.
    pub fn since(mut self, moment: DateTime<Utc>) -> Self {
        self.since = Some(moment);
        self
    }

    /// Only calls that ended before this moment.
    pub fn until(mut self, moment: DateTime<Utc>) -> Self {
        self.until = Some(moment);
        self
    }

    /// Goes on behind this record: the [`next`](Page::next) of the page before.
    pub fn after(mut self, seq: u64) -> Self {
        self.after = Some(seq);
        self
    }

    /// Sets how many calls a page has at most: 1 to 1,000, 100 if it is not set.
    pub fn limit(mut self, calls: usize) -> Self {
        self.limit = calls.clamp(1, LARGEST_PAGE);
        self
    }

    /// Tells whether a call is asked for, but for its place in the ledger.
    #[must_use]
    pub fn admits(&self, call: &RecordedCall) -> bool {
        let Self { trace_id, tenant_id, tool, status, since, until, .. } = self;
        let within = since.is_none_or(|moment| call.at >= written(moment))
            && until.is_none_or(|moment| call.at < written(moment));
        within
            && trace_id.as_ref().is_none_or(|it| *it == call.trace_id)
            && tenant_id.is_none_or(|it| it == call.tenant_id)
            && tool.as_ref().is_none_or(|it| *it == call.tool)
            && status.is_none_or(|it| it == call.status)
    }
}

/// A page of what was found, in the order of the ledger.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Page {
    /// The records, each with its number.
    pub records: Vec<(u64, RecordedCall)>,
    /// Where the next page begins ([`LedgerQuery::after`]); none if this is the last.
    pub next: Option<u64>,
}

/// Writes a moment as records do, so that texts compare as moments do.
pub(super) fn written(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Writes a moment of milliseconds since the epoch as records do.
pub(super) fn written_ms(milliseconds: u64) -> String {
    let moment = i64::try_from(milliseconds).ok().and_then(DateTime::from_timestamp_millis);
    written(moment.unwrap_or(DateTime::<Utc>::MAX_UTC))
}

impl Record {
    /// Returns the call, if it is one that is asked for.
    pub(super) fn found(self, query: &LedgerQuery) -> Option<RecordedCall> {
        match self {
            Self::Call(call) if query.admits(&call) => Some(*call),
            _ => None,
        }
    }
}
