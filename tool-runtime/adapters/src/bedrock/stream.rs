//! Reads the events of `ConverseStream`, each an object with the event's name as key.

use serde_json::{Map, Value, json};
use tool_runtime_schema::encoding::base64;

use super::blocks::{self, ContentBlock, ToolUse};
use super::read::stop;
use super::usage::metadata;
use crate::format::{
    Delta, OpenBlocks, ParsedResponse, ProviderError, ReadError, ResponseMetadata, ResponseValue,
    StopReason, StreamAssembler, merge_piece, text_in,
};
use crate::names::ToolNames;

/// Stream members that report a failure.
const FAILURES: [&str; 5] = [
    "internalServerException",
    "modelStreamErrorException",
    "validationException",
    "throttlingException",
    "serviceUnavailableException",
];

#[derive(Debug, Default)]
pub(super) struct ConverseStream {
    blocks: OpenBlocks<PartialBlock>,
    stop: Option<StopReason>,
    metadata: ResponseMetadata,
}

/// A block that may be incomplete, as `ContentBlockStart` and `ContentBlockDelta` of botocore's
/// `bedrock-runtime` describe it.
#[derive(Debug, Default)]
struct PartialBlock {
    call: Option<ToolUse>,
    /// The result of a tool of the provider's own.
    result: Option<Map<String, Value>>,
    image: Option<Map<String, Value>>,
    text: Option<String>,
    /// Sources of a text.
    citations: Vec<Value>,
    reasoning: Map<String, Value>,
    /// A part of the block cannot be reassembled.
    is_lost: bool,
}

impl StreamAssembler for ConverseStream {
    fn push(&mut self, event: ResponseValue<'_>) -> Result<Vec<Delta>, ReadError> {
        if let Some(failure) = FAILURES.into_iter().find(|name| event.get(name).is_some()) {
            return Err(ProviderError::new(Some(failure.to_owned()), None).into());
        }
        if event.get("message").is_some() || event.get("__type").is_some() {
            // The body of an error in place of a stream.
            return Err(ProviderError::new(event.enum_value_of("__type"), None).into());
        }
        if let Some(closed) = event.get("messageStop") {
            self.stop = Some(stop(closed));
        }
        if let Some(reported) = event.get("metadata") {
            self.metadata.update(metadata(reported));
        }
        if let Some(ended) = event.get("contentBlockStop") {
            self.blocks.close(index(ended));
        }
        let start = event.get("contentBlockStart").map(|event| self.start(event)).transpose()?;
        let delta = event.get("contentBlockDelta").map(|event| self.append(event)).transpose()?;
        Ok(start.or(delta).flatten().into_iter().collect())
    }

    fn finish(self: Box<Self>, names: &ToolNames) -> ParsedResponse {
        let blocks =
            self.blocks.into_list().into_iter().filter_map(PartialBlock::into_block).collect();
        let stop = self.stop.unwrap_or(StopReason::Interrupted);
        ParsedResponse { metadata: self.metadata, ..blocks::assemble(blocks, stop, names) }
    }
}

impl ConverseStream {
    fn start(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let partial = self.blocks.start(index(event), PartialBlock::default());
        let Some(start) = event.get("start") else { return Ok(None) };
        if let Some(call) = start.get("toolUse") {
            let is_declared = call.get("type").is_none();
            let call = partial.call.insert(ToolUse::read(call)?);
            let name = text_in(&call.fields, "name");
            return Ok(is_declared.then(|| Delta::CallStarted(name.to_owned())));
        }
        let fields = |name| start.get(name).map(|start| start.fields(&[])).transpose();
        (partial.result, partial.image) = (fields("toolResult")?, fields("image")?);
        partial.is_lost = partial.result.is_none() && partial.image.is_none();
        Ok(None)
    }

