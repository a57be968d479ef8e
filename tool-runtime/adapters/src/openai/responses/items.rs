//! Output items of a response.

use serde_json::{Map, Value};

use crate::format::{
    CallNamespace, ParsedCalls, ParsedResponse, ReadError, ResponseValue, StopReason,
    arguments_text, text_in,
};
use crate::names::ToolNames;

/// One output item, possibly incomplete.
#[derive(Debug, Default)]
pub(super) struct OutputItem {
    pub(super) fields: Map<String, Value>,
    /// The arguments of a call.
    pub(super) arguments: String,
}

impl OutputItem {
    /// Reads an item without the `null` fields that the API rejects in a request.
    pub(super) fn read(item: ResponseValue<'_>) -> Result<Self, ReadError> {
        let is_call = item.is("type", "function_call");
        let arguments = if is_call { item.json_text_of("arguments")? } else { None };
        let is_search = item.is("type", "tool_search_call");
        let arguments = match item.get("arguments").filter(|_| is_search) {
            Some(searched) => Some(search_arguments(searched)?),
            None => arguments,
        };
        let but: &[_] = if is_call { &["arguments"] } else { &[] };
        let mut fields = item.fields(but)?;
        let required = NULLABLE.iter().filter(|(kind, _)| item.is("type", kind));
        for name in required.flat_map(|(_, names)| *names).filter(|name| item.is_null(name)) {
            fields.insert((*name).to_owned(), Value::Null);
        }
        if let Some(Value::Array(parts)) = fields.get_mut("content") {
            parts.iter_mut().filter_map(Value::as_object_mut).for_each(remove_nulls);
        }
        if is_call {
            fields.insert("name".to_owned(), item.called_name().into());
        }
        Ok(Self { fields, arguments: arguments.unwrap_or_default() })
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        text_in(&self.fields, "type") == kind
    }

    /// Returns whether the item is a call of a function or of a custom tool.
    pub(super) fn is_call(&self) -> bool {
        self.is("function_call") || self.is("custom_tool_call")
    }

    /// The namespace to which a called tool belongs.
    pub(super) fn namespace(&self) -> Option<CallNamespace> {
        CallNamespace::read(&self.fields, "namespace")
    }

    /// Returns whether the item asks the client to search for tools.
    fn is_client_search(&self) -> bool {
        self.is("tool_search_call") && text_in(&self.fields, "execution") == "client"
    }

    fn is_whole(&self) -> bool {
        !matches!(text_in(&self.fields, "status"), "in_progress" | "incomplete")
    }
}

/// The fields that a request requires although they may be `null`, by the type of item, as in the
/// types of `openai.types.responses`.
const NULLABLE: &[(&str, &[&str])] =
    &[("code_interpreter_call", &["code", "outputs"]), ("image_generation_call", &["result"])];

/// Removes `null` fields, which the API rejects in a request.
fn remove_nulls(part: &mut Map<String, Value>) {
    part.retain(|_, value| !value.is_null());
}

/// Converts the items of a response.
pub(super) fn assemble(
    items: Vec<OutputItem>,
    stop: StopReason,
    names: &ToolNames,
) -> ParsedResponse {
    let mut response = ParsedResponse::empty(stop);
    let mut calls = ParsedCalls::new(names);
    for item in items {
        let is_call =
            item.is_call() || (item.is_client_search() && names.client_search().is_some());
        if response.stop == StopReason::Done && is_call && !item.is_whole() {
            response.stop = StopReason::Interrupted;
        }
        response.add_item(item, &mut calls);
    }
    response.calls = calls.list;
    // Reasoning is accepted only before the item that it led to.
    while response.messages.last().is_some_and(|item| item["type"] == "reasoning") {
        response.messages.pop();
    }
    response
}

impl ParsedResponse {
    fn add_item(&mut self, mut item: OutputItem, calls: &mut ParsedCalls<'_>) {
        if item.is("message") {
            self.read_message(&item.fields);
        } else if item.is("reasoning") {
            self.thinking.push_str(&reasoning(&item.fields));
        } else if item.is("function_call") {
            let (id, name) = (text_in(&item.fields, "call_id"), text_in(&item.fields, "name"));
            let repeated = calls.add(Some(id.to_owned()), name.to_owned(), &item.arguments);
            calls.set_last_caller(item.fields.get("caller").cloned());
            calls.set_last_namespace(item.namespace());
            item.fields.insert("call_id".to_owned(), repeated.id.into());
            item.fields.insert("name".to_owned(), repeated.name.into());
            item.fields.insert("arguments".to_owned(), arguments_text(&item.arguments).into());
        } else if item.is("custom_tool_call") {
            add_custom(&mut item, calls);
        } else if item.is_client_search() {
            add_search(&mut item, calls);
        }
        self.messages.push(item.fields.into());
    }

    fn read_message(&mut self, message: &Map<String, Value>) {
        let Some(parts) = message.get("content").and_then(Value::as_array) else { return };
        let mut message_text = String::new();
        for part in parts {
            let part = part.as_object();
            let text = |name| part.map(|part| text_in(part, name)).unwrap_or_default();
            message_text.push_str(text("text"));
            self.refusal.push_str(text("refusal"));
            if text("type") == "refusal" && self.stop == StopReason::Done {
                self.stop = StopReason::Refused("refusal".to_owned());
            }
        }
        if text_in(message, "phase") == "final_answer" {
            self.texts.push_answer(message_text);
        } else {
            self.texts.push(message_text);
        }
    }
}

/// The arguments of a search as text: the object, or the text of one, which some servers send.
fn search_arguments(arguments: ResponseValue<'_>) -> Result<String, ReadError> {
    let text = arguments.is_text().then(|| arguments.json_text()).transpose()?;
    Ok(text.unwrap_or_else(|| arguments.raw().into()).into_owned())
}

/// The readable reasoning of an item: its summary, and its content if the server sends that.
fn reasoning(item: &Map<String, Value>) -> String {
    let parts = ["summary", "content"].map(|name| item.get(name).and_then(Value::as_array));
    let parts = parts.into_iter().flatten().flatten().filter_map(Value::as_object);
    parts.map(|part| text_in(part, "text")).collect()
}

/// Adds a search that the client executes; it stays as it came if no tool executes it.
///
/// The item requires the arguments, which are an object here, and no text as those of a function.
fn add_search(item: &mut OutputItem, calls: &mut ParsedCalls<'_>) {
    let id = text_in(&item.fields, "call_id").to_owned();
    if let Some(id) = calls.add_search(Some(id), &item.arguments) {
        item.fields.insert("call_id".to_owned(), id.into());
        item.fields.entry("arguments").or_insert_with(|| Map::new().into());
    }
}

/// Adds the call of a custom tool.
fn add_custom(item: &mut OutputItem, calls: &mut ParsedCalls<'_>) {
    let [id, name, input] =
        ["call_id", "name", "input"].map(|name| text_in(&item.fields, name).to_owned());
    let repeated = calls.add_custom(Some(id), name, &input);
    calls.set_last_namespace(item.namespace());
    item.fields.insert("call_id".to_owned(), repeated.id.into());
    item.fields.insert("name".to_owned(), repeated.name.into());
    item.fields.insert("input".to_owned(), input.into());
    // A request's type of the item has none.
    item.fields.remove("status");
}
