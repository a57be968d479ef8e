//! A parsed response, before declared names are resolved.

use std::collections::HashSet;

use serde_json::{Map, Value, json};
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{self, JsonKind};
use uuid::Uuid;

use super::response_value::ResponseValue;
use crate::TurnUsage;
use crate::custom_tools::CustomTool;
use crate::names::ToolNames;
use crate::wide_integers;

/// A parsed response.
#[derive(Debug)]
pub(crate) struct ParsedResponse {
    pub(crate) messages: Vec<Value>,
    pub(crate) texts: ResponseTexts,
    /// The model's readable reasoning.
    pub(crate) thinking: String,
    /// The text with which the model or the provider refuses; empty if there is none.
    pub(crate) refusal: String,
    pub(crate) calls: Vec<ParsedCall>,
    pub(crate) stop: StopReason,
    pub(crate) metadata: ResponseMetadata,
}

/// The texts of one response in the model's order, and the one that is the answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseTexts {
    list: Vec<String>,
    /// The index of the text that the provider marks as the answer.
    answer: Option<usize>,
}

/// Facts about a response that are not its content.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseMetadata {
    /// The provider's id of the response.
    pub(crate) id: Option<String>,
    /// The model that answered.
    pub(crate) model: Option<String>,
    pub(crate) usage: Option<TurnUsage>,
}

/// Why a model stopped. Calls are run only after [`Done`](Self::Done).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// The response is complete, or waits for the calls' answers.
    Done,
    /// The response was cut off by a length limit.
    Length,
    /// The stream ended before the response was closed.
    Interrupted,
    /// The model refused, or a filter stopped it; with the provider's value.
    Refused(String),
    /// Another reason, as the provider names it.
    Other(String),
}

/// The kind of a stop reason, which decides whether the calls of a response run.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "the crates of the library match all kinds")]
pub enum StopKind<'r> {
    /// The response is complete, or waits for the calls' answers.
    Done,
    /// The response ended before it was complete.
    CutOff,
    /// The model refused, or a filter stopped it.
    Refused,
    /// Another reason, as the provider names it.
    Other(&'r str),
}

/// Collects the calls of one response, in the model's order.
#[derive(Debug)]
pub(crate) struct ParsedCalls<'n> {
    pub(crate) list: Vec<ParsedCall>,
    names: &'n ToolNames,
    used_ids: HashSet<String>,
}

/// One call as the provider sent it.
#[derive(Debug, Clone)]
pub(crate) struct ParsedCall {
    /// The provider's id, if any.
    pub(crate) wire_id: Option<String>,
    /// The provider's id; generated if there was none or a duplicate.
    pub(crate) call_id: String,
    /// The name that the model used.
    pub(crate) name: String,
    /// The name in the next request, which the provider accepts.
    pub(crate) repeated_name: String,
    /// The arguments as the model wrote them, which may not be JSON.
    pub(crate) arguments: String,
    /// The location of the arguments in the first message, as a JSON Pointer, if they are an object
    /// there.
    pub(crate) place: Option<String>,
    /// The program that made the call, as OpenAI's Responses API names it, if the model did not.
    pub(crate) caller: Option<Value>,
    pub(crate) form: CallForm,
    /// The set of tools that the provider names for the call.
    pub(crate) namespace: Option<CallNamespace>,
}

/// A set of tools that a provider names for a call, such as a toolset of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CallNamespace {
    /// The field that has the name, which the answer repeats.
    pub(crate) field: &'static str,
    pub(crate) name: String,
}

impl ResponseTexts {
    /// Creates the texts of a response that has one text at most.
    pub(crate) fn from_one(text: String) -> Self {
        let list = if text.is_empty() { Vec::new() } else { vec![text] };
        Self { list, answer: None }
    }

    /// Adds a text after the others.
    pub(crate) fn push(&mut self, text: String) {
        if !text.is_empty() {
            self.list.push(text);
        }
    }

    /// Adds a piece of the last text.
    pub(crate) fn append(&mut self, piece: &str) {
        match self.list.last_mut() {
            Some(last) => last.push_str(piece),
            None => self.push(piece.to_owned()),
        }
    }

