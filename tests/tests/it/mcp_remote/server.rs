//! A server of rmcp whose tools can be changed while clients are connected.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ErrorCode, ErrorData, Implementation, InputRequest, InputRequiredResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, ServerRequest, SubscriptionFilter, Tool,
};
use rmcp::service::{Peer, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ServerHandler, ServiceExt as _};
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use tool_runtime::mcp::RemoteBuilder;

/// A server. Clones are the same server.
#[derive(Clone)]
pub(crate) struct TestServer(Arc<State>);

struct State {
    tools: Mutex<Vec<Value>>,
    calls: Mutex<Vec<(String, Value)>>,
    peers: Mutex<Vec<Peer<RoleServer>>>,
    changes: watch::Sender<u64>,
    /// The number of lists that were read.
    lists: watch::Sender<usize>,
    /// The number of subscriptions that are still refused.
    refused: AtomicUsize,
    ends_subscriptions: AtomicBool,
    started: Notify,
    cancelled: Notify,
    /// The tools on a page.
    page: usize,
}

impl TestServer {
    pub(crate) fn new(tools: impl IntoIterator<Item = Value>) -> Self {
        Self::paged(tools, usize::MAX)
    }

    pub(crate) fn paged(tools: impl IntoIterator<Item = Value>, page: usize) -> Self {
        Self(Arc::new(State {
            tools: Mutex::new(tools.into_iter().collect()),
            calls: Mutex::default(),
            peers: Mutex::default(),
            changes: watch::Sender::new(0),
            lists: watch::Sender::new(0),
            refused: AtomicUsize::new(0),
            ends_subscriptions: AtomicBool::new(false),
            started: Notify::new(),
            cancelled: Notify::new(),
            page,
        }))
    }

    /// Describes this server to a runtime, over a pipe in the process.
    pub(crate) fn remote(&self) -> RemoteBuilder {
        let server = self.clone();
        super::remote(move || server.accept())
    }

    fn accept(&self) -> tokio::io::DuplexStream {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let server = self.clone();
        tokio::spawn(async move {
            // A client that ends before the handshake is none of the server's errors.
            if let Ok(running) = server.serve(ours).await {
                let _ = running.waiting().await;
            }
        });
        theirs
    }

    /// Changes the tools, and announces it.
    pub(crate) async fn change(&self, change: impl FnOnce(&mut Vec<Value>)) {
        self.change_silently(change);
        self.0.changes.send_modify(|count| *count += 1);
        let peers = self.0.peers.lock().unwrap().clone();
        for peer in peers {
            // A peer that is gone hears of nothing.
            let _ = peer.notify_tool_list_changed().await;
        }
    }

    /// Changes the tools, and announces it to subscriptions only.
    pub(crate) fn change_for_subscribers(&self, change: impl FnOnce(&mut Vec<Value>)) {
        self.change_silently(change);
        self.0.changes.send_modify(|count| *count += 1);
    }

    /// Refuses the next subscriptions.
    pub(crate) fn refuse_subscriptions(&self, number: usize) {
        self.0.refused.store(number, Ordering::SeqCst);
    }

    /// Ends every subscription as soon as it is made.
    pub(crate) fn end_subscriptions(&self) {
        self.0.ends_subscriptions.store(true, Ordering::SeqCst);
        self.0.changes.send_modify(|_| {});
    }

    /// Lets subscriptions go on again.
    pub(crate) fn keep_subscriptions(&self) {
        self.0.ends_subscriptions.store(false, Ordering::SeqCst);
    }

    pub(crate) fn subscribers(&self) -> usize {
        self.0.changes.receiver_count()
    }

    /// The number of lists that were read.
    pub(crate) fn lists(&self) -> usize {
        *self.0.lists.borrow()
    }

    /// Waits until so many lists were read; two minutes at most, since clients wait up to one.
    pub(crate) async fn listed(&self, number: usize) {
        let mut lists = self.0.lists.subscribe();
        let listed = lists.wait_for(|lists| *lists >= number);
        timeout(Duration::from_secs(120), listed).await.expect("the client lists again").unwrap();
    }

    pub(crate) fn change_silently(&self, change: impl FnOnce(&mut Vec<Value>)) {
        change(&mut self.0.tools.lock().unwrap());
    }

    /// The calls that were received.
    pub(crate) fn calls(&self) -> Vec<(String, Value)> {
        self.0.calls.lock().unwrap().clone()
    }

    /// Waits for a call of `slow`.
    pub(crate) async fn started(&self) {
        self.0.started.notified().await;
    }

    /// Waits for the cancellation of a call of `slow`.
    pub(crate) async fn cancelled(&self) {
        self.0.cancelled.notified().await;
    }
}

