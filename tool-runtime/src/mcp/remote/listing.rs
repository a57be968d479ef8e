//! Reads the list of a server's tools, page by page, within the limits.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;

use super::connect::{server_text, transport_failure};
use super::definition::{MalformedTool, ToolDefinition};
use super::error::{RemoteError, RemoteErrorKind};
use super::limits::RemoteLimits;

/// The tools that a server lists at one moment, each once.
#[derive(Debug, Default)]
pub(super) struct RemoteListing {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) malformed: Vec<MalformedTool>,
    /// The number of tools beyond the limit.
    pub(super) left_out: usize,
}

/// Reads all pages of the list of tools.
pub(super) async fn list_tools(
    peer: &Peer<RoleClient>,
    limits: RemoteLimits,
    patience: Duration,
) -> Result<RemoteListing, RemoteError> {
    let mut listing = RemoteListing::default();
    let (mut names, mut cursors) = (BTreeSet::new(), BTreeSet::new());
    let mut cursor: Option<String> = None;
    for _ in 0..limits.max_pages() {
        let (tools, next) = page(peer, cursor, patience).await?;
        for listed in &tools {
            listing.add(listed, &mut names, limits);
        }
        match next {
            None => return Ok(listing),
            Some(next) if !cursors.insert(next.clone()) => {
                return Err(protocol_error("the pages of the list of tools repeat"));
            }
            Some(next) => cursor = Some(next),
        }
    }
    let pages = limits.max_pages();
    Err(protocol_error(&format!("the list of tools has more than {pages} pages")))
}

impl RemoteListing {
    fn add(&mut self, listed: &Value, names: &mut BTreeSet<String>, limits: RemoteLimits) {
        if names.len() >= limits.max_tools() || self.malformed.len() >= limits.max_tools() {
            self.left_out += 1;
            return;
        }
        match ToolDefinition::parse(listed) {
            Ok(tool) if !names.insert(tool.name.clone()) => {
                let reason = "the server lists it more than once; the first one counts";
                self.malformed.push(MalformedTool { name: tool.name, reason });
            }
            Ok(tool) if tool.size() > limits.max_definition_bytes() => {
                let reason = "its definition is larger than the limit";
                self.malformed.push(MalformedTool { name: tool.name, reason });
            }
            Ok(tool) => self.tools.push(tool),
            Err(malformed) => {
                names.insert(malformed.name.clone());
                self.malformed.push(malformed);
            }
        }
    }
}

async fn page(
    peer: &Peer<RoleClient>,
    cursor: Option<String>,
    patience: Duration,
) -> Result<(Vec<Value>, Option<String>), RemoteError> {
    let params = PaginatedRequestParams::default().with_cursor(cursor);
    // Not through the client's cache: a list that was announced as changed must be read again.
    let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
    let options = PeerRequestOptions::with_timeout(patience);
    let sent = peer.send_request_with_option(request, options).await;
    let answer = match sent {
        Ok(handle) => handle.await_response().await,
        Err(error) => Err(error),
    };
    match answer.map_err(|error| request_error(&error))? {
        ServerResult::ListToolsResult(result) => {
            let tools = result.tools.into_iter().map(serde_json::to_value);
            let tools = tools.collect::<Result<Vec<_>, _>>();
            let unreadable = |_| protocol_error("the list of tools cannot be read");
            Ok((tools.map_err(unreadable)?, result.next_cursor))
        }
        // One malformed tool makes the whole list one of no known type.
        ServerResult::CustomResult(result) => loose_page(result.0),
        _ => Err(protocol_error("the server answered the list of tools with something else")),
    }
}

fn loose_page(mut result: Value) -> Result<(Vec<Value>, Option<String>), RemoteError> {
    let next = result["nextCursor"].as_str().map(str::to_owned);
    match result.get_mut("tools").map(Value::take) {
        Some(Value::Array(tools)) => Ok((tools, next)),
        _ => Err(protocol_error("the server answered the list of tools with something else")),
    }
}

/// Describes the error of a request that is not a call of a tool.
fn request_error(error: &ServiceError) -> RemoteError {
    match error {
        ServiceError::McpError(error) => protocol_error(&format!(
            "the server refused to list its tools: {} ({})",
            server_text(&error.message),
            error.code.0
        )),
        ServiceError::TransportSend(error) => transport_failure(error).into(),
        ServiceError::Timeout { .. } => {
            RemoteError::new(RemoteErrorKind::Timeout, "the server did not list its tools in time")
        }
        ServiceError::TransportClosed => {
            let message = "the connection ended while the tools were listed";
            RemoteError::new(RemoteErrorKind::Connection, message)
        }
        _ => protocol_error("the server did not list its tools"),
    }
}

fn protocol_error(message: &str) -> RemoteError {
    RemoteError::new(RemoteErrorKind::Protocol, message)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn listing(tools: &[Value], limits: RemoteLimits) -> RemoteListing {
        let (mut listing, mut names) = (RemoteListing::default(), BTreeSet::new());
        for tool in tools {
            listing.add(tool, &mut names, limits);
        }
        listing
    }

    #[test]
    fn repeated_large_and_malformed_tools_are_set_apart_and_others_stay() {
        let limits = RemoteLimits::new().with_max_definition_bytes(200);
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        let large = json!({"name": "b", "description": "x".repeat(200), "inputSchema": {}});
        let found =
            listing(&[tool("a"), tool("a"), large, json!({"name": "c"}), tool("d")], limits);
        let names: Vec<_> = found.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["a", "d"]);
        let apart: Vec<_> = found.malformed.iter().map(|tool| &*tool.name).collect();
        assert_eq!(apart, ["a", "b", "c"]);
    }

    #[test]
    fn tools_beyond_the_limit_are_counted_and_left_out() {
        let tools: Vec<_> =
            (0..5).map(|at| json!({"name": at.to_string(), "inputSchema": {}})).collect();
        let found = listing(&tools, RemoteLimits::new().with_max_tools(2));
        assert_eq!((found.tools.len(), found.left_out), (2, 3));
    }

    #[test]
    fn a_page_with_a_malformed_tool_is_read_tool_by_tool() {
        let page = json!({"tools": [{"name": "a"}, 7], "nextCursor": "n"});
        let (tools, next) = loose_page(page).unwrap();
        assert_eq!((tools.len(), next.as_deref()), (2, Some("n")));
        assert!(loose_page(json!({"tools": 1})).is_err());
    }
}
