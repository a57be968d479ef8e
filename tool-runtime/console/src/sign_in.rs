//! Signing in and out, and the choice of a language.

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use uuid::Uuid;

use crate::SharedState;
use crate::api::ApiError;
use crate::pages::{self, FormFields, Layout, PageMessage, SignInPage};
use crate::person::{BrowserRequest, LANGUAGE_COOKIE, Person};
use crate::session::{self, Credential, SessionError};
use crate::texts;

/// The time for which a browser keeps the language, in seconds.
const LANGUAGE_LIFETIME: u64 = 365 * 24 * 60 * 60;

/// Finds the waiting call whose page has this path.
pub(crate) fn ticket_of_path(path: &str) -> Option<Uuid> {
    path.strip_prefix("/approvals/")?.split('/').next()?.parse().ok()
}

/// Sends a browser to the form; from a page of a waiting call the person comes back to that call.
pub(crate) fn redirect(base: &str, ticket: Option<Uuid>) -> Response {
    let back = ticket.map(|ticket| format!("?ticket={ticket}")).unwrap_or_default();
    Redirect::to(&format!("{base}/sign-in{back}")).into_response()
}

/// Shows the form to sign in.
pub(crate) async fn page(request: BrowserRequest, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let fields = pages::form_fields(query.as_bytes());
    form(&request, StatusCode::OK, None, &SignIn::read(&fields))
}

/// The fields of the form.
struct SignIn<'s> {
    credential: &'s str,
    tenant: &'s str,
    user: &'s str,
    /// The waiting call whose page the person has come from.
    ticket: Option<Uuid>,
}

impl<'s> SignIn<'s> {
    fn read(fields: &'s FormFields<'_>) -> Self {
        Self {
            credential: fields.get("credential").unwrap_or_default(),
            tenant: fields.get("tenant").unwrap_or_default(),
            user: fields.get("user").unwrap_or_default(),
            ticket: fields.get("ticket").and_then(|ticket| ticket.parse().ok()),
        }
    }
}

/// Begins a session if the API admits the person.
pub(crate) async fn submit(
    request: BrowserRequest,
    State(shared): State<SharedState>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    let fields = SignIn::read(&fields);
    let texts = request.texts;
    // Another site could sign a person in under a name that is not theirs.
    if request.is_from_elsewhere {
        return form(&request, StatusCode::FORBIDDEN, None, &fields);
    }
    let credential = Credential::parse(fields.credential);
    let session = shared.sessions.begin(credential, fields.tenant, fields.user);
    let (session, cookie) = match session {
        Ok(session) => session,
        Err(SessionError::TooLong) => {
            let message = PageMessage::new(texts.sign_in_failed, texts.too_long);
            return form(&request, StatusCode::BAD_REQUEST, Some(message), &fields);
        }
        Err(SessionError::NoRandomness) => {
            return pages::failed(&request, StatusCode::INTERNAL_SERVER_ERROR, "");
        }
    };
    match shared.api.admit(&request.caller(&session)).await {
        Ok(()) => {}
        Err(ApiError::Refused { status, message }) => {
            let message = PageMessage::new(texts.sign_in_failed, &message);
            return form(&request, status, Some(message), &fields);
        }
        Err(error @ (ApiError::Header | ApiError::TooLong | ApiError::Unreadable)) => {
            let message = PageMessage::new(texts.sign_in_failed, &error.to_string());
            return form(&request, StatusCode::BAD_REQUEST, Some(message), &fields);
        }
    }
    let seconds = shared.sessions.length().as_secs();
    let to = match fields.ticket {
        Some(ticket) => {
            Redirect::to(&format!("{}/approvals/{ticket}", request.base)).into_response()
        }
        None => home(&request),
    };
    with_cookie(to, request.cookie(&shared.sessions, session::COOKIE, &cookie, seconds))
}

/// Ends the session in this browser.
pub(crate) async fn sign_out(
    person: Person,
    State(shared): State<SharedState>,
    body: Bytes,
) -> Response {
    if !person.sent(&pages::form_fields(&body)) {
        return pages::stale_form(&person);
    }
    forget(&shared, &person, None)
}

/// Forgets the session in this browser, and sends it to the form.
pub(crate) fn forget(shared: &SharedState, person: &Person, ticket: Option<Uuid>) -> Response {
    let request = &person.request;
    let cookie = request.cookie(&shared.sessions, session::COOKIE, "", 0);
    with_cookie(redirect(&request.base, ticket), cookie)
}

/// Keeps a language in the browser.
pub(crate) async fn choose_language(
    request: BrowserRequest,
    State(shared): State<SharedState>,
    Path(code): Path<String>,
) -> Response {
    let code = texts::find(&code).unwrap_or(request.texts).code;
    let cookie = request.cookie(&shared.sessions, LANGUAGE_COOKIE, code, LANGUAGE_LIFETIME);
    with_cookie(home(&request), cookie)
}

fn form(
    request: &BrowserRequest,
    status: StatusCode,
    message: Option<PageMessage>,
    fields: &SignIn<'_>,
) -> Response {
    let layout = Layout::anonymous(request, request.texts.sign_in);
    let page = SignInPage {
        layout,
        message,
        tenant: fields.tenant,
        user: fields.user,
        ticket: fields.ticket,
    };
    pages::render(status, &page)
}

fn home(request: &BrowserRequest) -> Response {
    Redirect::to(request.home()).into_response()
}

fn with_cookie(mut response: Response, cookie: Option<HeaderValue>) -> Response {
    if let Some(cookie) = cookie {
        response.headers_mut().append(SET_COOKIE, cookie);
    }
    response
}
