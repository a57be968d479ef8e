//! Reads the list of a server's tools, page by page, within the limits.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;
use tool_runtime_schema::json::ShallowJson;

use super::connect::{TransportFailure, result_text, server_text, transport_failure};
use super::definition::{MalformedTool, ToolDefinition};
use super::error::{RemoteError, RemoteErrorKind};
use super::limits::RemoteLimits;

/// The tools that a server lists at one moment, each once.
#[derive(Debug, Default)]
pub(super) struct RemoteListing {
    pub(super) tools: Vec<ToolDefinition>,
    pub(super) malformed: Vec<MalformedTool>,
    pub(super) left_out: LeftOutTools,
    names: BTreeSet<String>,
    /// The size of the definitions.
    bytes: usize,
}

/// The numbers of tools that are left out, by the limit that they exceed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct LeftOutTools {
    by_count: usize,
    by_bytes: usize,
}

/// One page of a list.
struct ListPage {
    /// The result, as the server has written it.
    text: String,
    /// The tools whose annotations for HTTP headers are invalid.
    rejected: Vec<String>,
}

const TOO_LARGE: &str = "its definition is larger than the limit";
const NOT_JSON: &str = "its definition is not valid JSON";
const REJECTED: &str = "its annotations for HTTP headers are invalid";

/// The most bytes of the position of a page.
const MAX_CURSOR: usize = 16 * 1024;

