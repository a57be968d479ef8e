//! The tools: searched, one of them in full, and a call that a person tries.

use std::collections::{BTreeMap, BTreeSet};

use askama::Template;
use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde_json::Value;
use serde_json::value::RawValue;
use uuid::Uuid;

use crate::SharedState;
use crate::api::{NO_SITE, ToolDetails, TriedCall};
use crate::arguments::{ArgumentForm, Arguments, FieldKind};
use crate::pages::{self, FormFields, Layout};
use crate::person::Person;
use crate::session::Credential;
use crate::sign_in;
use crate::text::{self, DisplayText, visible};
use crate::texts::Texts;

/// The tools that a person may call.
#[derive(Template)]
#[template(path = "tools.html")]
struct ToolsPage<'p> {
    layout: Layout<'p>,
    words: &'p str,
    effect: &'p str,
    /// The tools of each toolkit; those without one first.
    toolkits: BTreeMap<String, Vec<ToolRow>>,
    is_first: bool,
    /// The query of the next page.
    next: Option<String>,
}

/// A tool in a line.
struct ToolRow {
    /// The name as a path has it.
    path: String,
    name: String,
    title: String,
    effect: &'static str,
    description: String,
}

/// A tool.
#[derive(Template)]
#[template(path = "tool.html")]
struct ToolPage<'p> {
    layout: Layout<'p>,
    row: ToolRow,
    facts: Vec<(&'static str, String)>,
    arguments: Vec<ArgumentRow>,
    input_schema: DisplayText,
    output_schema: Option<DisplayText>,
    form: Option<ArgumentForm>,
    is_read: bool,
    /// The ticket of a call that waits, which the page was asked for.
    ticket: Option<Uuid>,
    /// The site for which the tool is called.
    site: String,
    /// The command that makes the call from a shell.
    command: String,
    /// The answer to the call that was tried.
    answer: Option<TriedAnswer>,
}

/// An argument in the table of a tool's schema.
struct ArgumentRow {
    name: String,
    kind: String,
    is_required: bool,
    description: String,
}

/// The answer to a call that was tried.
struct TriedAnswer {
    title: &'static str,
    output: Option<DisplayText>,
    error: String,
    /// The trace, in visible characters and as a query has it.
    trace: Option<(String, String)>,
    /// The write that a dry run was for.
    write: Option<PreparedWrite>,
}

/// A write that runs once a person has read what its dry run says.
struct PreparedWrite {
    /// JSON.
    arguments: String,
    /// The idempotency key.
    key: String,
}

