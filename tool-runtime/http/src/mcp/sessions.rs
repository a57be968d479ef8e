//! The sessions of clients before revision 2026-07-28: their owners, their number and their lifetime.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{SessionId, SessionManager as _};
use tokio::time::Instant;
use tool_contracts::ErrorCode;
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::problem::Problem;
use crate::state::caller::Caller;
use crate::state::quota::{Permit, Quota, QuotaRefusal};

/// The header with the id of a session.
pub(super) const SESSION: &str = "mcp-session-id";

const REFUSAL: QuotaRefusal = QuotaRefusal {
    reason: RefusalReason::Busy,
    capacity: "too many sessions are open; retry later, or use revision 2026-07-28",
    caller: "the caller has too many open sessions; end one by DELETE, or use revision 2026-07-28",
};

/// The open sessions of one router.
#[derive(Debug)]
pub(super) struct McpSessions {
    pub(super) manager: Arc<LocalSessionManager>,
    quota: Arc<Quota<Caller>>,
    owned: Mutex<HashMap<Box<str>, OwnedSession>>,
    idle_time: Duration,
}

/// A session of a caller, which counts against the caller's quota.
#[derive(Debug)]
struct OwnedSession {
    owner: Caller,
    last_use: SessionUse,
    _permit: Permit<Caller>,
}

/// A request, a running call or an open stream of a session, which is not idle until this is dropped.
#[derive(Debug, Clone)]
pub(super) struct SessionUse(Arc<Mutex<Instant>>);

impl McpSessions {
    /// Makes the sessions of a router: at most `limit`, and `per_caller` of one caller.
    pub(super) fn new(limit: usize, per_caller: usize, idle_time: Duration) -> Self {
        let mut manager = LocalSessionManager::default();
        // Its own time counts from the last message, also while a call runs or a client listens.
        manager.session_config.keep_alive = None;
        Self {
            manager: Arc::new(manager),
            quota: Arc::new(Quota::new(limit, per_caller)),
            owned: Mutex::default(),
            idle_time,
        }
    }

    /// Begins a use of a session. The session of another caller is refused like an unknown one.
    pub(super) fn admit(&self, id: &str, caller: &Caller) -> Result<SessionUse, Problem> {
        let owned = self.lock();
        let session = owned.get(id).filter(|session| session.owner == *caller);
        session.map(|session| session.last_use.clone()).ok_or_else(|| {
            let message = "there is no such session; open another one by `initialize`";
            Problem::new(StatusCode::NOT_FOUND, ErrorCode::NotFound, message)
        })
    }

    /// Acquires the place of a session that a caller is about to open, and ends the idle ones.
    pub(super) async fn acquire(&self, caller: &Caller) -> Result<Permit<Caller>, Problem> {
        self.end_idle().await;
        if let Ok(permit) = self.quota.acquire(caller.clone(), 1) {
            return Ok(permit);
        }
        self.forget_ended().await;
        self.quota.acquire(caller.clone(), 1).map_err(|exhausted| REFUSAL.problem(exhausted))
    }

    /// Stores the owner of a session that was opened.
    pub(super) fn add_opened(&self, id: &str, owner: Caller, permit: Permit<Caller>) {
        let last_use = SessionUse(Arc::new(Mutex::new(Instant::now())));
        self.lock().insert(id.into(), OwnedSession { owner, last_use, _permit: permit });
    }

    /// Forgets a session that its caller has ended.
    pub(super) fn remove_ended(&self, id: &str) {
        self.lock().remove(id);
    }

    /// Ends the sessions that have been idle for too long.
    async fn end_idle(&self) {
        let now = Instant::now();
        let mut idle = Vec::new();
        self.lock().retain(|id, session| {
            let is_idle = session.last_use.is_idle(now, self.idle_time);
            if is_idle {
                idle.push(SessionId::from(&**id));
            }
            !is_idle
        });
        for id in &idle {
            // The session may have ended by itself.
            let _ = self.manager.close_session(id).await;
        }
    }

    /// Forgets the sessions that have ended by themselves.
    async fn forget_ended(&self) {
        let open = self.manager.sessions.read().await;
        self.lock().retain(|id, _| open.contains_key(&**id));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Box<str>, OwnedSession>> {
        self.owned.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionUse {
    /// Returns whether nothing uses the session, and nothing has used it for a time.
    fn is_idle(&self, now: Instant, time: Duration) -> bool {
        let is_used = Arc::strong_count(&self.0) > 1;
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !is_used && now.saturating_duration_since(last) >= time
    }
}

impl Drop for SessionUse {
    fn drop(&mut self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}
