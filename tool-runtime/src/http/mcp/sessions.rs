//! The sessions of clients before revision 2026-07-28: whose they are, and how many.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tool_contracts::ErrorCode;

use crate::http::problem::Problem;
use crate::http::state::caller::Caller;
use crate::http::state::quota::{Permit, Quota, QuotaRefusal, half};
use crate::refusal_reason::RefusalReason;

/// The header with the id of a session.
pub(super) const SESSION: &str = "mcp-session-id";

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many sessions are open; retry later, or use revision 2026-07-28",
    caller: "the caller has too many open sessions; end one by DELETE, or use revision 2026-07-28",
};

/// The open sessions of one router.
#[derive(Debug)]
pub(super) struct Sessions {
    pub(super) manager: Arc<LocalSessionManager>,
    quota: Arc<Quota<Caller>>,
    owners: Mutex<HashMap<Box<str>, OwnedSession>>,
}

/// A session of a caller, which counts against its share.
#[derive(Debug)]
struct OwnedSession {
    owner: Caller,
    _permit: Permit<Caller>,
}

impl Sessions {
    pub(super) fn new(most: usize) -> Self {
        Self {
            manager: Arc::new(LocalSessionManager::default()),
            quota: Arc::new(Quota::new(most, half(most))),
            owners: Mutex::default(),
        }
    }

    /// Refuses a session of another caller like one that does not exist.
    pub(super) fn admit(&self, id: &str, caller: &Caller) -> Result<(), Problem> {
        if self.lock().get(id).is_some_and(|session| session.owner == *caller) {
            return Ok(());
        }
        let message = "there is no such session; open another one by `initialize`";
        Err(Problem::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message))
    }

    /// Acquires the place of a session that a caller is about to open.
    pub(super) async fn acquire(&self, caller: &Caller) -> Result<Permit<Caller>, Problem> {
        if let Ok(permit) = self.quota.acquire(caller.clone(), 1) {
            return Ok(permit);
        }
        self.forget_ended().await;
        self.quota.acquire(caller.clone(), 1).map_err(|exhausted| REFUSAL.problem(exhausted))
    }

    /// Notes whose session was opened.
    pub(super) fn opened(&self, id: &str, owner: Caller, permit: Permit<Caller>) {
        self.lock().insert(id.into(), OwnedSession { owner, _permit: permit });
    }

    /// Forgets a session that its caller has ended.
    pub(super) fn ended(&self, id: &str) {
        self.lock().remove(id);
    }

    /// Forgets the sessions that have ended by themselves.
    async fn forget_ended(&self) {
        let open = self.manager.sessions.read().await;
        self.lock().retain(|id, _| open.contains_key(&**id));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, OwnedSession>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