    /// Adds a text that the provider marks as the answer.
    pub(crate) fn push_answer(&mut self, text: String) {
        if !text.is_empty() {
            self.answer = Some(self.list.len());
            self.list.push(text);
        }
    }

    /// Returns the answer: the marked text, else the last one that is not blank.
    pub(crate) fn answer(&self) -> &str {
        let marked = self.answer.and_then(|at| self.list.get(at));
        let last = || self.list.iter().rfind(|text| !is_blank(text)).or(self.list.last());
        marked.or_else(last).map_or("", String::as_str)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(String::as_str)
    }
}

impl ResponseMetadata {
    /// Reads the id and the model from the fields of these names.
    pub(crate) fn read(response: ResponseValue<'_>, id: &str, model: &str) -> Self {
        Self { id: response.label_of(id), model: response.label_of(model), usage: None }
    }

    /// Adds what a later event reports: the id and the model stay, the usage is replaced.
    pub(crate) fn update(&mut self, later: Self) {
        self.id = self.id.take().or(later.id);
        self.model = self.model.take().or(later.model);
        self.usage = later.usage.or(self.usage);
    }
}

impl StopReason {
    /// Returns what the reason means for the calls of the response.
    #[doc(hidden)]
    #[must_use]
    pub fn kind(&self) -> StopKind<'_> {
        match self {
            Self::Done => StopKind::Done,
            Self::Length | Self::Interrupted => StopKind::CutOff,
            Self::Refused(_) => StopKind::Refused,
            Self::Other(word) => StopKind::Other(word),
        }
    }

    /// Returns whether the response ended before it was complete.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.kind() == StopKind::CutOff
    }
}

impl CallNamespace {
    /// Reads the namespace of a call; none if the field is absent or blank.
    pub(crate) fn read(fields: &Map<String, Value>, field: &'static str) -> Option<Self> {
        let name = Some(text_in(fields, field)).filter(|name| !is_blank(name))?;
        Some(Self { field, name: name.to_owned() })
    }

    /// Returns the name of a tool in the namespace, which no tool of a runtime can have.
    pub(crate) fn qualified(namespace: Option<&Self>, name: &str) -> String {
        match namespace {
            Some(Self { name: set, .. }) => format!("{set}:{name}"),
            None => name.to_owned(),
        }
    }
}

/// The form in which a provider writes a call, which decides on the form of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallForm {
    Function,
    /// OpenAI's deprecated `function_call`, which has no id.
    DeprecatedFunctionCall,
    /// A call of one of OpenAI's custom tools.
    CustomTool,
    /// OpenAI's `tool_search_call`, where the client executes the search.
    ToolSearch,
}

impl ParsedResponse {
    /// A response without content.
    pub(crate) fn empty(stop: StopReason) -> Self {
        Self {
            messages: Vec::new(),
            texts: ResponseTexts::default(),
            thinking: String::new(),
            refusal: String::new(),
            calls: Vec::new(),
            stop,
            metadata: ResponseMetadata::default(),
        }
    }
}

impl<'n> ParsedCalls<'n> {
    pub(crate) fn new(names: &'n ToolNames) -> Self {
        Self { list: Vec::new(), names, used_ids: HashSet::new() }
    }

    /// Adds a call; returns its id and name for the next request.
    ///
    /// An id is generated if the provider sent none or a duplicate.
    pub(crate) fn add(
        &mut self,
        id: Option<String>,
        name: String,
        arguments: &str,
    ) -> RepeatedCall {
        let wire_id = id.filter(|id| is_id(id));
        let generated = || format!("call_{}", Uuid::now_v7().simple());
        let unused = wire_id.clone().filter(|id| !self.used_ids.contains(id));
        let call_id = unused.unwrap_or_else(generated);
        self.used_ids.insert(call_id.clone());
        let repeated_name = self.names.repeatable(&name).into_owned();
        let repeated = RepeatedCall { id: call_id.clone(), name: repeated_name.clone() };
        let arguments = arguments.to_owned();
        self.list.push(ParsedCall {
            wire_id,
            call_id,
            name,
            repeated_name,
            arguments,
            place: None,
            caller: None,
            form: CallForm::Function,
            namespace: None,
        });
        repeated
    }

