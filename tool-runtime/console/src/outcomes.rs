//! The calls whose outcome is unknown, one of them in full, and its resolution.

use askama::Template;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::value::RawValue;

use crate::SharedState;
use crate::api::{ApiError, Resolution, UnknownOutcome};
use crate::pages::{self, FormFields, Layout, PageMessage, Timestamp};
use crate::person::Person;
use crate::text::visible;
use crate::texts::Texts;

/// The calls whose outcome is unknown.
#[derive(Template)]
#[template(path = "outcomes.html")]
struct OutcomesPage<'p> {
    layout: Layout<'p>,
    rows: Vec<OutcomeRow>,
    is_first: bool,
    /// The cursor of the next page, as a query has it.
    next: Option<String>,
}

/// An unknown outcome in a line.
struct OutcomeRow {
    id: u64,
    tool: String,
    for_whom: String,
    key: String,
    since: Option<Timestamp>,
    is_damaged: bool,
}

/// An unknown outcome.
#[derive(Template)]
#[template(path = "outcome.html")]
struct OutcomePage<'p> {
    layout: Layout<'p>,
    row: OutcomeRow,
    facts: Vec<(&'static str, String)>,
    message: Option<PageMessage>,
    /// The fields of a resolution that was refused, so that nothing is typed again.
    answer: String,
    /// That of the form which says that the effect happened.
    reason: String,
    /// That of the other form.
    reason_not: String,
}

/// Shows a page of the unknown outcomes.
pub(crate) async fn list(
    person: Person,
    State(shared): State<SharedState>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let fields = pages::form_fields(query.as_bytes());
    let after = fields.get("after");
    let page = match shared.api.outcomes(&person.caller(), after).await {
        Ok(page) => page,
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    let page = OutcomesPage {
        layout: Layout::new(&person, person.request.texts.outcomes),
        rows: page.outcomes.iter().map(row).collect(),
        is_first: after.is_none(),
        next: page.next.map(|next| pages::query_value(&next)),
    };
    pages::render(StatusCode::OK, &page)
}

/// Shows an unknown outcome.
pub(crate) async fn show(
    person: Person,
    State(shared): State<SharedState>,
    Path(id): Path<String>,
) -> Response {
    match find(&shared, &person, &id).await {
        Ok(outcome) => outcome_page(&person, &outcome, StatusCode::OK, None, &FormFields::none()),
        Err(response) => response,
    }
}

/// Resolves an unknown outcome.
pub(crate) async fn resolve(
    person: Person,
    State(shared): State<SharedState>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let texts = person.request.texts;
    let outcome = match find(&shared, &person, &id).await {
        Ok(outcome) => outcome,
        Err(response) => return response,
    };
    if fields.is_by_default_button() {
        return outcome_page(&person, &outcome, StatusCode::OK, None, &fields);
    }
    let resolution = match resolution(&fields, texts) {
        Ok(resolution) => resolution,
        Err(what) => {
            let message = PageMessage::new(texts.not_resolved, what);
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            return outcome_page(&person, &outcome, status, Some(message), &fields);
        }
    };
    match shared.api.resolve(&person.caller(), outcome.id, &resolution).await {
        Ok(()) => Redirect::to(&format!("{}/outcomes", person.request.base)).into_response(),
        Err(ApiError::Refused { status, message }) if status != StatusCode::UNAUTHORIZED => {
            // The store may have done it, and its answer come too late.
            let headline =
                if status.is_server_error() { texts.resolve_unknown } else { texts.not_resolved };
            let message = PageMessage::new(headline, &message);
            outcome_page(&person, &outcome, status, Some(message), &fields)
        }
        Err(error) => pages::refused(&shared, &person, None, &error),
    }
}

/// Reads the form of a resolution.
///
/// # Errors
/// Says what is missing in it.
fn resolution(fields: &FormFields<'_>, texts: &Texts) -> Result<Resolution, &'static str> {
    let reason = fields.get("reason").unwrap_or_default().trim();
    if fields.get("confirm").is_none() || reason.is_empty() {
        return Err(texts.resolve_needs);
    }
    let reason = reason.to_owned();
    match fields.get("decision") {
        Some("did_not_happen") => Ok(Resolution::DidNotHappen { reason }),
        Some("happened") => {
            let answer = fields.get("answer").unwrap_or_default().trim();
            let answer = RawValue::from_string(answer.to_owned());
            Ok(Resolution::Happened { answer: answer.map_err(|_| texts.answer_is_json)?, reason })
        }
        Some(_) | None => Err(texts.resolve_needs),
    }
}

async fn find(shared: &SharedState, person: &Person, id: &str) -> Result<UnknownOutcome, Response> {
    let texts = person.request.texts;
    let resolved_page = || pages::missing(person, texts.outcome_gone, texts.outcome_gone_text);
    let id = id.parse().map_err(|_| resolved_page())?;
    let outcome = shared.api.outcome(&person.caller(), id).await;
    let outcome = outcome.map_err(|error| pages::refused(shared, person, None, &error))?;
    outcome.ok_or_else(resolved_page)
}

fn outcome_page(
    person: &Person,
    outcome: &UnknownOutcome,
    status: StatusCode,
    message: Option<PageMessage>,
    fields: &FormFields<'_>,
) -> Response {
    let texts = person.request.texts;
    let row = row(outcome);
    let title = row.tool.clone();
    let facts = [
        (texts.for_whom, &outcome.principal),
        (texts.caller, &outcome.asked_by),
        (texts.key, &outcome.key),
        (texts.global_key, &outcome.global_key),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let has_happened = fields.get("decision") == Some("happened");
    let field = |name: &str| fields.get(name).unwrap_or_default().to_owned();
    let page = OutcomePage {
        layout: Layout::new(person, &title),
        facts: facts.map(|(name, value)| (name, visible(value).into_owned())).collect(),
        message,
        answer: field("answer"),
        reason: if has_happened { field("reason") } else { String::new() },
        reason_not: if has_happened { String::new() } else { field("reason") },
        row,
    };
    pages::render(status, &page)
}

fn row(outcome: &UnknownOutcome) -> OutcomeRow {
    OutcomeRow {
        id: outcome.id,
        tool: visible(&outcome.tool_name).into_owned(),
        for_whom: visible(&outcome.principal).into_owned(),
        key: visible(&outcome.key).into_owned(),
        since: outcome.since.map(Timestamp),
        is_damaged: outcome.damaged,
    }
}
