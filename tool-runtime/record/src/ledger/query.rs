//! Queries of the ledger: filters, and the size of a page.

use chrono::{DateTime, Datelike, SecondsFormat, Timelike, Utc};
use tool_runtime_core::store::UnixMillis;
use uuid::Uuid;

use super::call_kind::RecordedCallKind;
use super::position::RecordPosition;
use super::record::{Record, RecordStatus, RecordedCall};

/// A filter of recorded calls; a field that is not set matches all.
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
    pub trace_id: Option<String>,
    pub request_id: Option<String>,
    pub tenant_id: Option<Uuid>,
    pub tool: Option<String>,
    pub status: Option<RecordStatus>,
    pub kind: Option<RecordedCallKind>,
    pub since: Option<DateTime<Utc>>,
    pub until: Option<DateTime<Utc>>,
    pub after: Option<RecordPosition>,
    /// The end of the part that is searched.
    pub before: Option<u64>,
    pub limit: usize,
}

/// The largest number of records on one page.
pub const MAX_PAGE_SIZE: usize = 1_000;

impl Default for LedgerQuery {
    fn default() -> Self {
        Self {
            trace_id: None,
            request_id: None,
            tenant_id: None,
            tool: None,
            status: None,
            kind: None,
            since: None,
            until: None,
            after: None,
            before: None,
            limit: 100,
        }
    }
}

impl LedgerQuery {
    /// Matches all calls, a hundred per page.
    pub fn new() -> Self {
        Self::default()
    }

    /// Matches only calls of this trace.
    pub fn trace(mut self, trace_id: impl Into<String>) -> Self {
        self.trace_id = Some(trace_id.into());
        self
    }

    /// Matches only calls of this request: the caller's own id, such as the trace that the body of an
    /// HTTP call names while its header names another.
    pub fn request_id(mut self, request_id: impl Into<String>) -> Self {
        self.request_id = Some(request_id.into());
        self
    }

    /// Matches only calls of this tenant.
    pub fn tenant(mut self, tenant_id: Uuid) -> Self {
        self.tenant_id = Some(tenant_id);
        self
    }

    /// Matches only calls of this tool.
    pub fn tool(mut self, name: impl Into<String>) -> Self {
        self.tool = Some(name.into());
        self
    }

    /// Matches only calls with this status.
    pub fn status(mut self, status: RecordStatus) -> Self {
        self.status = Some(status);
        self
    }

    /// Matches only calls of this kind: [`RecordedCallKind::Run`] leaves out previews, dry runs, calls
    /// that wait and those that did not run.
    pub fn kind(mut self, kind: RecordedCallKind) -> Self {
        self.kind = Some(kind);
        self
    }

    /// Matches only calls that ended at this moment or later.
    pub fn since(mut self, moment: DateTime<Utc>) -> Self {
        self.since = Some(moment);
        self
    }

    /// Matches only calls that ended before this moment.
    pub fn until(mut self, moment: DateTime<Utc>) -> Self {
        self.until = Some(moment);
        self
    }

    /// Continues after this record: the [`next`](LedgerPage::next) of the page before.
    pub fn after(mut self, position: impl Into<RecordPosition>) -> Self {
        self.after = Some(position.into());
        self
    }

    /// Sets the largest number of calls on a page: 1 to 1,000. Default: 100.
    pub fn limit(mut self, calls: usize) -> Self {
        self.limit = calls.clamp(1, MAX_PAGE_SIZE);
        self
    }

    /// Returns the number of the first record that is searched, in a ledger of one chain.
    pub(super) fn first_seq(&self) -> u64 {
        self.after.map_or(0, |position| position.seq().saturating_add(1))
    }

    /// Returns whether a call matches, apart from its position in the ledger.
    #[must_use]
    pub fn matches(&self, call: &RecordedCall) -> bool {
        let Self { trace_id, request_id, tenant_id, tool, status, kind, since, until, .. } = self;
        let within = since.is_none_or(|moment| call.at >= timestamp(moment))
            && until.is_none_or(|moment| call.at < timestamp(moment));
        within
            && trace_id.as_ref().is_none_or(|it| *it == call.trace_id)
            && (request_id.is_none() || *request_id == call.request_id)
            && tenant_id.is_none_or(|it| it == call.tenant_id)
            && tool.as_ref().is_none_or(|it| *it == call.tool)
            && status.is_none_or(|it| it == call.status)
            && kind.is_none_or(|it| it == call.kind())
    }
}

