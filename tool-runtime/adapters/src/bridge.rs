//! Connects a runtime's tools to a client library of a provider.

use serde_json::Value;
use tool_contracts::ToolContext;
use tool_runtime_core::Arguments;
use tool_runtime_core::call::ToolCall;
use tool_runtime_core::runtime::{Runtime, ToolClient};
use tool_runtime_schema::json::normalized;
use uuid::Uuid;

use super::answers::with_declared_names_in;
use super::custom_tools::CustomTool;
use super::format::AnswerBody;
use super::turn::open_undeclared;
use super::{Adapter, AnswerError, DeclaredTool, Dialect, ToolAnswer};

/// Connects a runtime's tools to a client library of a provider.
///
/// A client library has its own types of tools, calls and answers. The bridge gives the parts that
/// every such type has: each tool's name, description and schema, the call of a declared name, and
/// the text that answers it. Names are mapped in both directions, and the schemas have the keywords
/// that the provider supports; see [`Adapter`]. For clients whose types are the provider's JSON,
/// [`Adapter::declarations_as`], [`Adapter::read_response`] and [`Turn::messages_as`] convert
/// whole requests and responses.
///
/// The host decides whether a response is complete: do not open the calls of one that was cut off
/// by a length limit or a filter, or [`withdraw`](ToolCall::withdraw) them.
///
/// [`Turn::messages_as`]: super::Turn::messages_as
///
/// # Examples
/// ```
/// use tool_runtime::adapters::Dialect;
/// use tool_runtime::prelude::*;
///
/// /// Searches the published content.
/// #[ai_tool(effect = "read", name = "content.search")]
/// fn search_content(
///     /// Words to look for.
///     query: String,
/// ) -> Vec<String> {
///     vec![format!("all about {query}")]
/// }
///
/// /// A client library's type of a tool.
/// struct ClientTool {
///     name: String,
///     description: String,
///     parameters: tool_runtime::serde_json::Value,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runtime = Runtime::builder().tool::<SearchContentTool>().build()?;
/// let cx = ToolContext::local();
/// let bridge = runtime.bridge(Dialect::OpenAiChat);
///
/// let tools: Vec<ClientTool> = bridge
///     .tools()
///     .iter()
///     .map(|tool| ClientTool {
///         name: tool.name().to_owned(),
///         description: tool.description().to_owned(),
///         parameters: tool.schema().clone(),
///     })
///     .collect();
/// assert_eq!(tools[0].name, "content_search");
///
/// // The client returns a call: an id, a declared name and the arguments.
/// let mut call = bridge.call_with_id("call_1", "content_search", r#"{"query":"tea"}"#, &cx);
/// assert_eq!(call.name(), "content.search");
/// call.execute().await;
/// assert_eq!(bridge.answer_text(&call)?, r#"["all about tea"]"#);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ClientBridge {
    runtime: Runtime,
    adapter: Adapter,
}

impl ToolClient for Dialect {
    type Bridge = ClientBridge;

    fn connect(self, runtime: &Runtime) -> ClientBridge {
        Adapter::new(self, runtime.specs_for_model()).bridge(runtime)
    }
}

impl Adapter {
    /// Connects the declared tools, which are the runtime's, to a client library of a provider.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect};
    /// use tool_runtime::prelude::*;
    ///
    /// let runtime = Runtime::builder().build()?;
    /// let adapter = Adapter::builder(Dialect::OpenAiChat).titles(true);
    /// let bridge = adapter.build(runtime.specs_for_model()).bridge(&runtime);
    /// assert!(bridge.tools().is_empty());
    /// # Ok::<(), tool_runtime::BuildError>(())
    /// ```
    #[must_use]
    pub fn bridge(self, runtime: &Runtime) -> ClientBridge {
        ClientBridge { runtime: runtime.clone(), adapter: self }
    }
}

