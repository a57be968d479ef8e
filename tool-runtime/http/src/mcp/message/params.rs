//! The parts of a request's parameters that its handler reads. Nothing else of them is passed on.

use std::borrow::Cow;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};
use tool_runtime_schema::json::value_count;

use super::members::{Members, each_member};
use super::{INVALID_PARAMS, MessageFault};

/// The members of `_meta` that are read, in addition to the capabilities.
const META: [&str; 5] =
    ["progressToken", "traceparent", "tracestate", META_REVISION, "tool-runtime/idempotency-key"];

/// The member of `_meta` with the revision of the protocol.
const META_REVISION: &str = "io.modelcontextprotocol/protocolVersion";

/// The member of `_meta` with the client's capabilities.
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// The extension of the protocol that changes how a call is answered.
const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The longest text of a client's name and version that its session keeps, in bytes of JSON.
const MAX_CLIENT_TEXT: usize = 256;

/// The parameters of a message.
#[derive(Debug, Default)]
pub(super) struct SentParams<'b> {
    members: Members<'b>,
    /// The members of `_meta` that are read; none without `_meta`.
    pub(super) meta: Option<Map<String, Value>>,
    /// The name of the called tool.
    pub(super) name: Option<Cow<'b, str>>,
    /// The arguments of the called tool.
    pub(super) arguments: Option<&'b RawValue>,
    /// The number of values that are passed on.
    pub(super) values: usize,
}

/// Returns the members of `params` that are read, in addition to `_meta`.
fn members_of(method: &str) -> &'static [&'static str] {
    match method {
        "tools/call" => &["name", "arguments", "inputResponses", "requestState"],
        "initialize" => &["protocolVersion", "capabilities", "clientInfo"],
        "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list" => {
            &["cursor"]
        }
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => &["uri"],
        "prompts/get" => &["name"],
        "completion/complete" => &["ref", "argument"],
        "logging/setLevel" => &["level"],
        "tasks/get" | "tasks/cancel" => &["taskId"],
        "tasks/update" => &["taskId", "inputResponses"],
        "subscriptions/listen" => &["notifications"],
        "notifications/cancelled" => &["requestId"],
        "notifications/progress" => &["progressToken", "progress"],
        _ => &[],
    }
}

impl<'b> SentParams<'b> {
    /// Reads the parameters of a message with this method.
    pub(super) fn read(method: &str, params: &'b RawValue) -> Result<Self, MessageFault> {
        let object = "`params`: expected an object";
        let read_names = members_of(method);
        let mut read = Self::default();
        let mut repeated = None;
        let mut meta = None;
        each_member(params.get().as_bytes(), |name, value| {
            let read_name = read_names.iter().find(|read_name| **read_name == name).copied();
            let is_repeated = match read_name {
                Some("arguments") => read.arguments.replace(value).is_some(),
                Some(name) => read.add(name, value),
                None if name == "_meta" => meta.replace(value).is_some(),
                None => false,
            };
            if is_repeated {
                repeated = read_name.or(Some("_meta"));
            }
        })
        .map_err(|_| MessageFault::new(INVALID_PARAMS, object))?;
        if let Some(name) = repeated {
            let words = format!("`params.{name}`: expected it once, not repeated");
            return Err(MessageFault::new(INVALID_PARAMS, words));
        }
        let meta = meta.filter(|meta: &&RawValue| meta.get() != "null").map(meta_of).transpose();
        let words = "`params._meta`: expected an object";
        read.meta = meta.map_err(|_| MessageFault::new(INVALID_PARAMS, words))?;
        read.check(method)?;
        read.values = read.members.0.iter().map(|(_, it)| value_count(it.get().as_bytes())).sum();
        Ok(read)
    }

    /// Returns the parameters of a message without any.
    pub(super) fn none(method: &str) -> Result<Self, MessageFault> {
        let mut none = Self::default();
        none.check(method)?;
        Ok(none)
    }

    fn check(&mut self, method: &str) -> Result<(), MessageFault> {
        match method {
            "tools/call" => self.check_call(),
            "initialize" => self.check_opening(),
            _ => Ok(()),
        }
    }

    /// Adds a member; true if it was sent before.
    fn add(&mut self, name: &'static str, value: &'b RawValue) -> bool {
        let is_repeated = self.get(name).is_some();
        self.members.0.push((name, Cow::Borrowed(value)));
        is_repeated
    }

    /// Returns a member.
    pub(super) fn get(&self, name: &str) -> Option<&RawValue> {
        self.members.0.iter().find(|(member, _)| *member == name).map(|(_, value)| &**value)
    }

    /// Checks the parameters of a call of a tool.
    fn check_call(&mut self) -> Result<(), MessageFault> {
        if self.arguments.is_some_and(|it| !it.get().starts_with('{')) {
            let words = "`params.arguments`: expected an object with the tool's arguments";
            return Err(MessageFault::new(INVALID_PARAMS, words));
        }
        let name = self.members.0.iter().find(|(member, _)| *member == "name");
        let name = name.and_then(|(_, name)| match name {
            Cow::Borrowed(name) => serde_json::from_str(name.get()).ok(),
            Cow::Owned(_) => None,
        });
        let words = "`params.name`: expected a string with the tool's name";
        self.name = Some(name.ok_or_else(|| MessageFault::new(INVALID_PARAMS, words))?);
        Ok(())
    }