/// A page of matching records, in the order of the ledger.
///
/// The records of a ledger that several writers share are in the order of time, and then of chain and number. Records
/// that are written while pages are read may have an earlier time than the page that was read last; to miss none, set
/// [`LedgerQuery::until`] to a moment some seconds ago.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LedgerPage {
    /// The records, each with its position.
    pub records: Vec<(RecordPosition, RecordedCall)>,
    /// The cursor of the next page ([`LedgerQuery::after`]); none if this is the last.
    pub next: Option<RecordPosition>,
}

/// Formats a time as records do; the texts sort like the times.
#[must_use]
pub fn timestamp(moment: DateTime<Utc>) -> String {
    let (year, nanoseconds) = (u32::try_from(moment.year()), moment.nanosecond());
    let Some(year) = year.ok().filter(|year| *year <= 9_999 && nanoseconds < 1_000_000_000) else {
        return moment.to_rfc3339_opts(SecondsFormat::Millis, true);
    };
    // Each record has two times, and a general formatter takes about ten times as long.
    let mut text = String::with_capacity(24);
    push_digits::<4>(&mut text, year, '-');
    push_digits::<2>(&mut text, moment.month(), '-');
    push_digits::<2>(&mut text, moment.day(), 'T');
    push_digits::<2>(&mut text, moment.hour(), ':');
    push_digits::<2>(&mut text, moment.minute(), ':');
    push_digits::<2>(&mut text, moment.second(), '.');
    push_digits::<3>(&mut text, nanoseconds / 1_000_000, 'Z');
    text
}

/// Writes the last digits of a number, and what follows them.
fn push_digits<const DIGITS: usize>(text: &mut String, mut number: u32, after: char) {
    let mut digits = [b'0'; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
    text.push_str(std::str::from_utf8(&digits).unwrap_or_default());
    text.push(after);
}

/// Formats a time in milliseconds since the epoch as records do.
pub(super) fn timestamp_ms(milliseconds: u64) -> String {
    let moment = utc_time(UnixMillis::new(milliseconds));
    timestamp(moment.unwrap_or(DateTime::<Utc>::MAX_UTC))
}

/// Returns the date and time of a timestamp; none beyond the years that `chrono` represents.
#[must_use]
pub fn utc_time(at: UnixMillis) -> Option<DateTime<Utc>> {
    i64::try_from(at.get()).ok().and_then(DateTime::from_timestamp_millis)
}

impl Record {
    /// Returns the call, if the record is one that matches the query.
    pub(super) fn found(self, query: &LedgerQuery) -> Option<RecordedCall> {
        match self {
            Self::Call(call) => query.matches(&call).then_some(*call),
            Self::Began(_)
            | Self::Closed(_)
            | Self::Shed(_)
            | Self::Erased(_)
            | Self::Checkpoint(_)
            | Self::Access(_)
            | Self::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_rfc_3339_with_milliseconds() {
        let first = DateTime::<Utc>::MIN_UTC.timestamp_millis();
        let last = DateTime::<Utc>::MAX_UTC.timestamp_millis();
        let known =
            [-62_167_219_200_000, -62_167_219_200_001, 253_402_300_799_999, 253_402_300_800_000];
        let spread = (0..2_000).map(|it| it * 61_234_567_891 - 1_234_567);
        for milliseconds in [first, -1, 0, 1, last].into_iter().chain(known).chain(spread) {
            let moment = DateTime::from_timestamp_millis(milliseconds).expect("a moment");
            let expected = moment.to_rfc3339_opts(SecondsFormat::Millis, true);
            assert_eq!(timestamp(moment), expected, "{milliseconds}");
        }
        assert_eq!(timestamp_ms(1_763_892_000_007), "2025-11-23T10:00:00.007Z");
    }
}