impl ClientBridge {
    /// Returns the adapter, which maps names and declares the tools.
    #[must_use]
    pub fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// Returns the adapter, to declare tools that a search has found:
    /// [`Adapter::disclose_found`].
    #[must_use]
    pub fn adapter_mut(&mut self) -> &mut Adapter {
        &mut self.adapter
    }

    /// Lists the declared tools, in the order of the runtime's specs.
    #[must_use]
    pub fn tools(&self) -> &[DeclaredTool] {
        self.adapter.tools()
    }

    /// Opens the call of a declared name; runs nothing.
    ///
    /// It never fails: a name that was not declared is answered `NOT_FOUND`, even if the runtime
    /// has such a tool, and arguments that are not JSON are answered with the location of the
    /// error. Of a [custom tool](DeclaredTool::is_custom) `arguments` is the text that the model
    /// wrote, which becomes the tool's only argument. Each call gets its own invocation id.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call(
        &self,
        wire_name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {
        self.open(None, wire_name, arguments.into(), cx)
    }

    /// Opens the call of a declared name with the id that the provider gave it; runs nothing.
    ///
    /// Two writes of one trace under the same id are one call: the second is answered by the first,
    /// where the policy keeps keys. A blank id is no id. It is the same as [`call`](Self::call)
    /// otherwise.
    #[must_use = "a call runs nothing until it is executed"]
    pub fn call_with_id(
        &self,
        call_id: impl Into<String>,
        wire_name: &str,
        arguments: impl Into<Arguments>,
        cx: &ToolContext,
    ) -> ToolCall {
        let call_id: String = call_id.into();
        let call_id = (!call_id.trim().is_empty()).then(|| call_id.into_boxed_str());
        self.open(call_id, wire_name, arguments.into(), cx)
    }

    /// Returns the text with which the model reads an answer: `data` as JSON, or the error.
    ///
    /// Tools are named as they were declared, and the text is never blank. Mark the answer of a
    /// failed call in the client's type, if it has a field for it: see [`ToolAnswer::is_error`].
    ///
    /// # Errors
    /// Returns an error if the call is not executed.
    pub fn answer_text(&self, answer: impl Into<ToolAnswer>) -> Result<String, AnswerError> {
        Ok(self.prepared(answer.into())?.content.without_parts().to_text())
    }

    /// Returns the object with which the model reads an answer: `output` or `error`, and `notes`.
    ///
    /// It is for clients that take JSON in place of text, such as Gemini's, which reads each number as
    /// a float: an integer beyond ±2<sup>53</sup>, which a float may round, becomes a text.
    ///
    /// # Errors
    /// Returns an error if the call is not executed.
    pub fn answer_object(&self, answer: impl Into<ToolAnswer>) -> Result<Value, AnswerError> {
        Ok(normalized(self.prepared(answer.into())?.content.without_parts().to_object()))
    }

    fn prepared(&self, mut answer: ToolAnswer) -> Result<ToolAnswer, AnswerError> {
        if matches!(answer.content.body, AnswerBody::Pending) {
            return Err(AnswerError::Pending { call_id: answer.call_id });
        }
        with_declared_names_in(&mut answer.content, &self.adapter.names);
        Ok(answer)
    }

    fn open(
        &self,
        call_id: Option<Box<str>>,
        wire_name: &str,
        arguments: Arguments,
        cx: &ToolContext,
    ) -> ToolCall {
        let cx = cx.with_invocation_id(Uuid::now_v7());
        let arguments = arguments.into_text();
        let Some(tool) = self.adapter.tool_name(wire_name) else {
            let closest = self.adapter.closest(wire_name);
            return open_undeclared(&self.runtime, wire_name, call_id, arguments, &closest, cx);
        };
        let arguments = match self.adapter.names.custom_argument(wire_name) {
            Some(argument) => CustomTool::arguments(argument, &arguments).into(),
            None => self.adapter.restore(tool, &arguments).into(),
        };
        self.runtime.open(tool, call_id, arguments, cx)
    }
}
