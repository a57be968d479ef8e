//! rmcp: a server's `ToolRouter`, called without a transport.
//!
//! A request's parameters are a JSON object there, so the argument text is read into one first.

use std::sync::Arc;

use futures::FutureExt;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, JsonObject, NumberOrString, Tool,
};
use rmcp::service::{Peer, RequestContext, serve_directly};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use tool_benches::work::{self, ARGUMENTS, Hits, Index};

use super::{Arguments, Call, FAILED, NAME, OUT_OF_BOUNDS, Style, admits, further_name, nothing};

/// `#[tool]` that returns `Json<T>`: structured content, and the same as text.
pub(super) const DOCUMENTED: Style = Style {
    key: "rmcp",
    label: "rmcp 3.11.0, Json<T>",
    data_at: "/structuredContent",
    takes_further: true,
    prepare: |items, further| prepare(items, further, Server::structured()),
};

/// `#[tool]` that serialises its answer itself and returns text.
pub(super) const LEAN: Style = Style {
    key: "rmcp_lean",
    label: "rmcp 3.11.0, text",
    data_at: "/content/0/text",
    takes_further: true,
    prepare: |items, further| prepare(items, further, Server::text()),
};

#[derive(Clone)]
struct Server {
    index: Arc<Index>,
    tools: ToolRouter<Self>,
}

#[tool_router(router = structured)]
impl Server {
    /// Searches the published content of a site.
    #[tool(name = "search_content", annotations(read_only_hint = true))]
    async fn search_structured(
        &self,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<Json<Hits>, ErrorData> {
        self.search(arguments).await.map(Json)
    }
}

#[tool_router(router = text)]
impl Server {
    /// Searches the published content of a site.
    #[tool(name = "search_content", annotations(read_only_hint = true))]
    async fn search_text(
        &self,
        Parameters(arguments): Parameters<Arguments>,
    ) -> Result<String, ErrorData> {
        let hits = self.search(arguments).await?;
        serde_json::to_string(&hits)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Server {}

impl Server {
    async fn search(&self, Arguments { query, limit, tags }: Arguments) -> Result<Hits, ErrorData> {
        if !admits(&query, limit, &tags) {
            return Err(ErrorData::invalid_params(OUT_OF_BOUNDS, None));
        }
        let found = work::search_content(&self.index, query, limit, tags).await;
        found.map_err(|_| ErrorData::internal_error(FAILED, None))
    }

    fn answer(&self, peer: &Peer<RoleServer>) -> Option<Vec<u8>> {
        let arguments: JsonObject = serde_json::from_str(ARGUMENTS).ok()?;
        let request = CallToolRequestParams::new(NAME).with_arguments(arguments);
        let context = RequestContext::new(NumberOrString::Number(1), peer.clone());
        let call = ToolCallContext::new(self, request, context);
        let CallToolResponse::Complete(result) = self.tools.call(call).now_or_never()?.ok()? else {
            return None;
        };
        if result.is_error == Some(true) {
            return None;
        }
        serde_json::to_vec(&result).ok()
    }
}

fn prepare(items: usize, further: usize, mut tools: ToolRouter<Server>) -> Result<Call, String> {
    for number in 0..further {
        let tool =
            Tool::new(further_name(number), "Stands beside the tool that is measured.", nothing());
        tools.add_route(ToolRoute::new_dyn(tool, |_| {
            Box::pin(async { Ok(CallToolResult::success(Vec::new()).into()) })
        }));
    }
    let server = Server { index: Arc::new(Index::new(items)), tools };
    let peer = peer(server.clone())?;
    Ok(Box::new(move || server.answer(&peer)))
}

/// Makes the peer that a request's context names; nothing is ever sent to it.
fn peer(server: Server) -> Result<Peer<RoleServer>, String> {
    let executor = tokio::runtime::Builder::new_current_thread().build();
    let executor = executor.map_err(|error| error.to_string())?;
    let _entered = executor.enter();
    let (near, _far) = tokio::io::duplex(64);
    Ok(serve_directly(server, near, None).peer().clone())
}
