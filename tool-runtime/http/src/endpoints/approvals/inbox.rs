//! Lists the waiting calls that an approver may decide about, or look at.

use tool_runtime_core::policy::WaitingCall;
use uuid::Uuid;

use super::view::{Approval, Approvals};
use crate::problem::Problem;
use crate::request::admission::AuthorizedCaller;
use crate::request::parameters::{MAX_LIMIT, PageRequest};
use crate::request::time_limit::within_time_limit;
use crate::state::app::App;

/// The most waiting calls that are examined for one page.
const MAX_EXAMINED: usize = 1_000;

/// The part of the waiting calls that is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum InboxQuery {
    Page(PageRequest<Uuid>),
    /// The call of this ticket.
    Single(Uuid),
}

/// A page of the calls that an approver may look at.
#[derive(Debug, Default)]
pub(super) struct InboxPage {
    calls: Vec<WaitingCall>,
    /// The cursor of the next page.
    next: Option<Uuid>,
}

/// Reads the waiting calls of a query.
pub(super) async fn read(
    app: &App,
    authorized: &AuthorizedCaller,
    query: InboxQuery,
) -> Result<InboxPage, Problem> {
    match query {
        InboxQuery::Page(requested) => page(app, authorized, requested).await,
        InboxQuery::Single(ticket) => single(app, authorized, ticket).await,
    }
}

/// Finds a page of waiting calls. About a thousand calls are examined at most; if fewer than requested
/// are covered, the page is shorter and `next` gives the position to continue.
async fn page(
    app: &App,
    authorized: &AuthorizedCaller,
    requested: PageRequest<Uuid>,
) -> Result<InboxPage, Problem> {
    let (mut page, mut after, mut page_limit) =
        (InboxPage::default(), requested.after, requested.limit);
    let mut looked_at = 0;
    loop {
        let waiting_page =
            app.runtime.tickets().waiting(authorized.tenant(), after, page_limit).await;
        let waiting_page = waiting_page.map_err(|_| Problem::store_unavailable())?;
        // An approver reads the arguments, so it sees only calls of the tools that it is there for.
        let mut covered =
            waiting_page.calls.into_iter().filter(|call| is_covered(app, authorized, call));
        page.calls.extend(covered.by_ref().take(requested.limit - page.calls.len()));
        let is_full = page.calls.len() == requested.limit;
        looked_at += page_limit;
        if is_full && (waiting_page.next.is_some() || covered.next().is_some()) {
            page.next = page.calls.last().map(|call| call.ticket().id());
        } else if !is_full && looked_at >= MAX_EXAMINED {
            page.next = waiting_page.next;
        }
        match waiting_page.next {
            Some(next) if !is_full && looked_at < MAX_EXAMINED => after = Some(next),
            _ => return Ok(page),
        }
        // Calls that are not covered are skipped in large steps.
        page_limit = MAX_LIMIT;
    }
}

/// Makes a page of one waiting call; it is empty if the call does not wait, or the approver may not look at it.
async fn single(
    app: &App,
    authorized: &AuthorizedCaller,
    ticket: Uuid,
) -> Result<InboxPage, Problem> {
    let waiting = app.runtime.tickets().find_waiting(ticket, authorized.tenant()).await;
    let waiting = waiting.map_err(|_| Problem::store_unavailable())?;
    let now = app.runtime.policy_state().stores.now();
    let is_listed =
        |call: &WaitingCall| call.ticket().expires_at() > now && is_covered(app, authorized, call);
    let calls = waiting.into_iter().filter(is_listed).collect();
    Ok(InboxPage { calls, next: None })
}

/// Returns whether an approver may decide about calls of the tool with this name.
pub(super) fn may_decide(app: &App, authorized: &AuthorizedCaller, tool: &str) -> bool {
    match app.runtime.spec(tool) {
        Some(tool) => authorized.principal().may_decide(&tool),
        None => authorized.principal().may_decide_unknown(tool),
    }
}

fn is_covered(app: &App, authorized: &AuthorizedCaller, call: &WaitingCall) -> bool {
    let (name, principal) = (call.ticket().tool(), authorized.principal());
    match app.runtime.spec(name) {
        Some(tool) => principal.may_view(&tool),
        None => principal.may_view_unknown(name),
    }
}

impl InboxPage {
    /// Returns the cursor of the next page.
    pub(super) const fn next(&self) -> Option<Uuid> {
        self.next
    }

    /// Returns the tickets of the page.
    pub(super) fn tickets(&self) -> Vec<Uuid> {
        self.calls.iter().map(|call| call.ticket().id()).collect()
    }

    /// Returns the subject of the access record: the first and the last ticket of the page.
    pub(super) fn subject(&self) -> Option<String> {
        let id = |call: &WaitingCall| call.ticket().id();
        match &self.calls[..] {
            [] => None,
            [only] => Some(id(only).to_string()),
            [first, .., last] => Some(format!("{}..{}", id(first), id(last))),
        }
    }

    /// Makes the body, with the budgets as they are now; without them if they cannot be read in time, since a call can be
    /// declined all the same.
    pub(super) async fn into_body(self, app: &App, authorized: &AuthorizedCaller) -> Approvals {
        let tickets = app.runtime.tickets();
        let read = async {
            let notes = tickets.budget_notes(&self.calls).await;
            notes.map_err(|_| Problem::store_unavailable())
        };
        let budgets = within_time_limit(app, read).await;
        let budgets = budgets.unwrap_or_else(|_| vec![Vec::new(); self.calls.len()]);
        let described = self.calls.iter().zip(budgets);
        let approvals = described.map(|(call, budgets)| {
            let may_decide = may_decide(app, authorized, call.ticket().tool());
            Approval::new(call, budgets, may_decide, &app.runtime)
        });
        Approvals { approvals: approvals.collect(), next: self.next }
    }
}
