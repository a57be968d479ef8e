//! A console in the browser for the people who decide about the calls of a model.
//!
//! [`Console`] makes a router of pages that the server renders: the calls that wait for approval, each with its
//! preview, its arguments as a form, who requested it and what it uses of its budgets; the calls whose outcome is
//! unknown; the tools; the records of a trace; and the verification of the ledger. A script follows the calls that
//! wait, and every page works without it. Each page asks the router of the HTTP API with the credential of its
//! session, so that the console shows and decides what that credential may see and decide, and no more.

mod api;
mod approvals;
mod arguments;
mod assets;
mod ledger;
mod outcomes;
mod pages;
mod person;
mod session;
mod sign_in;
mod text;
mod texts;
mod tools;
mod traces;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::map_response;
use axum::routing::{get, post};
use tool_runtime_core::key_ring::KeyRing;

use self::api::Api;
use self::session::Sessions;

/// The length of a session.
const SESSION_LENGTH: Duration = Duration::from_secs(60 * 60);

/// The longest body of a form, in bytes: arguments of a call, percent-encoded.
const MAX_FORM: usize = 2 << 20;

/// The longest body of the form to sign in, in bytes: its sender is not authenticated.
const MAX_SIGN_IN: usize = 16 << 10;

/// A console over the HTTP API of a runtime.
///
/// A person signs in with the API key or the token that the API accepts. The session is a cookie that the keys of the
/// ring encrypt, so that every replica with the same ring reads it and none keeps it; with
/// [`KeyRing::ephemeral`] a restart ends all sessions.
///
/// The pages are served under the path at which the router is nested, which a proxy has to keep.
///
/// ```
/// use axum::Router;
/// use tool_runtime::Runtime;
/// use tool_runtime::console::Console;
/// use tool_runtime::http::{self, Auth, HttpConfig, Principal};
/// use tool_runtime::policy::KeyRing;
///
/// let runtime = Runtime::builder().build()?;
/// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::trusted("laptop")));
/// let api = http::router(runtime, config);
/// let console = Console::new(api.clone(), KeyRing::ephemeral()?);
/// let app: Router = Router::new().nest("/api", api).nest("/console", console.router());
/// # let _ = app;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct Console {
    api: Router,
    keys: KeyRing,
    session_length: Duration,
    has_tls: bool,
}

/// The state that the handlers share.
#[derive(Debug)]
struct Shared {
    api: Api,
    sessions: Sessions,
}

type SharedState = Arc<Shared>;

impl Console {
    /// Creates a console of an API: the router that `http::router` returns.
    pub fn new(api: Router, keys: KeyRing) -> Self {
        Self { api, keys, session_length: SESSION_LENGTH, has_tls: true }
    }

    /// Sets the time after which a person signs in again; an hour by default.
    pub fn session_length(self, session_length: Duration) -> Self {
        Self { session_length, ..self }
    }

    /// Lets browsers send the session without TLS, for development on one machine: Safari sends no other cookie to a
    /// server of this machine without it.
    pub fn without_tls(self) -> Self {
        Self { has_tls: false, ..self }
    }

    /// Returns the router of the pages, to be nested under a path of the application.
    pub fn router(self) -> Router {
        let shared = Arc::new(Shared {
            api: Api::new(self.api),
            sessions: Sessions::new(&self.keys, self.session_length, self.has_tls),
        });
        let sign_in = get(sign_in::page).post(sign_in::submit);
        Router::new()
            .route("/sign-in", sign_in.layer(DefaultBodyLimit::max(MAX_SIGN_IN)))
            .route("/", get(approvals::list))
            .route("/changes", get(approvals::changes))
            .route("/approvals/{ticket}", get(approvals::show))
            .route("/approvals/{ticket}/review", post(approvals::review).get(approvals::redirect))
            .route("/approvals/{ticket}/approve", post(approvals::approve).get(approvals::redirect))
            .route("/approvals/{ticket}/decline", post(approvals::decline).get(approvals::redirect))
            .route("/outcomes", get(outcomes::list))
            .route("/outcomes/{id}", get(outcomes::show).post(outcomes::resolve))
            .route("/tools", get(tools::list))
            .route("/tools/{name}", get(tools::show).post(tools::call))
            .route("/traces", get(traces::show).post(traces::replay))
            .route("/ledger", get(ledger::show).post(ledger::verify))
            .route("/sign-out", post(sign_in::sign_out))
            .route("/language/{code}", get(sign_in::choose_language))
            .route(assets::STYLE_PATH, get(assets::style))
            .route(assets::SCRIPT_PATH, get(assets::script))
            .fallback(pages::no_page)
            .layer(DefaultBodyLimit::max(MAX_FORM))
            .layer(map_response(pages::add_headers))
            .with_state(shared)
    }
}
