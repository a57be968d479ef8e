//! Closures as tools: a map of parameters in, anything out.

use std::future::Future;

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::tool::CallScope;
use crate::tool::registry::DynamicTool;
use tool_contracts::Effect;

/// Tools made of closures, for parameters that no schema describes.
///
/// They admit any object. Prefer [`#[ai_tool]`](macro@tool_runtime_derive::ai_tool), or a
/// [schema](DynamicTool::input_schema): a model that is told nothing about the parameters guesses
/// them.
impl DynamicTool {
    /// Creates a tool of a closure that does not block: the parameters in, anything out.
    ///
    /// ```
    /// use tool_runtime::prelude::*;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let count = DynamicTool::from_fn("count", Effect::Read, "Counts parameters.", |parameters| {
    ///     Ok::<_, Failure>(parameters.len())
    /// });
    /// let runtime = Runtime::builder().dynamic(count).build()?;
    /// let mut call = runtime.call("count", r#"{"a":1,"b":[2]}"#, &ToolContext::local());
    /// assert_eq!(call.execute().await.data_json(), Some("2"));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn from_fn<F, O, E>(
        name: impl Into<String>,
        effect: Effect,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        F: Fn(Map<String, Value>) -> Result<O, E> + Send + Sync + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + Send + 'static,
    {
        any_object(name.into(), effect, description.into()).sync_handler(move |call| {
            let parameters = call.parse()?;
            function(parameters).map_err(Into::into)
        })
    }

    /// Creates a tool of an async closure: the parameters in, anything out.
    #[must_use]
    pub fn from_async_fn<F, R, O, E>(
        name: impl Into<String>,
        effect: Effect,
        description: impl Into<String>,
        function: F,
    ) -> Self
    where
        F: Fn(Map<String, Value>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = Result<O, E>> + Send + 'static,
        O: Serialize,
        E: Into<Failure>,
    {
        let tool = any_object(name.into(), effect, description.into());
        tool.handler(move |call: CallScope| {
            let function = function.clone();
            async move { function(call.parse()?).await.map_err(Into::<Failure>::into) }
        })
    }
}

fn any_object(name: String, effect: Effect, description: String) -> DynamicTool {
    let schema = json!({"type": "object", "additionalProperties": true});
    DynamicTool::new(name, effect).description(description).input_schema(schema)
}