    /// Checks the parameters of `initialize`, and reduces them to what a session keeps.
    fn check_opening(&mut self) -> Result<(), MessageFault> {
        if self.names_stateless_revision() && self.get("protocolVersion").is_none() {
            // These revisions have no sessions: the protocol answers that there is no such method.
            self.members = Members::default();
            return Ok(());
        }
        let required = |name, is_right: fn(&str) -> bool, words| match self.get(name) {
            Some(value) if is_right(value.get()) => Ok(value),
            Some(_) | None => Err(MessageFault::new(INVALID_PARAMS, words)),
        };
        let is_text = |json: &str| json.starts_with('"') && json.len() <= MAX_CLIENT_TEXT;
        let is_object = |json: &str| json.starts_with('{');
        let words = "`params.protocolVersion`: expected a string with the revision";
        let version = required("protocolVersion", is_text, words)?.to_owned();
        let words = "`params.capabilities`: expected an object";
        let capabilities = capabilities(required("capabilities", is_object, words)?);
        let words = "`params.clientInfo`: expected an object with `name` and `version`";
        let client = client(required("clientInfo", is_object, words)?);
        let client = client.ok_or_else(|| MessageFault::new(INVALID_PARAMS, words))?;
        self.members = Members::default();
        let reduced = [("capabilities", capabilities), ("clientInfo", client)];
        self.members.0.push(("protocolVersion", Cow::Owned(version)));
        self.members.0.extend(reduced.iter().filter_map(|(name, value)| owned(name, value)));
        Ok(())
    }

    /// Returns whether the request names its revision itself, as requests without a session do.
    fn names_stateless_revision(&self) -> bool {
        self.meta.as_ref().is_some_and(|meta| meta.contains_key(META_REVISION))
    }

    /// Returns the parameters as they are passed on, with these arguments of a call.
    pub(super) fn into_members(mut self, arguments: Option<&'b RawValue>) -> Option<Members<'b>> {
        if let Some(arguments) = arguments {
            self.members.0.push(("arguments", Cow::Borrowed(arguments)));
        }
        if let Some(meta) = self.meta {
            self.members.0.extend(owned("_meta", &Value::Object(meta)));
        }
        (!self.members.0.is_empty()).then_some(self.members)
    }
}

fn owned<'b>(name: &'static str, value: &Value) -> Option<(&'static str, Cow<'b, RawValue>)> {
    Some((name, Cow::Owned(to_raw_value(value).ok()?)))
}

/// Reads the members of `_meta` that are read; one of another kind than text and number is null.
fn meta_of(meta: &RawValue) -> serde_json::Result<Map<String, Value>> {
    let mut read = Map::new();
    each_member(meta.get().as_bytes(), |name, value| {
        if name == META_CAPABILITIES {
            if value.get().starts_with('{') {
                read.insert(name.to_owned(), capabilities(value));
            }
        } else if META.contains(&name) {
            let is_scalar = !value.get().starts_with(['{', '[']);
            let value = is_scalar.then(|| serde_json::from_str(value.get()).ok()).flatten();
            read.insert(name.to_owned(), value.unwrap_or_default());
        }
    })?;
    Ok(read)
}

/// Returns what is read of a client's capabilities: how its user is asked, and whether it has tasks.
fn capabilities(sent: &RawValue) -> Value {
    let mut read = Map::new();
    let each = each_member(sent.get().as_bytes(), |name, value| {
        let read_names: &[&str] = match name {
            "elicitation" => &["form", "url"],
            "extensions" => &[TASKS],
            _ => return,
        };
        if value.get().starts_with('{') {
            read.insert(name.to_owned(), names(value, read_names));
        }
    });
    debug_assert!(each.is_ok(), "it was read as a part of the message");
    Value::Object(read)
}

/// Returns an object with the listed names that an object has, without their settings.
fn names(object: &RawValue, names: &[&str]) -> Value {
    let mut read = Map::new();
    let each = each_member(object.get().as_bytes(), |name, value| {
        if names.contains(&name) && value.get() != "null" {
            read.insert(name.to_owned(), json!({}));
        }
    });
    debug_assert!(each.is_ok(), "it was read as a part of the message");
    Value::Object(read)
}

/// Returns the name and the version of a client, unless they are too long; `None` without them.
fn client(sent: &RawValue) -> Option<Value> {
    let mut read = Map::new();
    each_member(sent.get().as_bytes(), |name, value| {
        if matches!(name, "name" | "version") && value.get().starts_with('"') {
            let is_short = value.get().len() <= MAX_CLIENT_TEXT;
            let text = is_short.then(|| serde_json::from_str(value.get()).ok()).flatten();
            read.insert(name.to_owned(), text.unwrap_or_else(|| "".into()));
        }
    })
    .ok()?;
    (read.len() == 2).then_some(Value::Object(read))
}
