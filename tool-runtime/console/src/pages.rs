//! The pages: their templates, the headers of all of them, and the fields of the forms that they send.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use askama::Template;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::SharedState;
use crate::api::ApiError;
use crate::arguments::{ArgumentChange, ArgumentForm, FieldKind};
use crate::assets::{SCRIPT_PATH, STYLE_PATH};
use crate::person::{BrowserRequest, Person};
use crate::sign_in;
use crate::text::{DisplayText, visible};
use crate::texts::{LANGUAGES, Texts};

/// The field that each form of a session has.
pub(crate) const FORM_TOKEN: &str = "form_token";

/// The most fields of a form that are read.
const MAX_FIELDS: usize = 1_000;

/// No inline script or style, nothing from elsewhere, in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The parts that all pages have.
pub(crate) struct Layout<'p> {
    pub(crate) texts: &'static Texts,
    pub(crate) base: &'p str,
    pub(crate) home: &'p str,
    pub(crate) title: &'p str,
    /// The session; `None` before a person has signed in.
    pub(crate) person: Option<&'p Person>,
}

/// A message to the person, above a page.
pub(crate) struct PageMessage {
    pub(crate) headline: String,
    pub(crate) text: String,
}

/// The form to sign in.
#[derive(Template)]
#[template(path = "sign_in.html")]
pub(crate) struct SignInPage<'p> {
    pub(crate) layout: Layout<'p>,
    pub(crate) message: Option<PageMessage>,
    pub(crate) tenant: &'p str,
    pub(crate) user: &'p str,
    pub(crate) ticket: Option<Uuid>,
}

/// The calls that wait.
#[derive(Template)]
#[template(path = "inbox.html")]
pub(crate) struct InboxPage<'p> {
    pub(crate) layout: Layout<'p>,
    pub(crate) rows: Vec<InboxRow>,
    /// The cursor after which the page begins.
    pub(crate) after: Option<Uuid>,
    pub(crate) next: Option<Uuid>,
}

/// A waiting call in a line.
pub(crate) struct InboxRow {
    pub(crate) ticket: Uuid,
    pub(crate) title: String,
    pub(crate) effect: &'static str,
    /// The preview of the call, or else its arguments, in a line.
    pub(crate) summary: String,
    pub(crate) for_whom: String,
    pub(crate) budget: String,
    pub(crate) times: Times,
}

/// The times of a waiting call.
pub(crate) struct Times {
    pub(crate) opened_at: Timestamp,
    pub(crate) expires_at: Timestamp,
    pub(crate) waits_for: String,
    pub(crate) ends_in: String,
}

/// A point in time, for a machine and for a person.
pub(crate) struct Timestamp(pub(crate) DateTime<Utc>);

/// A waiting call.
#[derive(Template)]
#[template(path = "approval.html")]
pub(crate) struct ApprovalPage<'p> {
    pub(crate) layout: Layout<'p>,
    pub(crate) row: InboxRow,
    pub(crate) facts: Vec<(&'static str, String)>,
    pub(crate) reason: Option<String>,
    pub(crate) budgets: Vec<String>,
    pub(crate) preview: Option<DisplayText>,
    pub(crate) attachments: Vec<String>,
    pub(crate) preview_error: Option<String>,
    pub(crate) arguments: Option<DisplayText>,
    pub(crate) form: Option<ArgumentForm>,
    /// True while a person changes the arguments.
    pub(crate) is_editing: bool,
    /// The trace in visible characters.
    pub(crate) trace: String,
    /// The trace as a query has it.
    pub(crate) trace_query: String,
    /// False if the person may only look at the call.
    pub(crate) may_decide: bool,
}

/// The changes of a person, before they approve them.
#[derive(Template)]
#[template(path = "review.html")]
pub(crate) struct ReviewPage<'p> {
    pub(crate) layout: Layout<'p>,
    pub(crate) ticket: Uuid,
    pub(crate) title: String,
    pub(crate) changes: Vec<ArgumentChange>,
    pub(crate) has_budgets: bool,
    /// All arguments as JSON.
    pub(crate) arguments: String,
}

