//! The tools of the API.

use axum::http::Method;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Api, ApiError, Caller, read};

/// The tools that the person may call.
#[derive(Deserialize)]
pub(super) struct ToolList {
    tools: Vec<ListedTool>,
}

#[derive(Deserialize)]
struct ListedTool {
    name: String,
    input_schema: Box<RawValue>,
}

impl Api {
    pub(super) async fn list_tools(&self, caller: &Caller<'_>) -> Result<ToolList, ApiError> {
        let body = br#"{"ai_callable_only":false}"#.to_vec();
        read(self.send(caller, Method::POST, "/tools/list", Some(body)).await?)
    }

    /// Finds the schema of a tool's arguments; `None` if the person may not call it.
    pub(crate) async fn input_schema(
        &self,
        caller: &Caller<'_>,
        tool: &str,
    ) -> Result<Option<Value>, ApiError> {
        let list = self.list_tools(caller).await?;
        let tool = list.tools.into_iter().find(|it| it.name == tool);
        let schema = tool.map(|tool| serde_json::from_str(tool.input_schema.get()));
        schema.transpose().map_err(|_| ApiError::Unreadable)
    }
}
