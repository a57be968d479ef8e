//! The calls that wait, as far as one approver may decide about them.

use uuid::Uuid;

use super::view::{Approval, Approvals};
use crate::Runtime;
use crate::http::app::App;
use crate::http::desk::{self, Clerk};
use crate::http::paging::{Asked, LARGEST};
use crate::http::problem::Problem;
use crate::policy::WaitingCall;

/// The most calls that are looked at for one page, of whichever tools.
const MOST_LOOKED_AT: usize = 1_000;

/// A page of the calls that an approver may decide about.
#[derive(Debug, Default)]
pub(super) struct InboxPage {
    calls: Vec<WaitingCall>,
    /// After what the next page begins.
    next: Option<Uuid>,
}

/// Finds a page of what waits: as many calls as were asked for, if so many are covered among the
/// first thousand that wait; with fewer, `next` says where to go on.
pub(super) async fn page(
    app: &App,
    clerk: &Clerk,
    asked: Asked<Uuid>,
) -> Result<InboxPage, Problem> {
    let (mut page, mut after, mut most) = (InboxPage::default(), asked.after, asked.most);
    let mut looked_at = 0;
    loop {
        let found = app.runtime.tickets().waiting(clerk.tenant(), after, most).await;
        let found = found.map_err(|_| desk::store_down())?;
        let mut covered = found.calls.into_iter().filter(|call| is_covered(app, clerk, call));
        page.calls.extend(covered.by_ref().take(asked.most - page.calls.len()));
        let is_full = page.calls.len() == asked.most;
        looked_at += most;
        if is_full && (found.next.is_some() || covered.next().is_some()) {
            page.next = page.calls.last().map(|call| call.ticket().id());
        } else if !is_full && looked_at >= MOST_LOOKED_AT {
            page.next = found.next;
        }
        match found.next {
            Some(next) if !is_full && looked_at < MOST_LOOKED_AT => after = Some(next),
            _ => return Ok(page),
        }
        // What is not covered is looked through in large steps.
        most = LARGEST;
    }
}

/// Tells whether an approver may decide about calls of the tool of this name.
pub(super) fn covers(app: &App, clerk: &Clerk, tool: &str) -> bool {
    match app.runtime.spec(tool) {
        Some(tool) => clerk.principal.may_decide(tool),
        None => clerk.principal.may_decide_unknown(tool),
    }
}

fn is_covered(app: &App, clerk: &Clerk, call: &WaitingCall) -> bool {
    covers(app, clerk, call.ticket().tool())
}

impl InboxPage {
    /// Names what is shown, for a record: the first ticket and the last one, in the order of ids.
    pub(super) fn subject(&self) -> Option<String> {
        let id = |call: &WaitingCall| call.ticket().id();
        match &self.calls[..] {
            [] => None,
            [only] => Some(id(only).to_string()),
            [first, .., last] => Some(format!("{}..{}", id(first), id(last))),
        }
    }

    pub(super) fn into_body(self, runtime: &Runtime) -> Approvals {
        let approvals = self.calls.iter().map(|call| Approval::of(call, runtime)).collect();
        Approvals { approvals, next: self.next }
    }
}