/// Reads all pages of the list of tools.
pub(super) async fn list_tools(
    peer: &Peer<RoleClient>,
    limits: RemoteLimits,
    patience: Duration,
) -> Result<RemoteListing, RemoteError> {
    let mut listing = RemoteListing::default();
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    let mut bytes = 0;
    for _ in 0..limits.max_pages() {
        let page = page(peer, cursor, patience).await?;
        bytes += page.text.len();
        if bytes > limits.max_message_bytes() {
            return Err(protocol_error("the pages of the list of tools are larger than the limit"));
        }
        match listing.add_page(&page, limits)? {
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
    /// Adds the tools of a page, and returns the position of the next one.
    fn add_page(
        &mut self,
        page: &ListPage,
        limits: RemoteLimits,
    ) -> Result<Option<String>, RemoteError> {
        let members = ShallowJson::object(page.text.as_bytes(), &["tools", "nextCursor"]);
        let tools = members.get(&page.text, "tools").filter(|tools| tools.starts_with('['));
        let something_else = "the server answered the list of tools with something else";
        let tools = tools.ok_or_else(|| protocol_error(something_else))?;
        for tool in ShallowJson::array(tools) {
            self.add(tool, page, limits);
        }
        let next = members.get(&page.text, "nextCursor").unwrap_or("null");
        if next.len() > MAX_CURSOR {
            return Err(protocol_error("the position of a page of the list of tools is too long"));
        }
        Ok(serde_json::from_str(next).unwrap_or_default())
    }

    fn add(&mut self, text: &str, page: &ListPage, limits: RemoteLimits) {
        let most = limits.max_tools();
        if self.names.len() >= most || self.malformed.len() >= most {
            self.left_out.by_count += 1;
        } else if self.bytes >= limits.max_listing_bytes() {
            self.left_out.by_bytes += 1;
        } else {
            match sized_definition(text, page, limits) {
                Ok((tool, size)) => self.add_readable(tool, size, limits),
                Err(malformed) => self.refuse(malformed),
            }
        }
    }

    fn add_readable(&mut self, mut tool: ToolDefinition, size: usize, limits: RemoteLimits) {
        if self.mark_repeated(&tool.name) {
            return;
        }
        self.bytes += size;
        if self.bytes > limits.max_listing_bytes() {
            self.left_out.by_bytes += 1;
            return;
        }
        // Of several tools of one name, the first that can be read counts.
        tool.is_repeated = !self.names.insert(tool.name.clone());
        self.malformed.retain(|malformed| malformed.name != tool.name);
        self.tools.push(tool);
    }

    fn refuse(&mut self, malformed: MalformedTool) {
        let is_usable = self.mark_repeated(&malformed.name);
        if !is_usable && self.names.insert(malformed.name.clone()) {
            self.malformed.push(malformed);
        }
    }

    /// Marks the usable tool of a name that is listed again; false if there is none.
    fn mark_repeated(&mut self, name: &str) -> bool {
        let Some(first) = self.tools.iter_mut().find(|tool| tool.name == name) else {
            return false;
        };
        first.is_repeated = true;
        true
    }
}

impl LeftOutTools {
    /// Describes the tools that are left out, for people, a line for each limit.
    pub(super) fn reasons(self, limits: RemoteLimits) -> impl Iterator<Item = String> {
        let (tools, bytes) = (limits.max_tools(), limits.max_listing_bytes());
        let reasons = [
            (self.by_count, format!("a server may have {tools} tools")),
            (self.by_bytes, format!("the definitions of a server may have {bytes} bytes together")),
        ];
        let exceeded = reasons.into_iter().filter(|(count, _)| *count > 0);
        exceeded.map(|(count, limit)| format!("{count} tools are left out: {limit}"))
    }
}

/// Reads the definition of a tool, and its size.
fn sized_definition(
    text: &str,
    page: &ListPage,
    limits: RemoteLimits,
) -> Result<(ToolDefinition, usize), MalformedTool> {
    let tool = definition(text, page, limits)?;
    let size = tool.size();
    if size > limits.max_definition_bytes() {
        return Err(MalformedTool::new(&tool.name, TOO_LARGE));
    }
    Ok((tool, size))
}

/// Reads the definition of a tool by itself, so that one that is damaged loses no other.
fn definition(
    text: &str,
    page: &ListPage,
    limits: RemoteLimits,
) -> Result<ToolDefinition, MalformedTool> {
    let name = || {
        let members = ShallowJson::object(text.as_bytes(), &["name"]);
        let name =
            members.get(text, "name").and_then(|name| serde_json::from_str::<String>(name).ok());
        name.unwrap_or_default()
    };
    // Members that are not used, such as icons, may be larger than the definition.
    if text.len() > limits.max_definition_bytes().saturating_mul(8) {
        return Err(MalformedTool::new(&name(), TOO_LARGE));
    }
    let tool_json: Value =
        serde_json::from_str(text).map_err(|_| MalformedTool::new(&name(), NOT_JSON))?;
    let tool = ToolDefinition::parse(&tool_json)?;
    if page.rejected.contains(&tool.name) {
        return Err(MalformedTool::new(&tool.name, REJECTED));
    }
    Ok(tool)
}

async fn page(
    peer: &Peer<RoleClient>,
    cursor: Option<String>,
    patience: Duration,
) -> Result<ListPage, RemoteError> {
    let params = PaginatedRequestParams::default().with_cursor(cursor);
    // Not through the client's cache: a list that was announced as changed must be read again.
    let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
    let options = PeerRequestOptions::with_timeout(patience);
    let sent = peer.send_request_with_option(request, options).await;
    let answer = match sent {
        Ok(handle) => handle.await_response().await,
        Err(error) => Err(error),
    };
    let result = answer.map_err(|error| request_error(&error))?;
    let (text, rejected) = result_text(result).ok_or_else(|| {
        protocol_error("the server answered the list of tools with something else")
    })?;
    Ok(ListPage { text, rejected })
}

/// Describes the error of a request that is not a call of a tool.
fn request_error(error: &ServiceError) -> RemoteError {
    match error {
        ServiceError::McpError(error) => {
            if let Some(failure) = TransportFailure::from_error(error) {
                return failure.into();
            }
            let text = server_text(&error.message);
            let code = error.code.0;
            let message = format!("the server refused to list its tools: {text} ({code})");
            let kind = if TransportFailure::is_suspicious(error) {
                RemoteErrorKind::Connection
            } else {
                RemoteErrorKind::Protocol
            };
            RemoteError::new(kind, message)
        }
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
        let mut listing = RemoteListing::default();
        let page = page(&json!({"tools": tools}).to_string());
        listing.add_page(&page, limits).expect("it has tools");
        listing
    }

    fn page(text: &str) -> ListPage {
        ListPage { text: text.to_owned(), rejected: Vec::new() }
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "inputSchema": {"type": "object"}})
    }

    #[test]
    fn repeated_large_and_malformed_tools_are_set_apart_and_others_stay() {
        let limits = RemoteLimits::new().with_max_definition_bytes(200);
        let large = json!({"name": "b", "description": "x".repeat(200), "inputSchema": {}});
        let listed =
            listing(&[tool("a"), tool("a"), large, json!({"name": "c"}), tool("d")], limits);
        assert_eq!(names(&listed), [("a", true), ("d", false)]);
        let apart: Vec<_> = listed.malformed.iter().map(|tool| &*tool.name).collect();
        assert_eq!(apart, ["b", "c"]);
    }

    fn names(listed: &RemoteListing) -> Vec<(&str, bool)> {
        listed.tools.iter().map(|tool| (&*tool.name, tool.is_repeated)).collect()
    }

    #[test]
    fn the_first_readable_tool_of_several_with_one_name_counts() {
        let bad = json!({"name": "a", "inputSchema": 7});
        let mut other = tool("a");
        other["description"] = json!("Another one.");
        for (tools, description) in [
            (vec![tool("a"), bad.clone()], None),
            (vec![bad.clone(), tool("a")], None),
            (vec![bad.clone(), bad.clone(), tool("a"), other.clone()], None),
            (vec![bad.clone(), other, tool("a"), bad.clone()], Some("Another one.")),
        ] {
            let listed = listing(&tools, RemoteLimits::new());
            assert_eq!(names(&listed), [("a", true)], "{tools:?}");
            assert_eq!(listed.tools[0].description.as_deref(), description);
            assert!(listed.malformed.is_empty(), "{tools:?}");
        }
        assert_eq!(listing(&[bad.clone(), bad], RemoteLimits::new()).malformed.len(), 1);
    }

    #[test]
    fn tools_beyond_the_limits_are_counted_and_left_out() {
        let tools: Vec<_> = (0..5).map(|at| tool(&at.to_string())).collect();
        let listed = listing(&tools, RemoteLimits::new().with_max_tools(2));
        let reasons = |listed: &RemoteListing, limits| -> Vec<_> {
            listed.left_out.reasons(limits).collect()
        };
        assert_eq!(listed.tools.len(), 2);
        let limits = RemoteLimits::new().with_max_tools(2);
        assert_eq!(reasons(&listed, limits), ["3 tools are left out: a server may have 2 tools"]);
        // A definition has 34 bytes here.
        let listed = listing(&tools, RemoteLimits::new().with_max_listing_bytes(120));
        assert_eq!(listed.tools.len(), 3);
        let limits = RemoteLimits::new().with_max_listing_bytes(120);
        let text = "2 tools are left out: the definitions of a server may have 120 bytes together";
        assert_eq!(reasons(&listed, limits), [text]);
        assert_eq!(reasons(&listing(&tools, RemoteLimits::new()), limits), Vec::<String>::new());
    }

    #[test]
    fn a_page_is_read_tool_by_tool() {
        let good = r#"{"name":"good","inputSchema":{}}"#;
        let cut = r#"{"name":"cut","description":"\ud83d","inputSchema":{}}"#;
        let number = r#"{"name":"number","inputSchema":{"default":NaN}}"#;
        let deep = format!(
            r#"{{"name":"deep","inputSchema":{}{{}}{}}}"#,
            r#"{"a":"#.repeat(200),
            "}".repeat(200)
        );
        let text = format!(r#"{{"tools":[{cut},7,{number},{deep},{good}],"nextCursor":"n"}}"#);
        let mut listed = RemoteListing::default();
        let next = listed.add_page(&page(&text), RemoteLimits::new()).unwrap();
        assert_eq!(next.as_deref(), Some("n"));
        let names: Vec<_> = listed.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["good"]);
        let apart: Vec<_> =
            listed.malformed.iter().map(|tool| (&*tool.name, tool.reason)).collect();
        let expected =
            [("cut", NOT_JSON), ("", "it has no name"), ("number", NOT_JSON), ("deep", NOT_JSON)];
        assert_eq!(apart, expected);
        assert!(listed.add_page(&page(r#"{"tools":1}"#), RemoteLimits::new()).is_err());
    }
}