    fn append(&mut self, event: ResponseValue<'_>) -> Result<Option<Delta>, ReadError> {
        let partial = self.blocks.open(index(event));
        let delta = event.required("delta", "a delta")?;
        if let Some(text) = delta.text_of("text")? {
            partial.text.get_or_insert_default().push_str(&text);
            return Ok(Some(Delta::Text(text)));
        }
        if let Some(reasoning) = delta.get("reasoningContent") {
            append_bytes(&mut partial.reasoning, "redactedContent", reasoning)?;
            merge_piece(&mut partial.reasoning, reasoning.fields(&["redactedContent"])?);
            return Ok(reasoning.text_of("text")?.map(Delta::Thinking));
        }
        if let Some(citation) = delta.get("citation") {
            partial.citations.push(citation.value()?);
        } else if let (Some(input), Some(call)) = (delta.get("toolUse"), &mut partial.call) {
            call.input.push_str(&input.required_json_text("input")?);
        } else if let (Some(content), Some(result)) = (delta.get("toolResult"), &mut partial.result)
        {
            content.items()?.try_for_each(|content| append_content(result, content))?;
        } else if let (Some(piece), Some(image)) = (delta.get("image"), &mut partial.image) {
            append_image(image, piece)?;
        } else {
            partial.is_lost = true;
        }
        Ok(None)
    }
}

fn index(event: ResponseValue<'_>) -> u64 {
    event.number_of("contentBlockIndex").unwrap_or(0)
}

/// Appends a piece of a tool's result; texts are joined.
fn append_content(
    result: &mut Map<String, Value>,
    piece: ResponseValue<'_>,
) -> Result<(), ReadError> {
    let content = result.entry("content").or_insert_with(|| Value::Array(Vec::new()));
    let Value::Array(content) = content else { return Ok(()) };
    let last_item = content.last_mut().and_then(Value::as_object_mut);
    match last_item
        .filter(|last_item| last_item.contains_key("text") && piece.get("text").is_some())
    {
        Some(last_item) => merge_piece(last_item, piece.fields(&[])?),
        None => content.push(piece.fields(&[])?.into()),
    }
    Ok(())
}

fn append_image(image: &mut Map<String, Value>, piece: ResponseValue<'_>) -> Result<(), ReadError> {
    if let Some(source) = piece.get("source") {
        let image_source = image.entry("source").or_insert_with(|| Map::new().into());
        let Value::Object(image_source) = image_source else { return Ok(()) };
        append_bytes(image_source, "bytes", source)?;
        image_source.extend(source.fields(&["bytes"])?);
    }
    image.extend(piece.fields(&["source"])?);
    Ok(())
}

/// Appends bytes in Base64, of which each piece is encoded by itself.
fn append_bytes(
    fields: &mut Map<String, Value>,
    name: &str,
    piece: ResponseValue<'_>,
) -> Result<(), ReadError> {
    let Some(more) = piece.text_of(name)? else { return Ok(()) };
    let current_text = text_in(fields, name);
    let joined = match (base64::decode(current_text), base64::decode(&more)) {
        (Some(current_text), Some(more)) => base64::encode(&[current_text, more].concat()),
        _ => format!("{current_text}{more}"),
    };
    fields.insert(name.to_owned(), joined.into());
    Ok(())
}

impl PartialBlock {
    fn into_block(mut self) -> Option<ContentBlock> {
        if self.is_lost {
            return None;
        }
        if let Some(call) = self.call {
            return Some(call.into());
        }
        let text = self.text.unwrap_or_default();
        let block = if let Some(mut result) = self.result {
            result.entry("content").or_insert_with(|| Value::Array(Vec::new()));
            json!({ "toolResult": result })
        } else if let Some(image) = self.image {
            json!({ "image": image })
        } else if !self.citations.is_empty() {
            let content = json!([{ "text": text }]);
            json!({ "citationsContent": { "content": content, "citations": self.citations } })
        } else if let Some(redacted) = self.reasoning.remove("redactedContent") {
            json!({ "reasoningContent": { "redactedContent": redacted } })
        } else if !self.reasoning.is_empty() {
            json!({ "reasoningContent": { "reasoningText": self.reasoning } })
        } else {
            json!({ "text": text })
        };
        match block {
            Value::Object(fields) => Some(ContentBlock::Other(fields)),
            _ => None,
        }
    }
}
