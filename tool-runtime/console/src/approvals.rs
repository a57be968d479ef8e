//! The inbox: the calls that wait, one of them in full, and the decision about it.

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::value::RawValue;
use tool_contracts::Attachment;
use tool_runtime_core::effect_state::EffectState;
use uuid::Uuid;

use crate::SharedState;
use crate::api::{ApiError, Approval, Decided, Decision};
use crate::arguments::ArgumentForm;
use crate::pages::{
    self, ApprovalPage, DecidedPage, InboxPage, InboxRow, Layout, ReviewPage, Times,
};
use crate::person::Person;
use crate::sign_in;
use crate::text::{self, visible};
use crate::texts::Texts;

/// Shows a page of the waiting calls.
pub(crate) async fn list(
    person: Person,
    State(shared): State<SharedState>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let after = pages::form_fields(query.as_bytes()).get("after").and_then(|it| it.parse().ok());
    let page = match shared.api.approvals(&person.caller(), after).await {
        Ok(page) => page,
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    let texts = person.request.texts;
    let rows = page.approvals.iter().map(|approval| row(approval, texts)).collect();
    let layout = Layout::new(&person, texts.inbox);
    let page = InboxPage { layout, rows, after, next: page.next };
    pages::render(StatusCode::OK, &page)
}

/// Follows the calls of a page, or one call, with server-sent events.
pub(crate) async fn changes(
    person: Person,
    State(shared): State<SharedState>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let fields = pages::form_fields(query.as_bytes());
    let parameters = ["after", "ticket"].map(|name| fields.get(name).map(|value| (name, value)));
    let parameters: Vec<_> = parameters.into_iter().flatten().collect();
    match shared.api.changes(&person.caller(), &parameters).await {
        Ok(events) => ([(CONTENT_TYPE, "text/event-stream")], events).into_response(),
        Err(ApiError::Refused { status, .. }) => status.into_response(),
        Err(ApiError::Header | ApiError::TooLong | ApiError::Unreadable) => {
            StatusCode::BAD_REQUEST.into_response()
        }
    }
}

/// Shows a waiting call.
pub(crate) async fn show(
    person: Person,
    State(shared): State<SharedState>,
    Path(ticket): Path<String>,
) -> Response {
    match find(&shared, &person, &ticket).await {
        Ok((approval, form)) => approval_page(&person, &approval, form, StatusCode::OK),
        Err(response) => response,
    }
}

/// Shows what a person has changed in the arguments of a call, or the form again if they cannot be read.
pub(crate) async fn review(
    person: Person,
    State(shared): State<SharedState>,
    Path(ticket): Path<String>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let (approval, form) = match find(&shared, &person, &ticket).await {
        Ok(waiting) => waiting,
        Err(response) => return response,
    };
    let Some(mut form) = form.filter(|_| approval.may_decide) else {
        return approval_page(&person, &approval, None, StatusCode::OK);
    };
    let by_name = fields.by_name();
    let Some(edited) = form.read(|name| by_name.get(name).copied()) else {
        return approval_page(&person, &approval, Some(form), StatusCode::UNPROCESSABLE_ENTITY);
    };
    let page = ReviewPage {
        layout: Layout::new(&person, person.request.texts.changes),
        ticket: approval.ticket,
        title: visible(title(&approval)).into_owned(),
        changes: form.changes(&edited),
        has_budgets: !approval.budgets.is_empty(),
        arguments: serde_json::to_string(&edited).unwrap_or_default(),
    };
    pages::render(StatusCode::OK, &page)
}

/// Approves a call, with other arguments if the form has some, and shows what it has answered.
pub(crate) async fn approve(
    person: Person,
    State(shared): State<SharedState>,
    Path(ticket): Path<String>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let Ok(ticket) = ticket.parse::<Uuid>() else { return pages::gone(&person) };
    if fields.is_by_default_button() || fields.get("confirm").is_none() {
        return to_call(&person, ticket);
    }
    let exceed_budgets = fields.get("exceed_budgets").is_some();
    let decision = match fields.get("arguments").map(|it| RawValue::from_string(it.to_owned())) {
        None => Decision::Approve { exceed_budgets },
        Some(Ok(arguments)) => Decision::Edit { arguments, exceed_budgets },
        // The console writes the field; the API checks what is in it.
        Some(Err(error)) => {
            return pages::unavailable(&person, StatusCode::BAD_REQUEST, &error.to_string());
        }
    };
    decide(&shared, &person, ticket, &decision).await
}

/// Declines a call for good.
pub(crate) async fn decline(
    person: Person,
    State(shared): State<SharedState>,
    Path(ticket): Path<String>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let Ok(ticket) = ticket.parse::<Uuid>() else { return pages::gone(&person) };
    let feedback = fields.get("feedback").unwrap_or_default().trim().replace("\r\n", "\n");
    if feedback.is_empty() {
        return to_call(&person, ticket);
    }
    decide(&shared, &person, ticket, &Decision::Decline { feedback }).await
}

async fn decide(
    shared: &SharedState,
    person: &Person,
    ticket: Uuid,
    decision: &Decision,
) -> Response {
    let (caller, texts) = (person.caller(), person.request.texts);
    let decided = match shared.api.decide(&caller, ticket, decision).await {
        Ok(decided) => decided,
        Err(ApiError::Header) => {
            return pages::refused(shared, person, Some(ticket), &ApiError::Header);
        }
        // The call may have run.
        Err(error) => {
            let layout = Layout::new(person, texts.decided_unknown);
            let page = DecidedPage { layout, ticket, output: None, error: error.to_string() };
            return pages::render(StatusCode::BAD_GATEWAY, &page);
        }
    };
    if decided.status == StatusCode::UNAUTHORIZED {
        return sign_in::forget(shared, person, Some(ticket));
    }
    let title = match (decision, decided.status) {
        (Decision::Decline { .. }, StatusCode::OK) => texts.decided_declined,
        (Decision::Approve { .. } | Decision::Edit { .. }, StatusCode::OK) => {
            texts.decided_approved
        }
        // The list alone knows that the call still waits.
        _ if waits(shared, person, ticket).await => texts.decided_refused,
        _ => headline(&decided, texts),
    };
    let page = DecidedPage {
        layout: Layout::new(person, title),
        ticket,
        output: decided.output.as_deref().map(text::display_json),
        error: decided.error.as_deref().map(visible).unwrap_or_default().into_owned(),
    };
    pages::render(decided.status, &page)
}

async fn waits(shared: &SharedState, person: &Person, ticket: Uuid) -> bool {
    matches!(shared.api.approval(&person.caller(), ticket).await, Ok(Some(_)))
}

/// Says what has become of a decision without success, and no more than the API's answer shows.
const fn headline(decided: &Decided, texts: &'static Texts) -> &'static str {
    match decided.effect {
        _ if decided.is_rejected => texts.decided_before,
        Some(EffectState::None) => texts.decided_without_effect,
        Some(EffectState::Unknown) => texts.decided_unknown,
        Some(EffectState::Done) => texts.decided_done,
        None => texts.decided_failed,
    }
}

/// Sends a browser that opens the address of a form again to the call.
pub(crate) async fn redirect(person: Person, Path(ticket): Path<String>) -> Response {
    match ticket.parse() {
        Ok(ticket) => to_call(&person, ticket),
        Err(_) => pages::gone(&person),
    }
}

fn to_call(person: &Person, ticket: Uuid) -> Response {
    Redirect::to(&format!("{}/approvals/{ticket}", person.request.base)).into_response()
}

async fn find(
    shared: &SharedState,
    person: &Person,
    ticket: &str,
) -> Result<(Approval, Option<ArgumentForm>), Response> {
    let ticket = ticket.parse().map_err(|_| pages::gone(person))?;
    let caller = person.caller();
    let approval = shared.api.approval(&caller, ticket).await;
    let approval =
        approval.map_err(|error| pages::refused(shared, person, Some(ticket), &error))?;
    let approval = approval.ok_or_else(|| pages::gone(person))?;
    // Without the schema the arguments are edited as JSON, and the call can be declined all the same.
    let schema = shared.api.input_schema(&caller, &approval.tool_name).await.unwrap_or_default();
    let form = ArgumentForm::new(schema.as_ref(), approval.arguments.as_deref());
    Ok((approval, form))
}

fn approval_page(
    person: &Person,
    approval: &Approval,
    form: Option<ArgumentForm>,
    status: StatusCode,
) -> Response {
    let texts = person.request.texts;
    let text = |text: &str| visible(text).into_owned();
    let facts = [
        (texts.tool, Some(format!("{} {}", approval.tool_name, approval.version))),
        (texts.for_whom, Some(approval.principal.clone())),
        (texts.caller, approval.asked_by.clone()),
        (texts.site, approval.site_id.clone()),
        (texts.session, approval.session_id.clone()),
        (texts.ticket, Some(approval.ticket.to_string())),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, text(&value?))));
    let row = row(approval, texts);
    let title = row.title.clone();
    let page = ApprovalPage {
        layout: Layout::new(person, &title),
        facts: facts.collect(),
        reason: approval.reason.as_deref().map(text),
        budgets: approval.budgets.iter().map(|budget| text(budget)).collect(),
        preview: approval.preview.as_deref().map(text::display_json),
        attachments: approval.preview_attachments.iter().map(attachment).collect(),
        preview_error: approval.preview_error.as_deref().map(text),
        arguments: approval.arguments.as_deref().map(text::display_json),
        form,
        is_editing: status != StatusCode::OK,
        trace: text(&approval.trace_id),
        trace_query: pages::query_value(&approval.trace_id),
        may_decide: approval.may_decide,
        row,
    };
    pages::render(status, &page)
}

fn row(approval: &Approval, texts: &Texts) -> InboxRow {
    InboxRow {
        ticket: approval.ticket,
        title: visible(title(approval)).into_owned(),
        effect: pages::effect(approval.effect.as_deref(), texts),
        summary: summary(approval),
        for_whom: visible(&approval.principal).into_owned(),
        budget: approval.budgets.first().map(|it| visible(it).into_owned()).unwrap_or_default(),
        times: Times::new(approval.opened_at, approval.expires_at, texts),
    }
}

/// Says in a line what would happen: the tool's preview, or else its arguments.
fn summary(approval: &Approval) -> String {
    let described = approval.preview.as_deref().or(approval.arguments.as_deref());
    described.map(text::one_line).unwrap_or_default()
}

fn title(approval: &Approval) -> &str {
    approval.title.as_deref().unwrap_or(&approval.tool_name)
}

/// Describes an attachment of a preview: its name, type and size.
fn attachment(attachment: &Attachment) -> String {
    let name = attachment.name().unwrap_or_default();
    let size = attachment.size().map(|size| format!(", {size} B")).unwrap_or_default();
    visible(&format!("{name} ({}{size})", attachment.media_type())).into_owned()
}
