//! The result of a call in the protocol's form: text, structured content, blocks and `_meta`.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, MetaObject};
use serde_json::{Map, Value, json};
use tool_contracts::AUDIT_MEMBER;
use tool_contracts::ToolErrorDetail;
use tool_runtime_adapters::ToolAnswer;
use tool_runtime_core::{ToolCall, ToolOutput};
use tool_runtime_schema::json::normalized;

use super::blocks;
use super::handler::ToolServer;
use super::listing::McpTool;
use super::outputs;
use super::revision::Revision;
use super::schema::RESULT;
use crate::endpoints::call::FinishedCall;
use crate::problem::Problem;
use crate::response::without_cause;
use crate::state::app::App;

/// The member of `_meta` with the name of the server, as revision 2026-07-28 recommends.
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Writes the result of a call that has ended, for clients of a revision.
pub(super) async fn for_call(
    server: &ToolServer,
    finished: &FinishedCall,
    revision: Revision,
) -> CallToolResult {
    let mcp_tools = server.listing.current(&server.app.runtime);
    let tool = mcp_tools.find(finished.call.name());
    let mut result = FinishedAnswer { app: &server.app, finished, tool, revision }.result().await;
    if revision == Revision::Stateless {
        let Implementation { name, version, .. } = &server.settings.server;
        let meta = result.meta.get_or_insert_default();
        meta.insert(SERVER_INFO.to_owned(), json!({ "name": name, "version": version }));
    }
    result
}

/// A call that has ended, for a client of a revision.
struct FinishedAnswer<'a> {
    app: &'a App,
    finished: &'a FinishedCall,
    tool: Option<&'a McpTool>,
    revision: Revision,
}

impl FinishedAnswer<'_> {
    /// Writes the result.
    async fn result(&self) -> CallToolResult {
        let call = &self.finished.call;
        let Some(output) = call.output() else { return CallToolResult::error(Vec::new()) };
        if let Some(detail) = self.finished.error(self.app) {
            let mut result = for_error(&detail);
            result.meta = Some(audit(call, output, Some(&detail)));
            return result;
        }
        let mut result = self.success(call, output).await;
        result.meta = Some(audit(call, output, None));
        result
    }

    async fn success(&self, call: &ToolCall, output: &ToolOutput) -> CallToolResult {
        let model_answer = call.for_model().await;
        let attachments = call.attachments_with_content(None).await;
        let mut answer =
            ToolAnswer::from(call).with_attachments(attachments).with_model_answer(&model_answer);
        let (note, link) = model_answer.excerpt().and_then(outputs::continuation).unzip();
        if let Some(note) = note {
            answer = answer.with_note(note);
        }
        let (text, blocks) = answer.into_text_and_blocks(blocks::from_attachment);
        let content = text.map(ContentBlock::text).into_iter().chain(link).chain(blocks).collect();
        let has_schema = self.tool.is_some_and(McpTool::has_output_schema);
        // An answer that no excerpt fits is whole here: a client refuses a success without it.
        let data = model_answer.data_json().or(output.data_json().filter(|_| has_schema));
        let structured = data.and_then(|data| self.structured(data));
        let mut result = CallToolResult::success(content);
        result.structured_content = structured;
        result
    }

    /// Returns the data as structured content; none if the tool declares no output and it has no
    /// members.
    fn structured(&self, data: &str) -> Option<Value> {
        let data: Value = serde_json::from_str(data).map(normalized).ok()?;
        match self.tool {
            Some(tool) if tool.wraps_output(self.revision) => Some(json!({ RESULT: data })),
            Some(tool) if tool.has_output_schema() => Some(data),
            Some(_) | None => Some(data).filter(Value::is_object),
        }
    }
}

/// Writes an error as the model reads it.
fn for_error(detail: &ToolErrorDetail) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(ToolAnswer::text_of_error(detail))])
}

/// Writes the failure of a request that opened no call, for the model.
pub(super) fn for_problem(problem: Problem) -> CallToolResult {
    let detail = problem.into_detail();
    let mut result = for_error(&detail);
    result.meta = Some(meta(json!({ "error": public_detail(&detail) })));
    result
}

/// Writes the failure of a request that opened no call, for the client.
pub(super) fn protocol_error(problem: Problem) -> ErrorData {
    let is_of_server = problem.status.is_server_error();
    let detail = problem.into_detail();
    let (message, data) = (detail.message().to_owned(), public_detail(&detail));
    if is_of_server {
        ErrorData::internal_error(message, data)
    } else {
        ErrorData::invalid_params(message, data)
    }
}

/// Returns an error without the type of the host's program that caused it.
pub(super) fn public_detail(detail: &ToolErrorDetail) -> Option<Value> {
    serde_json::to_value(&*without_cause(detail)).ok()
}

/// Returns what an auditor needs to find the call: its ids, and the `meta` of its envelope.
fn audit(call: &ToolCall, output: &ToolOutput, error: Option<&ToolErrorDetail>) -> MetaObject {
    let mut envelope: Map<String, Value> =
        serde_json::from_str(output.meta_json()).unwrap_or_default();
    // They are blocks of the content.
    envelope.remove("attachments");
    let mut audit = json!({
        "trace_id": call.cx().trace_id(),
        "invocation_id": call.cx().invocation_id(),
        "tool_name": call.name(),
        "status": if error.is_none() { "success" } else { "error" },
        "meta": envelope,
    });
    if let Some(error) = error {
        audit["error"] = public_detail(error).unwrap_or_default();
    }
    meta(audit)
}

fn meta(audit: Value) -> MetaObject {
    MetaObject([(AUDIT_MEMBER.to_owned(), normalized(audit))].into_iter().collect())
}
