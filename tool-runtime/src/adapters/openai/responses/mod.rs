//! OpenAI Responses API.

mod answer;
mod declare;
mod items;
mod read;
mod stream;

use serde_json::Value;

use self::stream::ResponsesStream;
use super::schema::{NAMES, PROFILE, STRICT_PROFILE};
use crate::adapters::ToolSearch;
use crate::adapters::format::{
    DeclaredTool, DialectFormat, ParsedResponse, PreparedAnswer, ReadError, ResponseValue,
    StreamAssembler,
};
use crate::adapters::lower::DialectProfile;
use crate::adapters::names::{NameRules, ToolNames};

/// The format of `POST /v1/responses`.
pub(in crate::adapters) struct Responses;

impl DialectFormat for Responses {
    fn name_rules(&self) -> &'static NameRules {
        &NAMES
    }

    fn profile(&self) -> &'static DialectProfile {
        &PROFILE
    }

    fn strict_profile(&self) -> Option<&'static DialectProfile> {
        Some(&STRICT_PROFILE)
    }

    fn search_tool(&self, search: ToolSearch) -> Option<Value> {
        declare::search_tool(search)
    }

    fn declaration(&self, tool: &DeclaredTool) -> Value {
        declare::declaration(tool)
    }

    fn deferred_declarations(&self, tools: &[&DeclaredTool]) -> Vec<Value> {
        declare::deferred(tools)
    }

    fn declarations(&self, tools: Vec<Value>) -> Value {
        Value::Array(tools)
    }

    fn request_field(&self) -> &'static str {
        "tools"
    }

    fn read(
        &self,
        response: ResponseValue<'_>,
        names: &ToolNames,
    ) -> Result<ParsedResponse, ReadError> {
        read::read(response, names)
    }

    fn stream(&self) -> Box<dyn StreamAssembler> {
        Box::<ResponsesStream>::default()
    }

    fn answer_messages(&self, answers: &[PreparedAnswer<'_>]) -> Vec<Value> {
        answer::messages(answers)
    }
}