/// A tool whose arguments are checked.
pub(crate) fn tool(name: &str) -> Value {
    json!({
        "name": name,
        "title": format!("Title of {name}"),
        "description": format!("Describes {name}."),
        "inputSchema": {"type": "object", "properties": {
            "message": {"type": "string", "maxLength": 20},
            "count": {"type": "integer", "minimum": 1},
        }},
        "annotations": {"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false},
    })
}

/// A tool with a schema of its structured content.
pub(crate) fn adder() -> Value {
    json!({
        "name": "add",
        "description": "Adds one.",
        "inputSchema": {"type": "object", "properties": {"count": {"type": "integer"}},
            "required": ["count"]},
        "outputSchema": {"type": "object", "properties": {"sum": {"type": "integer"}},
            "required": ["sum"]},
    })
}

impl ServerHandler for TestServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("test-server", "1.2.3"))
    }

    fn accepted_subscription_filter(
        &self,
        asked: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let one_less = |refused: usize| refused.checked_sub(1);
        if self.0.refused.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok() {
            return None;
        }
        Some(asked.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, cx: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.0.changes.subscribe();
        loop {
            if self.0.ends_subscriptions.load(Ordering::SeqCst) {
                return Ok(());
            }
            tokio::select! {
                () = cx.cancelled() => return Ok(()),
                heard = changes.changed() => {
                    if heard.is_err() || cx.sink().notify_tool_list_changed().await.is_err() {
                        return Ok(());
                    }
                }
            }
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        cx: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.0.peers.lock().unwrap().push(cx.peer.clone());
        let cursor = request.and_then(|request| request.cursor).unwrap_or_default();
        self.0.lists.send_modify(|lists| *lists += 1);
        let from: usize = cursor.parse().unwrap_or_default();
        let tools = self.0.tools.lock().unwrap().clone();
        let next = from.saturating_add(self.0.page);
        let page = tools.iter().skip(from).take(self.0.page);
        let page = page.map(|tool| serde_json::from_value::<Tool>(tool.clone()).unwrap());
        let mut result = ListToolsResult::with_all_items(page.collect());
        result.next_cursor = (next < tools.len()).then(|| next.to_string());
        Ok(result)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        cx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        self.0.calls.lock().unwrap().push((request.name.to_string(), arguments.clone()));
        let text = |text: &str| CallToolResult::success(vec![ContentBlock::text(text)]);
        Ok(match &*request.name {
            "add" => {
                let sum = arguments["count"].as_i64().unwrap_or_default() + 1;
                CallToolResult::structured(json!({"sum": sum})).into()
            }
            "wrong" => CallToolResult::structured(json!({"sum": "one"})).into(),
            "fail" => CallToolResult::error(vec![ContentBlock::text("no tea \u{202e}left")]).into(),
            "refuse" => return Err(ErrorData::invalid_params("no such pot", None)),
            "break" => return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "broken", None)),
            "media" => {
                let content: Vec<ContentBlock> = serde_json::from_value(media()).unwrap();
                CallToolResult::success(content).into()
            }
            "slow" => {
                self.0.started.notify_one();
                cx.ct.cancelled().await;
                self.0.cancelled.notify_one();
                text("too late").into()
            }
            "steps" => {
                let token = cx.meta.get_progress_token().unwrap();
                for step in 1..=2 {
                    let update = ProgressNotificationParam::new(token.clone(), f64::from(step))
                        .with_total(2.0)
                        .with_message(format!("step\u{200b} {step}"));
                    cx.peer.notify_progress(update).await.unwrap();
                }
                text("done").into()
            }
            "ask" => return ask(request, cx).await,
            _ => text(arguments["message"].as_str().unwrap_or("nothing")).into(),
        })
    }
}

fn media() -> Value {
    json!([
        {"type": "text", "text": "a picture"},
        {"type": "image", "data": "iVBORw==", "mimeType": "image/png",
            "annotations": {"audience": ["user"]}},
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "file:///notes/tea.txt",
            "mimeType": "text/plain", "text": "green"}},
        {"type": "resource", "resource": {"uri": "x://blob", "blob": "AAEC"}},
        {"type": "resource_link", "uri": "https://example.com/a.pdf", "name": "a.pdf",
            "mimeType": "application/pdf", "description": "An\u{200b} invoice."},
        {"type": "resource_link", "uri": "test://1", "name": "one"},
        {"type": "image", "data": "?", "mimeType": "image/png"},
    ])
}

/// Asks the client's user, in the way of either era.
async fn ask(
    request: CallToolRequestParams,
    cx: RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let params: ElicitRequestParams = serde_json::from_value(json!({
        "mode": "form", "message": "Your name?",
        "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    }))
    .unwrap();
    let said = |answer: &Value| {
        let action = answer["action"].as_str().unwrap_or("nothing").to_owned();
        CallToolResult::success(vec![ContentBlock::text(action)]).into()
    };
    if let Some(answers) = request.input_responses {
        return Ok(said(&answers["name"]));
    }
    let elicit = ElicitRequest::new(params);
    if cx.protocol_version().is_some_and(|version| !version.has_initialize()) {
        let inputs = [("name".to_owned(), InputRequest::Elicitation(elicit))];
        return Ok(InputRequiredResult::from_input_requests(inputs.into_iter().collect()).into());
    }
    let answer = cx.peer.send_request(ServerRequest::ElicitRequest(elicit)).await;
    Ok(said(&serde_json::to_value(answer.unwrap()).unwrap()))
}
