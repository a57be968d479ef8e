//! The interface that each dialect implements, and the types that the implementations share.

mod answer_content;
mod attached_content;
mod call_choice;
mod declared_tool;
mod open_blocks;
mod parsed_response;
mod read_error;
mod response_value;
mod stream_assembler;

use serde_json::{Map, Value};

pub use self::answer_content::data_with_notes;
pub(super) use self::answer_content::{AnswerBody, AnswerContent, PreparedAnswer, ShownPart};
pub(super) use self::attached_content::{
    AttachedContent, AttachedSource, COMMON_IMAGES, FileRules, IMAGES_AND_GIF, data_url,
};
pub(super) use self::call_choice::{CallChoice, UnsupportedRule};
pub use self::declared_tool::DeclaredTool;
pub(super) use self::declared_tool::{DeclaredToolkit, ToolLoading};
pub(super) use self::open_blocks::OpenBlocks;
pub(super) use self::parsed_response::{
    CallForm, CallNamespace, ParsedCall, ParsedCalls, ParsedResponse, ResponseMetadata,
    ResponseTexts, arguments_object, arguments_text, is_blank, is_id, merge_piece, raw_arguments,
    text_in,
};
pub use self::parsed_response::{StopKind, StopReason};
pub use self::read_error::{ProviderError, ReadError};
pub(super) use self::response_value::{ResponseValue, parse};
pub use self::stream_assembler::Delta;
pub(super) use self::stream_assembler::StreamAssembler;
use super::framing::StreamFraming;
use super::limits::{DeclarationLimits, UNLIMITED};
use super::names::{NameRules, ToolNames};
use super::provider_schema::DialectProfile;
use super::strict_quota::StrictQuota;
use super::{CacheLifetime, ToolSearch};

/// Defines everything that differs between dialects.
///
/// Each dialect implements it in its own folder, and `Dialect::format` returns the implementation.
pub(super) trait DialectFormat {
    /// Returns the names of tools that the provider accepts.
    fn name_rules(&self) -> &'static NameRules;

    /// Returns the part of JSON Schema that the provider supports.
    fn profile(&self) -> &'static DialectProfile;

    /// Returns the part of JSON Schema that the provider can enforce; `None` if it enforces none.
    fn strict_profile(&self) -> Option<&'static DialectProfile> {
        None
    }

    /// Returns whether declarations are strict unless the host chooses otherwise.
    fn is_strict_by_default(&self) -> bool {
        true
    }

    /// Returns the published limits on the declarations of one request.
    fn limits(&self) -> DeclarationLimits {
        UNLIMITED
    }

    /// Returns whether a program that the model writes may call strict tools.
    fn lets_programs_call_strict_tools(&self) -> bool {
        true
    }

    /// Returns the limits on all strict tools of one request together.
    fn strict_quota(&self) -> Option<StrictQuota> {
        None
    }

    /// Returns whether tools can take text in place of JSON.
    fn has_custom_tools(&self) -> bool {
        false
    }

    /// Returns whether a declaration has a field for examples of arguments.
    fn has_examples(&self) -> bool {
        false
    }

    /// Returns the declaration of the provider's own search for deferred tools; `None` if it has none.
    fn search_tool(&self, _: ToolSearch) -> Option<Value> {
        None
    }

    /// Returns whether the provider's own search can be executed by the client.
    fn has_client_executed_search(&self) -> bool {
        false
    }

    /// Writes the declaration of one tool.
    fn declaration(&self, tool: &DeclaredTool) -> Value;

    /// Writes the declarations of the tools that the provider's own search finds.
    fn deferred_declarations(&self, tools: &[&DeclaredTool]) -> Vec<Value> {
        tools.iter().map(|tool| self.declaration(tool)).collect()
    }

    /// Marks the end of a list of declarations for the prompt cache, if the provider has marks.
    fn mark_declarations(&self, _: &mut Vec<Value>, _: CacheLifetime) {}

    /// Combines the declarations of all tools to the value of the request's field.
    fn declarations(&self, tools: Vec<Value>) -> Value {
        Value::Array(tools)
    }

    /// Returns the name of the request's field for the declarations.
    fn request_field(&self) -> &'static str {
        "tools"
    }

    /// Returns whether a request can limit the calls to some of its declared tools.
    fn lists_allowed_tools(&self) -> bool {
        false
    }

    /// Adds the rules for calls to the fields of a request, which contain the declarations.
    fn write_choice(
        &self,
        choice: &CallChoice<'_>,
        parallel: Option<bool>,
        fields: &mut Map<String, Value>,
    ) -> Result<(), UnsupportedRule>;

    /// Returns whether calls of a deferred tool name its toolkit as their namespace.
    fn declares_namespaces(&self) -> bool {
        false
    }

    /// Returns whether an event of a stream is a complete response, as servers send it that do not
    /// stream.
    fn is_whole(&self, _: ResponseValue<'_>) -> bool {
        false
    }

    /// Reads a complete response.
    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError>;

    /// Returns the framing of a streamed response's events.
    fn framing(&self) -> StreamFraming {
        StreamFraming::ServerSentEvents
    }

    /// Starts reading a streamed response.
    fn stream(&self) -> Box<dyn StreamAssembler>;

    /// Marks the end of a message for the prompt cache; returns whether it has a mark now.
    fn mark_message(&self, _: &mut Value, _: CacheLifetime) -> bool {
        false
    }

    /// Removes the marks of a message.
    fn unmark_message(&self, _: &mut Value) {}

    /// Writes the messages that answer the calls of one turn; there is at least one.
    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value>;
}