/// Shows a page of the tools.
pub(crate) async fn list(
    person: Person,
    State(shared): State<SharedState>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let fields = pages::form_fields(query.as_bytes());
    let [words, effect, after] =
        ["words", "effect", "after"].map(|name| fields.get(name).unwrap_or_default().trim());
    let filters = [("words", words), ("effect", effect), ("after", after)];
    let filters: Vec<_> = filters.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let page = match shared.api.tools(&person.caller(), &filters).await {
        Ok(page) => page,
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    let texts = person.request.texts;
    let mut toolkits: BTreeMap<String, Vec<ToolRow>> = BTreeMap::new();
    for tool in &page.tools {
        let toolkit = visible(tool.toolkit.as_deref().unwrap_or_default()).into_owned();
        toolkits.entry(toolkit).or_default().push(row(tool, texts));
    }
    let page = ToolsPage {
        layout: Layout::new(&person, texts.tools),
        words,
        effect,
        toolkits,
        is_first: after.is_empty(),
        next: page.next.map(|next| {
            let values = [words, effect, &next].map(pages::query_value);
            format!("words={}&effect={}&after={}", values[0], values[1], values[2])
        }),
    };
    pages::render(StatusCode::OK, &page)
}

/// Shows a tool.
pub(crate) async fn show(
    person: Person,
    State(shared): State<SharedState>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Response {
    let query = query.unwrap_or_default();
    let ticket = pages::form_fields(query.as_bytes()).get("ticket").and_then(|it| it.parse().ok());
    match find(&shared, &person, &name).await {
        Ok(tool) => {
            let page = tool_page(&person, &tool, empty_form(&tool), &Tried::default());
            pages::render(StatusCode::OK, &ToolPage { ticket, ..page })
        }
        Err(response) => response,
    }
}

/// Tries a call: a read runs, and so does a write whose dry run a person has read; any other write is dry.
pub(crate) async fn call(
    person: Person,
    State(shared): State<SharedState>,
    Path(name): Path<String>,
    body: Bytes,
) -> Response {
    let fields = pages::form_fields(&body);
    if !person.sent(&fields) {
        return pages::stale_form(&person);
    }
    let tool = match find(&shared, &person, &name).await {
        Ok(tool) => tool,
        Err(response) => return response,
    };
    let site = fields.get("site").unwrap_or_default().trim().to_owned();
    let (form, arguments) = match read(&tool, &fields) {
        Ok(read) => read,
        Err(form) => {
            let page = tool_page(&person, &tool, form, &Tried { site, ..Tried::default() });
            return pages::render(StatusCode::UNPROCESSABLE_ENTITY, &page);
        }
    };
    let is_confirmed = fields.get("confirm").is_some() && !fields.is_by_default_button();
    let key = fields.get("key").filter(|_| is_confirmed);
    let is_dry_run = !tool.is_read() && key.is_none();
    let call = TriedCall { tool: &tool.name, arguments: &arguments, is_dry_run, key };
    let mut caller = person.caller();
    if !site.is_empty() {
        caller.site = &site;
    }
    let answer = match shared.api.call(&caller, &call).await {
        Ok(answer) if answer.status == StatusCode::UNAUTHORIZED => {
            return sign_in::forget(&shared, &person, None);
        }
        Ok(answer) => answer,
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    if let Some(ticket) = answer.ticket {
        // A page that is loaded again asks for no other ticket.
        let (base, path) = (&person.request.base, pages::query_value(&tool.name));
        return Redirect::to(&format!("{base}/tools/{path}?ticket={ticket}")).into_response();
    }
    let texts = person.request.texts;
    let has_answer = answer.status == StatusCode::OK;
    let write = (is_dry_run && has_answer).then(|| PreparedWrite {
        arguments: serde_json::to_string(&arguments).unwrap_or_default(),
        key: Uuid::new_v4().to_string(),
    });
    let visible = |text: &str| visible(text).into_owned();
    let tried_answer = TriedAnswer {
        title: match has_answer {
            true if is_dry_run => texts.try_dry,
            true => texts.try_ran,
            false => texts.try_failed,
        },
        output: answer.output.as_deref().map(text::display_json),
        error: answer.error.as_deref().map(visible).unwrap_or_default(),
        trace: answer.trace.map(|trace| (visible(&trace), pages::query_value(&trace))),
        write,
    };
    let page = tool_page(&person, &tool, form, &Tried { site, arguments });
    pages::render(answer.status, &ToolPage { answer: Some(tried_answer), ..page })
}

/// The parts of a call that a person has tried.
#[derive(Debug, Default)]
struct Tried {
    site: String,
    arguments: Arguments,
}

/// Reads the arguments of a form, or those of the write whose dry run a person has read.
///
/// # Errors
/// Returns the form, with its fields marked that are not what they expect.
fn read(
    tool: &ToolDetails,
    fields: &FormFields<'_>,
) -> Result<(Option<ArgumentForm>, Arguments), Option<ArgumentForm>> {
    if let Some(json) = fields.get("prepared") {
        let arguments: Option<Arguments> = serde_json::from_str(json).ok();
        let arguments = arguments.ok_or_else(|| empty_form(tool))?;
        let raw = RawValue::from_string(json.to_owned()).ok();
        let schema = tool.schema();
        return Ok((ArgumentForm::new(schema.as_ref(), raw.as_deref()), arguments));
    }
    let mut form = empty_form(tool);
    let by_name = fields.by_name();
    let read = form.as_mut().and_then(|form| form.read(|name| by_name.get(name).copied()));
    match read {
        Some(arguments) => Ok((form, arguments)),
        None => Err(form),
    }
}

fn empty_form(tool: &ToolDetails) -> Option<ArgumentForm> {
    let none = RawValue::from_string("{}".to_owned()).ok();
    ArgumentForm::new(tool.schema().as_ref(), none.as_deref())
}

async fn find(shared: &SharedState, person: &Person, name: &str) -> Result<ToolDetails, Response> {
    let texts = person.request.texts;
    let tool = shared.api.tool(&person.caller(), name).await;
    let tool = tool.map_err(|error| pages::refused(shared, person, None, &error))?;
    tool.ok_or_else(|| pages::missing(person, texts.no_tool, texts.no_tool_text))
}

fn tool_page<'p>(
    person: &'p Person,
    tool: &'p ToolDetails,
    form: Option<ArgumentForm>,
    tried: &Tried,
) -> ToolPage<'p> {
    let texts = person.request.texts;
    let facts = [
        (texts.tool, Some(format!("{} {}", tool.name, tool.version))),
        (texts.toolkit, tool.toolkit.clone()),
        (texts.category, tool.category.clone()),
    ];
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    ToolPage {
        layout: Layout::new(person, tool.title.as_deref().unwrap_or(&tool.name)),
        row: row(tool, texts),
        facts: facts.map(|(name, value)| (name, visible(&value).into_owned())).collect(),
        arguments: tool.schema().map(|schema| argument_rows(&schema)).unwrap_or_default(),
        input_schema: text::display_json(&tool.input_schema),
        output_schema: tool.output_schema.as_deref().map(text::display_json),
        form,
        is_read: tool.is_read(),
        ticket: None,
        command: command(person, tool, tried),
        site: tried.site.clone(),
        answer: None,
    }
}

fn row(tool: &ToolDetails, texts: &Texts) -> ToolRow {
    let visible = |text: &str| visible(text).into_owned();
    ToolRow {
        path: pages::query_value(&tool.name),
        name: visible(&tool.name),
        title: visible(tool.title.as_deref().unwrap_or(&tool.name)),
        effect: pages::effect(Some(&tool.effect), texts),
        description: visible(&tool.description),
    }
}

/// Lists the arguments that a schema names, in its order.
fn argument_rows(schema: &Value) -> Vec<ArgumentRow> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|it| it == name));
    let row = |(name, property): (&String, &Value)| ArgumentRow {
        name: visible(name).into_owned(),
        kind: visible(&kind(property)).into_owned(),
        is_required: is_required(name),
        description: {
            let text = property.get("description").and_then(Value::as_str);
            visible(text.unwrap_or_default()).into_owned()
        },
    };
    properties.into_iter().flatten().map(row).collect()
}

