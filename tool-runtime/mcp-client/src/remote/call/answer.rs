//! Reads the answer to a call: structured content or text as data, other content as attachments.

use rmcp::model::{ContentBlock, InputRequiredResult, ResourceContents, ServerResult};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::ErrorCode;
use tool_runtime_core::failure::Failure;
use tool_runtime_core::tool::CallScope;
use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{self, JsonKind, JsonView, ShallowJson};

use super::attach::Attacher;
use super::audited::AuditedError;
use super::failure;
use crate::remote::connect::{TransportFailure, result_text};
use crate::remote::findings::clean_text;
use crate::remote::limits::RemoteLimits;

/// The members of a result that are read.
const MEMBERS: &[&str] = &[
    "content",
    "structuredContent",
    "isError",
    "_meta",
    "resultType",
    "inputRequests",
    "requestState",
];

/// The answer of a server to a call.
#[derive(Debug)]
pub(super) enum CallAnswer {
    Data(RemoteData),
    /// The server asks for input before it goes on.
    InputRequired(Box<InputRequiredResult>),
}

/// The data of an answer, as the server has written it.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(in super::super) enum RemoteData {
    Nothing(()),
    Text(String),
    /// The structured content. It stays a text, so that every number keeps its digits.
    Structured(Box<RawValue>),
}

/// The parts of a result.
#[derive(Debug, Default)]
struct RemoteAnswer<'t> {
    content: Vec<ContentBlock>,
    /// The blocks of no known type.
    unknown: Vec<&'t RawValue>,
    structured: Option<&'t RawValue>,
    is_error: bool,
    meta: &'t str,
}

/// Reads the answer to a call.
pub(super) fn read_answer(
    result: ServerResult,
    call: &CallScope,
    limits: RemoteLimits,
) -> Result<CallAnswer, Failure> {
    let (text, _) = result_text(result).ok_or_else(no_result)?;
    let unreadable = || failure::from_transport(&TransportFailure::Unreadable);
    let members = ShallowJson::object(text.as_bytes(), MEMBERS);
    if let Some(demand) = input_demand(&text, &members) {
        return demand.map(CallAnswer::InputRequired);
    }
    let answer = RemoteAnswer::read(&text, &members)?.ok_or_else(unreadable)?;
    if answer.is_error {
        let meta: Value = serde_json::from_str(answer.meta).unwrap_or_default();
        let error = AuditedError::from_meta(&meta);
        return Err(failure::from_tool_error(&error_text(&answer), error.as_ref(), limits));
    }
    answer.attach(call).map(CallAnswer::Data)
}

fn no_result() -> Failure {
    Failure::from_code(ErrorCode::UpstreamError)
        .with_message("the response of the server is not the result of a tool call")
}

/// Reads a demand for input, if the result is one.
fn input_demand(
    text: &str,
    members: &ShallowJson,
) -> Option<Result<Box<InputRequiredResult>, Failure>> {
    let is_complete = members.has_value("content") || members.has_value("structuredContent");
    let is_demand = ["inputRequests", "requestState"].iter().any(|name| members.has_value(name))
        || members.get(text, "resultType") == Some("\"input_required\"");
    (is_demand && !is_complete).then(|| serde_json::from_str(text).map_err(|_| no_result()))
}

impl<'t> RemoteAnswer<'t> {
    /// Reads a result; none if a part of it cannot be read.
    fn read(text: &'t str, members: &ShallowJson) -> Result<Option<Self>, Failure> {
        let part = |name: &str| members.get(text, name).filter(|part| *part != "null");
        // A value other than `false` may be meant as an error, which must not count as a success.
        let is_error = part("isError").is_some_and(|value| value != "false");
        // An error may have one text or one block in place of a list.
        let is_answer = part("content").is_some_and(|content| is_error || content.starts_with('['))
            || (part("content").is_none() && part("structuredContent").is_some())
            || is_without_content(text);
        if !members.is_object() || !is_answer {
            return Err(no_result());
        }
        let Some((content, unknown)) = blocks(part("content").unwrap_or("[]")) else {
            return Ok(None);
        };
        let structured = match part("structuredContent").map(structured) {
            None => None,
            Some(Some(data)) => Some(data),
            Some(None) => return Ok(None),
        };
        let meta = part("_meta").unwrap_or("null");
        Ok(Some(Self { content, unknown, structured, is_error, meta }))
    }

