//! An MCP server over the tools of a runtime, for any transport of `rmcp`.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tool_runtime::adapters::{ClientBridge, Dialect, ToolAnswer};
use tool_runtime::contracts::ToolSpec;
use tool_runtime::prelude::*;
use tool_runtime::serde_json;

/// Serves the tools that models may call.
#[derive(Debug, Clone)]
pub struct Server {
    runtime: Runtime,
    /// Maps names and writes texts. MCP allows names of 128 characters with dots. Most providers of
    /// models allow 64 without dots, and few hosts change the names: they follow OpenAI's rules.
    bridge: ClientBridge,
}

impl Server {
    /// Serves the tools of a runtime.
    #[must_use]
    pub fn new(runtime: Runtime) -> Self {
        Self { bridge: runtime.bridge(Dialect::OpenAiChat), runtime }
    }

    /// Describes a tool by its own schemas: MCP does not restrict their keywords.
    fn describe(&self, spec: &ToolSpec) -> Option<Tool> {
        let name = self.bridge.adapter().wire_name(spec.name())?.to_owned();
        let schema = Arc::new(spec.input_schema().clone());
        let mut tool = Tool::new(name, spec.description().to_owned(), schema);
        tool.title = spec.title().map(str::to_owned);
        // rmcp omits the schema for clients before 2026-07-28 unless it is an object's.
        tool.output_schema = spec.output_schema().cloned().map(Arc::new);
        let (effect, annotations) = (spec.effect(), spec.annotations());
        tool.annotations = Some(
            ToolAnnotations::new()
                .read_only(effect == Effect::Read)
                .destructive(effect == Effect::Destructive)
                .idempotent(effect == Effect::Read || annotations.idempotent())
                .open_world(annotations.open_world()),
        );
        Some(tool)
    }

    /// Writes the answer of an executed call.
    fn result(&self, call: &ToolCall) -> Result<CallToolResult, ErrorData> {
        let internal =
            |error: &dyn std::error::Error| ErrorData::internal_error(error.to_string(), None);
        let text = self.bridge.answer_text(call).map_err(|error| internal(&error))?;
        let content = vec![ContentBlock::text(text)];
        if ToolAnswer::from(call).is_error() {
            return Ok(CallToolResult::error(content));
        }
        let mut result = CallToolResult::success(content);
        // rmcp omits it for clients before 2026-07-28 unless it is an object.
        let data = call.output().and_then(ToolOutput::data_json).map(serde_json::from_str);
        result.structured_content = data.transpose().map_err(|error| internal(&error))?;
        Ok(result)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("shop", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // In the order of their names, and the same for each request.
        let tools = self.runtime.specs_for_model().filter_map(|spec| self.describe(&spec));
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(name) = self.bridge.adapter().tool_name(&request.name) else {
            let message = format!("unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let cx = ToolContext::local().with_invocation_id(Uuid::now_v7());
        let mut call = self.runtime.call(name, arguments, &cx);
        tokio::select! {
            _ = call.execute() => {}
            // The call ends as its execution is dropped; rmcp sends no response.
            () = context.ct.cancelled() => {
                return Err(ErrorData::internal_error("the request was cancelled", None));
            }
        }
        Ok(self.result(&call)?.into())
    }
}