/// The result of a decision.
#[derive(Template)]
#[template(path = "decided.html")]
pub(crate) struct DecidedPage<'p> {
    pub(crate) layout: Layout<'p>,
    pub(crate) ticket: Uuid,
    pub(crate) output: Option<DisplayText>,
    pub(crate) error: String,
}

/// A page that says why there is no other.
#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'p> {
    layout: Layout<'p>,
    text: String,
}

/// The fields that a form sends, in their order.
pub(crate) struct FormFields<'b>(Vec<(Cow<'b, str>, Cow<'b, str>)>);

impl FormFields<'_> {
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the first field of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|field| field.0 == name).map(|field| field.1.as_ref())
    }

    /// Returns whether the return key has sent the form: its first button, which is out of sight, does nothing.
    pub(crate) fn is_by_default_button(&self) -> bool {
        self.get("default").is_some()
    }

    /// Returns the fields by their names.
    pub(crate) fn by_name(&self) -> HashMap<&str, &str> {
        // Reversed, since the last of two pairs stays.
        self.0.iter().rev().map(|(name, value)| (name.as_ref(), value.as_ref())).collect()
    }
}

/// Names an effect; one that a later server has is not named.
pub(crate) fn effect(word: Option<&str>, texts: &Texts) -> &'static str {
    match word {
        Some("read") => texts.effect_read,
        Some("write") => texts.effect_write,
        Some("destructive") => texts.effect_destructive,
        Some(_) | None => "",
    }
}

/// Writes a value as a query has it.
pub(crate) fn query_value(value: &str) -> String {
    form_urlencoded::byte_serialize(value.as_bytes()).collect()
}

/// Reads a form's body, or a query.
pub(crate) fn form_fields(body: &[u8]) -> FormFields<'_> {
    FormFields(form_urlencoded::parse(body).take(MAX_FIELDS).collect())
}

impl InboxPage<'_> {
    /// Returns the query of the stream of changes.
    fn changes(&self) -> String {
        self.after.map(|after| format!("?after={after}")).unwrap_or_default()
    }

    /// Returns the tickets of the page and its next cursor, as the script compares them.
    fn state(&self) -> String {
        let tickets = self.rows.iter().map(|row| row.ticket.to_string());
        let next = self.next.map(|next| next.to_string()).unwrap_or_default();
        tickets.chain([next]).collect::<Vec<_>>().join(" ")
    }
}

impl ApprovalPage<'_> {
    /// Returns whether the page leaves out a part of what a person decides about.
    fn is_cut(&self) -> bool {
        [&self.preview, &self.arguments].into_iter().flatten().any(|text| text.left_out > 0)
    }
}

impl<'p> Layout<'p> {
    pub(crate) fn anonymous(request: &'p BrowserRequest, title: &'p str) -> Self {
        Self {
            texts: request.texts,
            base: &request.base,
            home: request.home(),
            title,
            person: None,
        }
    }

    pub(crate) fn new(person: &'p Person, title: &'p str) -> Self {
        Self { person: Some(person), ..Self::anonymous(&person.request, title) }
    }

    /// Returns the path of the style.
    pub(crate) fn style_path(&self) -> String {
        format!("{}{STYLE_PATH}", self.base)
    }

    /// Returns the path of the script.
    pub(crate) fn script_path(&self) -> String {
        format!("{}{SCRIPT_PATH}", self.base)
    }

    pub(crate) fn form_token(&self) -> &str {
        self.person.map_or("", |person| &person.session.form_token)
    }

    pub(crate) fn languages(&self) -> impl Iterator<Item = &'static Texts> + use<> {
        let code = self.texts.code;
        LANGUAGES.into_iter().filter(move |texts| texts.code != code)
    }
}

impl PageMessage {
    pub(crate) fn new(headline: &str, text: &str) -> Self {
        Self { headline: headline.to_owned(), text: visible(text).into_owned() }
    }
}

impl Timestamp {
    pub(crate) fn machine(&self) -> String {
        self.0.format("%Y-%m-%dT%H:%M:%SZ").to_string()
    }