    /// Attaches what is no data, and returns the data.
    fn attach(self, call: &CallScope) -> Result<RemoteData, Failure> {
        let mut attacher = Attacher::new(call)?;
        if !self.unknown.is_empty() {
            let count = self.unknown.len();
            attacher.warn(format!("{count} parts of the answer have an unknown type"));
        }
        let text = texts(&self.content);
        if clean_text(&text).1.is_some() {
            attacher.warn("the text of the answer has invisible characters".to_owned());
        }
        for block in self.content {
            attacher.attach(block);
        }
        let Some(data) = self.structured else {
            let has_text = !text.is_empty();
            return Ok(if has_text { RemoteData::Text(text) } else { RemoteData::Nothing(()) });
        };
        if !text.is_empty() && !repeats(&text, data.get()) {
            attacher.attach_text(text);
        }
        Ok(RemoteData::Structured(data.to_owned()))
    }
}

/// Returns whether a result has nothing but what every result may have.
fn is_without_content(text: &str) -> bool {
    let members = serde_json::from_str::<std::collections::BTreeMap<&str, &RawValue>>(text);
    members.is_ok_and(|members| members.keys().all(|key| matches!(*key, "_meta" | "resultType")))
}

/// Reads the blocks of an answer, and sets those of no known type apart.
fn blocks(content: &str) -> Option<(Vec<ContentBlock>, Vec<&RawValue>)> {
    let raw_blocks: Vec<&RawValue> = if content.starts_with('[') {
        serde_json::from_str(content).ok()?
    } else {
        vec![serde_json::from_str(content).ok()?]
    };
    let (mut blocks, mut unknown) = (Vec::new(), Vec::new());
    for block in raw_blocks {
        if let Ok(block) = serde_json::from_str(block.get()) {
            blocks.push(block);
        } else {
            // A block that no reader could read is no block of another type.
            json::read(block.get(), &Limits::WIDEST).ok()?;
            unknown.push(block);
        }
    }
    Some((blocks, unknown))
}

/// Checks that structured content can be written as a part of an answer.
fn structured(text: &str) -> Option<&RawValue> {
    let tree = json::read(text, &Limits::WIDEST.with_max_depth(MAX_DEPTH)).ok()?;
    let view = tree.view(text);
    // A number beyond every float makes a whole answer unreadable for some readers.
    let is_finite = |raw: &str| raw.parse::<f64>().is_ok_and(f64::is_finite);
    let mut numbers =
        view.nodes.iter().filter(|node| node.kind == JsonKind::Number && node.is_wide());
    if !numbers.all(|node| is_finite(view.raw(node))) {
        return None;
    }
    serde_json::from_str(text).ok()
}

/// The most levels of structured content, so that an answer has fewer than readers accept.
const MAX_DEPTH: usize = Limits::DEEPEST - 2;

