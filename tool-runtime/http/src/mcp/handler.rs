//! The requests of the protocol, answered from the runtime: what `rmcp` calls for each message.

use std::sync::Arc;

use futures::FutureExt;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams,
    CancelledNotificationParam, GetPromptRequestParams, GetPromptResponse, GetTaskParams,
    GetTaskResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tool_contracts::ToolContext;
use tool_runtime_core::timer::whole_millis;

use super::answer;
use super::call::ToolRequest;
use super::changes::{self, ChangeNotifier};
use super::context;
use super::listing::{McpTool, McpToolCache};
use super::outputs::OutputUri;
use super::paging::Cursor;
use super::revision::Revision;
use super::running_calls::RunningCalls;
use super::tasks::Tasks;
use super::transport::Transport;
use crate::state::app::SharedApp;
use crate::state::config::mcp::McpConfig;

/// Serves one client, or one request of a client without a session.
#[derive(Debug, Clone)]
pub(super) struct ToolServer {
    pub(super) app: SharedApp,
    pub(super) settings: Arc<McpConfig>,
    pub(super) listing: Arc<McpToolCache>,
    pub(super) transport: Transport,
    pub(super) running: RunningCalls,
    pub(super) tasks: Arc<Tasks>,
    notifier: ChangeNotifier,
}

impl ToolServer {
    pub(super) fn new(
        app: SharedApp,
        settings: Arc<McpConfig>,
        listing: Arc<McpToolCache>,
        transport: Transport,
    ) -> Self {
        let (running, notifier) = (RunningCalls::default(), ChangeNotifier::default());
        Self { app, settings, listing, transport, running, tasks: Arc::default(), notifier }
    }

    /// Serves another client, or another request.
    pub(super) fn for_client(&self) -> Self {
        let (running, notifier) = (RunningCalls::default(), ChangeNotifier::default());
        Self { running, notifier, ..self.clone() }
    }

    /// Returns whether clients repeat a parameter of this tool in a header.
    pub(super) fn has_header_parameters(&self, tool: &str) -> bool {
        let mcp_tools = self.listing.current(&self.app.runtime);
        mcp_tools.find(tool).is_some_and(McpTool::has_header_parameters)
    }

    /// Makes the context of a request that calls nothing.
    fn context_of(&self, request: &RequestContext<RoleServer>) -> Result<ToolContext, ErrorData> {
        let caller = self.transport.caller(request)?;
        context::for_request(&caller, &request.meta, &self.app, &self.settings)
            .map_err(answer::protocol_error)
    }

    /// Returns for how long a client may keep a list or a page, in milliseconds.
    fn list_lifetime(&self) -> u64 {
        whole_millis(self.settings.list_lifetime)
    }

    /// Lists a page of the tools that the caller may call.
    fn page(
        &self,
        cursor: Option<&str>,
        request: &RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let caller = self.transport.caller(request)?;
        let (principal, revision) = (caller.admitted.principal(), Revision::from_request(request));
        let after = cursor.map(Cursor::parse).transpose()?;
        let mcp_tools = self.listing.current(&self.app.runtime);
        let mut visible = mcp_tools
            .after(after.as_ref().map(Cursor::name))
            .iter()
            .filter(|tool| principal.may_call(&tool.spec));
        let tools: Vec<Tool> = visible
            .by_ref()
            .take(self.settings.page_size)
            .map(|tool| tool.for_revision(revision).clone())
            .collect();
        let last = tools.last().filter(|_| visible.next().is_some());
        let next_cursor = last.map(|tool| Cursor::after(&tool.name).to_string());
        let mut page = ListToolsResult { next_cursor, ..ListToolsResult::default() };
        if revision == Revision::Stateless {
            page.ttl_ms = Some(self.list_lifetime());
            page.cache_scope = Some(if principal.is_anonymous() {
                CacheScope::Public
            } else {
                CacheScope::Private
            });
        }
        page.tools = tools;
        Ok(page)
    }
}

impl ServerHandler for ToolServer {
    fn get_info(&self) -> ServerConfig {
        // Clients ask for prompts and resources too, and some give up at a refusal: there are none.
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_tools()
            .enable_tool_list_changed();
        let capabilities = if self.settings.tasks.is_empty() {
            capabilities.build()
        } else {
            capabilities.enable_tasks().build()
        };
        let mut info =
            ServerConfig::new(capabilities).with_server_info(self.settings.server.clone());
        info.instructions.clone_from(&self.settings.instructions);
        info
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.as_ref().and_then(|request| request.cursor.as_deref());
        self.page(cursor, &context)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let _turn = self.transport.turn(&context).await?;
        // Boxed, so that requests of other methods do not carry the size of a call's future.
        ToolRequest::new(self, context)?.answer(request).boxed().await
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Err(ErrorData::invalid_params("there is no such prompt: this server has tools only", None))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if let Some(uri) = OutputUri::parse(&request.uri) {
            let cx = self.context_of(&context)?;
            let mut page = uri.read(&self.app, &cx).await?;
            if Revision::from_request(&context) == Revision::Stateless {
                page.ttl_ms = Some(self.list_lifetime());
                page.cache_scope = Some(CacheScope::Private);
            }
            return Ok(page.into());
        }
        let uri = serde_json::json!({ "uri": request.uri });
        let message = "there is no such resource: this server has tools, and their long answers";
        Err(ErrorData::resource_not_found(message, Some(uri)))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let cx = self.context_of(&context)?;
        Ok(GetTaskResult::new(self.task(&request.task_id, &cx).await?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let cx = self.context_of(&context)?;
        self.answer_task(&request.task_id, &request.input_responses, &cx).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let cx = self.context_of(&context)?;
        self.cancel_task_of(&request.task_id, &cx).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let mcp_tools = self.listing.current(&self.app.runtime);
        Some(mcp_tools.find(name)?.for_revision(Revision::Stateless).clone())
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(SubscriptionFilter::builder().tools_list_changed().build())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        changes::listen(&self.app, &self.transport, &subscription).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.notifier.start(&self.app, context.peer);
    }

    async fn on_cancelled(
        &self,
        cancelled: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        if let Some(id) = &cancelled.request_id {
            self.running.cancel(id);
        }
    }
}