    pub(crate) fn person(&self) -> String {
        self.0.format("%Y-%m-%d %H:%M UTC").to_string()
    }

    /// Returns the time with its seconds.
    pub(crate) fn second(&self) -> String {
        self.0.format("%Y-%m-%d %H:%M:%S UTC").to_string()
    }
}

impl Times {
    pub(crate) fn new(opened_at: DateTime<Utc>, expires_at: DateTime<Utc>, texts: &Texts) -> Self {
        let now = Utc::now();
        let length =
            |from: DateTime<Utc>, to: DateTime<Utc>| (to - from).to_std().unwrap_or_default();
        Self {
            waits_for: in_words(length(opened_at, now), texts),
            ends_in: in_words(length(now, expires_at), texts),
            opened_at: Timestamp(opened_at),
            expires_at: Timestamp(expires_at),
        }
    }
}

/// Writes a length of time in its largest unit, rounded down.
fn in_words(length: Duration, texts: &Texts) -> String {
    let minutes = length.as_secs() / 60;
    match (minutes / (24 * 60), minutes / 60) {
        (0, 0) => format!("{minutes} {}", texts.minutes),
        (0, hours) => format!("{hours} {}", texts.hours),
        (days, _) => format!("{days} {}", texts.days),
    }
}

/// Renders a page.
pub(crate) fn render(status: StatusCode, page: &impl Template) -> Response {
    match page.render() {
        Ok(html) => (status, [(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
        // No template of the console fails.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Makes the page for data that cannot be shown to a person.
pub(crate) fn unavailable(person: &Person, status: StatusCode, message: &str) -> Response {
    let layout = Layout::new(person, person.request.texts.failed);
    render(status, &ProblemPage { layout, text: visible(message).into_owned() })
}

/// Makes the page for data that cannot be shown before a person has signed in.
pub(crate) fn failed(request: &BrowserRequest, status: StatusCode, message: &str) -> Response {
    let layout = Layout::anonymous(request, request.texts.failed);
    render(status, &ProblemPage { layout, text: visible(message).into_owned() })
}

/// Makes the page for a form of another session: nothing was done.
pub(crate) fn stale_form(person: &Person) -> Response {
    let texts = person.request.texts;
    let layout = Layout::new(person, texts.failed);
    render(StatusCode::FORBIDDEN, &ProblemPage { layout, text: texts.stale_form.to_owned() })
}

/// Makes the page for a call that does not wait.
pub(crate) fn gone(person: &Person) -> Response {
    let texts = person.request.texts;
    missing(person, texts.gone, texts.gone_text)
}

/// Makes the page for something that is not there.
pub(crate) fn missing(person: &Person, title: &str, text: &str) -> Response {
    let layout = Layout::new(person, title);
    render(StatusCode::NOT_FOUND, &ProblemPage { layout, text: text.to_owned() })
}

/// Makes the page for an answer of the API that cannot be shown; who is not admitted any more signs in again, and comes
/// back to the waiting call whose page they have come from.
pub(crate) fn refused(
    shared: &SharedState,
    person: &Person,
    ticket: Option<Uuid>,
    error: &ApiError,
) -> Response {
    let (status, message) = match error {
        ApiError::Refused { status: StatusCode::UNAUTHORIZED, .. } => {
            return sign_in::forget(shared, person, ticket);
        }
        ApiError::Refused { status, message } => (*status, message.clone()),
        ApiError::Header => (StatusCode::BAD_REQUEST, error.to_string()),
        ApiError::TooLong | ApiError::Unreadable => (StatusCode::BAD_GATEWAY, error.to_string()),
    };
    unavailable(person, status, &message)
}

/// Makes the page for a path that the console does not have.
pub(crate) async fn no_page(request: BrowserRequest) -> Response {
    let layout = Layout::anonymous(&request, request.texts.no_page);
    render(StatusCode::NOT_FOUND, &ProblemPage { layout, text: String::new() })
}

/// Adds the headers that protect a page to each response.
pub(crate) async fn add_headers(mut response: Response) -> Response {
    let headers: &mut HeaderMap = response.headers_mut();
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // The paths of waiting calls are nothing for other sites.
        (REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
