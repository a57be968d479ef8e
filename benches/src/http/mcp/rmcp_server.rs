//! rmcp's own server with the same tool: its macros, its router, its transport.

use std::sync::Arc;

use axum::Router;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::catalogue::{Catalogue, Hits};

#[derive(Clone)]
struct SearchServer {
    catalogue: Arc<Catalogue>,
    tools: ToolRouter<Self>,
}

/// The arguments, with the bounds that the tool's author checks.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Words to search for.
    #[schemars(length(min = 1, max = 200))]
    query: String,
    /// Only content of this type.
    content_type: Option<String>,
    /// The maximum number of hits to return.
    #[serde(default = "ten")]
    #[schemars(range(min = 1, max = 50))]
    limit: u32,
}

fn ten() -> u32 {
    10
}

#[tool_router]
impl SearchServer {
    /// Searches the published content of a site.
    #[tool(annotations(read_only_hint = true))]
    async fn search_content(
        &self,
        Parameters(Arguments { query, content_type, limit }): Parameters<Arguments>,
    ) -> Result<Json<Hits>, ErrorData> {
        if !(1..=200).contains(&query.chars().count()) || !(1..=50).contains(&limit) {
            return Err(ErrorData::invalid_params("an argument is out of bounds", None));
        }
        Ok(Json(self.catalogue.search(query, content_type.as_deref(), limit)))
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for SearchServer {}

/// Serves `/mcp` as rmcp's documentation has it, without sessions and with answers in JSON.
pub(super) fn router() -> Router {
    let server =
        SearchServer { catalogue: Arc::new(Catalogue::new()), tools: SearchServer::tool_router() };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true);
    let service: StreamableHttpService<SearchServer, LocalSessionManager> =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::default(), config);
    Router::new().route_service("/mcp", service)
}