/// Joins the texts of an answer, a line for each.
fn texts(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(&*text.text),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns why a tool failed: its texts, else those of embedded files, of blocks of no known type and of
/// links, else the structured content.
fn error_text(answer: &RemoteAnswer<'_>) -> String {
    let files = answer.content.iter().filter_map(|block| match block {
        ContentBlock::Resource(file) => match &file.resource {
            ResourceContents::TextResourceContents { text, .. } => Some(text.clone()),
            _ => None,
        },
        _ => None,
    });
    let links = answer.content.iter().filter_map(|block| match block {
        ContentBlock::ResourceLink(link) => link.description.clone().or(Some(link.name.clone())),
        _ => None,
    });
    let unknown = answer.unknown.iter().filter_map(|block| text_of_unknown(block));
    let data = answer.structured.map(RawValue::get);
    let data = data.filter(|data| !matches!(*data, "{}" | "[]")).unwrap_or_default();
    let joined = |texts: Vec<String>| texts.join("\n");
    let mut reasons = [
        texts(&answer.content),
        joined(files.collect()),
        joined(unknown.collect()),
        joined(links.collect()),
        data.to_owned(),
    ]
    .into_iter();
    reasons.find(|reason| !reason.trim().is_empty()).unwrap_or_default()
}

/// Returns the text of a block of no known type, which may be a text itself.
fn text_of_unknown(block: &RawValue) -> Option<String> {
    let block = block.get();
    let members = ShallowJson::object(block.as_bytes(), &["text", "message"]);
    let member = |name| -> Option<String> { serde_json::from_str(members.get(block, name)?).ok() };
    serde_json::from_str(block).ok().or_else(|| member("text")).or_else(|| member("message"))
}

/// Returns whether a text repeats the structured content, as servers write it for older clients.
fn repeats(text: &str, data: &str) -> bool {
    let Ok(tree) = json::read(data, &Limits::WIDEST) else { return false };
    let view = tree.view(data);
    // Some servers wrap an answer that is no object into one, and repeat it without.
    let wrapped = view
        .children(0)
        .next()
        .filter(|_| view.node(0).kind == JsonKind::Object && view.node(0).count() == 1);
    let roots = [Some(0), wrapped.map(|(id, _)| id)];
    roots.into_iter().flatten().any(|root| is_text(view, root, text)) || is_value(view, text, roots)
}

fn is_text(view: JsonView<'_>, root: u32, text: &str) -> bool {
    view.node(root).kind == JsonKind::String && view.string(view.node(root)) == text
}

/// Returns whether a text is the JSON of one of these values.
fn is_value(view: JsonView<'_>, text: &str, roots: [Option<u32>; 2]) -> bool {
    // A text of many more values than the data does not repeat it, and is not read.
    let nodes = ShallowJson::object(text.as_bytes(), MEMBERS).nodes();
    if nodes > 2 * view.nodes.len() + 2 {
        return false;
    }
    let Ok(tree) = json::read(text, &Limits::WIDEST) else { return false };
    roots.into_iter().flatten().any(|root| json::equal((view, root), (tree.view(text), 0)))
}

/// Returns the URI of a resource.
pub(super) fn uri_of(resource: &ResourceContents) -> &str {
    match resource {
        ResourceContents::TextResourceContents { uri, .. }
        | ResourceContents::BlobResourceContents { uri, .. } => uri,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<RemoteAnswer<'_>>, Failure> {
        RemoteAnswer::read(text, &ShallowJson::object(text.as_bytes(), MEMBERS))
    }

    #[test]
    fn a_text_that_repeats_the_structured_content_is_recognized() {
        let data = r#"{"sum":3}"#;
        assert!(repeats(r#"{ "sum": 3.0 }"#, data));
        assert!(repeats("3", data), "without the object around it");
        assert!(repeats("ok", r#"{"result":"ok"}"#));
        assert!(repeats(r#"{"b":[],"a":[{}]}"#, r#"{"a":[{}],"b":[]}"#));
        assert!(!repeats("The sum is 3.", data));
        assert!(!repeats("3", r#"{"sum":3,"of":2}"#));
        assert!(!repeats(r#"{"n":12345678901234567890123}"#, r#"{"n":12345678901234567890124}"#));
    }

    #[test]
    fn an_answer_with_an_unknown_block_keeps_the_others() {
        let answer = r#"{"content":[{"type":"text","text":"a"},{"type":"hologram"},
            {"type":"text","text":"b"}],"isError":true}"#;
        let answer = read(answer).unwrap().unwrap();
        assert_eq!((texts(&answer.content).as_str(), answer.unknown.len()), ("a\nb", 1));
        assert!(answer.is_error);
        assert_eq!(read(r#"{"_meta":{}}"#).unwrap().unwrap().unknown.len(), 0);
    }

    #[test]
    fn what_is_no_result_and_what_cannot_be_read_are_told_apart() {
        for other in [r#"{"other":1}"#, "[]", "null", r#"{"content":"a"}"#, r#"{"tools":[]}"#] {
            assert!(read(other).is_err(), "{other}");
        }
        for unreadable in [
            r#"{"content":[{"type":"text","text":"\ud83d"}]}"#.to_owned(),
            r#"{"content":[],"structuredContent":{"a":"\udc00"}}"#.to_owned(),
            format!(r#"{{"structuredContent":{}1{}}}"#, "[".repeat(200), "]".repeat(200)),
        ] {
            assert!(read(&unreadable).unwrap().is_none(), "{unreadable}");
        }
    }

    #[test]
    fn an_error_says_why_wherever_the_server_has_written_it() {
        let why = |answer: &str| error_text(&read(answer).unwrap().unwrap());
        assert_eq!(
            why(r#"{"content":[{"type":"text","text":"no tea"}],"isError":true}"#),
            "no tea"
        );
        let file = r#"{"content":[{"type":"text","text":" "},{"type":"resource","resource":
            {"uri":"error://1","text":"no cup"}}],"isError":true}"#;
        assert_eq!(why(file), "no cup");
        let data = r#"{"content":[],"structuredContent":{"error":"no pot"},"isError":true}"#;
        assert_eq!(why(data), r#"{"error":"no pot"}"#);
        assert_eq!(why(r#"{"content":[],"structuredContent":{},"isError":true}"#), "");
        for content in [
            r#""no leaf""#,
            r#"["no leaf"]"#,
            r#"{"type":"text","text":"no leaf"}"#,
            r#"[{"type":"error","text":"no leaf"}]"#,
            r#"[{"type":"error","code":7,"message":"no leaf"}]"#,
            r#"[{"type":"resource_link","uri":"e://1","name":"e","description":"no leaf"}]"#,
            r#"[{"type":"resource_link","uri":"e://1","name":"no leaf"}]"#,
        ] {
            assert_eq!(why(&format!(r#"{{"isError":true,"content":{content}}}"#)), "no leaf");
        }
    }
}