/// Says in a line which values an argument takes.
fn kind(property: &Value) -> String {
    const LIMITS: [(&str, &str); 7] = [
        ("minimum", "≥"),
        ("maximum", "≤"),
        ("minLength", "length ≥"),
        ("maxLength", "length ≤"),
        ("pattern", "pattern"),
        ("format", "format"),
        ("default", "default"),
    ];
    let mut words = Vec::new();
    if let Some(choices) = property.get("enum").and_then(Value::as_array) {
        words.push(choices.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "));
    } else {
        match property.get("type") {
            Some(Value::String(kind)) => words.push(kind.clone()),
            Some(Value::Array(kinds)) => {
                let kinds: Vec<_> = kinds.iter().filter_map(Value::as_str).collect();
                words.push(kinds.join(" | "));
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) | None => {}
        }
    }
    for (key, word) in LIMITS {
        match property.get(key) {
            Some(Value::String(text)) if key != "default" => words.push(format!("{word} {text}")),
            Some(value) => words.push(format!("{word} {value}")),
            None => {}
        }
    }
    words.join(", ")
}

/// Writes the command that makes the call, with the variables `API` and `KEY`; the console knows neither the address
/// that others use nor shows a credential. A write is a dry run.
fn command(person: &Person, tool: &ToolDetails, tried: &Tried) -> String {
    let secrets = secrets(tool);
    let public_arguments =
        tried.arguments.iter().filter(|(name, _)| !secrets.contains(name.as_str()));
    let input: BTreeMap<_, _> = public_arguments.collect();
    let input = serde_json::to_string(&input).unwrap_or_default();
    let (name, session) = (Value::from(&*tool.name), &person.session);
    let context = if tool.is_read() { "" } else { r#","context":{"dry_run":true}"# };
    let body = format!(r#"{{"tool_name":{name},"input":{input}{context}}}"#);
    let site = if tried.site.is_empty() { NO_SITE } else { &tried.site };
    let headers = [
        ("Content-Type", "application/json"),
        ("X-Tenant-ID", &session.tenant),
        ("X-Site-ID", site),
        ("X-Trace-ID", "trace-1"),
        ("X-User-ID", &session.user),
    ];
    let headers = headers.into_iter().filter(|(_, value)| !value.is_empty());
    let headers =
        headers.map(|(name, value)| format!("-H {} ", quoted(&format!("{name}: {value}"))));
    let credential = match session.credential {
        Credential::Nothing => "",
        Credential::Key(_) => "-H \"X-Internal-API-Key: $KEY\" ",
        Credential::Token(_) => "-H \"Authorization: Bearer $KEY\" ",
    };
    let command = format!(
        "curl \"$API/tools/call\" {}{credential}-d {}",
        headers.collect::<String>(),
        quoted(&text::with_escapes(&body))
    );
    visible(&command).into_owned()
}

/// Finds the arguments that a shell's history must not have.
fn secrets(tool: &ToolDetails) -> BTreeSet<String> {
    let schema = tool.schema().unwrap_or_default();
    let properties = schema.get("properties").and_then(Value::as_object);
    let is_secret = |property: &Value| property.get("x-sensitivity").is_some();
    let secret = properties.into_iter().flatten().filter(|(_, property)| is_secret(property));
    secret.map(|(name, _)| name.clone()).collect()
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_argument_is_described_in_a_line() {
        for (property, line) in [
            (
                json!({"type": "string", "minLength": 1, "pattern": "^a"}),
                "string, length ≥ 1, pattern ^a",
            ),
            (
                json!({"type": ["integer", "null"], "minimum": 1, "maximum": 9}),
                "integer | null, ≥ 1, ≤ 9",
            ),
            (json!({"enum": ["a", 1]}), "\"a\" | 1"),
            (json!({"type": "string", "default": "x"}), "string, default \"x\""),
            (json!({"$ref": "#/$defs/Place"}), ""),
        ] {
            assert_eq!(kind(&property), line, "{property}");
        }
    }

    #[test]
    fn a_word_is_quoted_for_a_shell() {
        assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
    }
}