    /// Adds the call of a custom tool with its text.
    ///
    /// The text of a call whose tool is not declared as one is taken for JSON.
    pub(crate) fn add_custom(
        &mut self,
        id: Option<String>,
        name: String,
        text: &str,
    ) -> RepeatedCall {
        let argument = self.names.custom_argument(&name);
        let arguments = argument.map(|argument| CustomTool::arguments(argument, text));
        let repeated = self.add(id, name, arguments.as_deref().unwrap_or(text));
        self.set_last_form(CallForm::CustomTool);
        repeated
    }

    /// Adds a search for tools that the client executes; returns its id for the next request.
    ///
    /// Returns `None` if no tool is declared as the search.
    pub(crate) fn add_search(&mut self, id: Option<String>, arguments: &str) -> Option<String> {
        let name = self.names.client_search()?.to_owned();
        let repeated = self.add(id, name, arguments);
        self.set_last_form(CallForm::ToolSearch);
        Some(repeated.id)
    }

    /// Sets the form of the call that was added last.
    fn set_last_form(&mut self, form: CallForm) {
        if let Some(call) = self.list.last_mut() {
            call.form = form;
        }
    }

    /// Says where the first message has the arguments of the call that was added last.
    pub(crate) fn set_pointer_of_last_call(&mut self, place: String) {
        if let Some(call) = self.list.last_mut() {
            call.place = Some(place);
        }
    }

    /// Sets the caller of the call that was added last.
    pub(crate) fn set_last_caller(&mut self, caller: Option<Value>) {
        if let Some(call) = self.list.last_mut() {
            call.caller = caller;
        }
    }

    /// Sets the namespace of the call that was added last.
    pub(crate) fn set_last_namespace(&mut self, namespace: Option<CallNamespace>) {
        if let Some(call) = self.list.last_mut() {
            call.namespace = namespace;
        }
    }

    /// Adds the call of OpenAI's deprecated `function_call`; returns that field of the next request.
    pub(crate) fn add_function_call(&mut self, name: String, arguments: &str) -> Value {
        let repeated = self.add(None, name, arguments);
        self.set_last_form(CallForm::DeprecatedFunctionCall);
        json!({ "name": repeated.name, "arguments": arguments_text(arguments) })
    }
}

/// A call's id and name in the next request.
#[derive(Debug)]
pub(crate) struct RepeatedCall {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// Arguments as an object for the next request: `{}` if they are not an object.
pub(crate) fn arguments_object(arguments: &str) -> Value {
    let read = || {
        if !wide_integers::may_be_in(arguments) {
            return json::from_text(arguments).ok();
        }
        let tree = json::read(arguments, &Limits::WIDEST).ok()?;
        ResponseValue::root(&tree, arguments).value().ok()
    };
    let value: Option<Value> = read().filter(Value::is_object);
    value.unwrap_or_else(|| Map::new().into())
}

/// Arguments as text for the next request: `{}` if they are not an object.
pub(crate) fn arguments_text(arguments: &str) -> &str {
    let tree = json::read(arguments, &Limits::WIDEST);
    let is_object = tree.is_ok_and(|tree| tree.view(arguments).node(0).kind == JsonKind::Object);
    if is_object { arguments } else { "{}" }
}

/// The raw arguments of an object; an empty text if they are absent.
pub(crate) fn raw_arguments(arguments: Option<ResponseValue<'_>>) -> String {
    arguments.map(ResponseValue::raw).unwrap_or_default().to_owned()
}

/// Merges a streamed piece into an object: texts and lists are appended, other values replaced.
pub(crate) fn merge_piece(fields: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (name, value) in piece {
        match (fields.get_mut(&name), value) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(list)), Value::Array(more)) => list.extend(more),
            (_, value) => drop(fields.insert(name, value)),
        }
    }
}

/// The text of a field; empty if absent.
pub(crate) fn text_in<'m>(fields: &'m Map<String, Value>, name: &str) -> &'m str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns whether a text is the id of a call. Some servers send the text `null` for every call that has
/// none.
pub(crate) fn is_id(id: &str) -> bool {
    !matches!(id, "" | "null" | "None")
}

/// Returns whether a text block is blank, which every provider rejects.
pub(crate) fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
