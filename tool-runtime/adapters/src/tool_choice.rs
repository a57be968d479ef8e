//! The tools that a model may call in its next response.

use thiserror::Error;

use super::Dialect;

/// Tells a model to decide about calls, to make one, or to make none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// The model decides.
    Auto,
    /// The model makes at least one call.
    Required,
    /// The model makes no call. The declarations are sent, because the conversation may contain
    /// calls of them.
    None,
    /// The model calls the tool of this own name.
    Tool(String),
}

/// The rules for the calls of the next response.
///
/// They direct the model, and protect nothing: the runtime's policy decides about each call.
///
/// | dialect | choice | parallel calls | allowed tools |
/// | --- | --- | --- | --- |
/// | OpenAI (both) | `tool_choice` | `parallel_tool_calls` | `tool_choice` of type `allowed_tools` |
/// | Anthropic | `tool_choice` | `disable_parallel_tool_use` | only they are declared |
/// | Gemini | the mode `AUTO`, `ANY` or `NONE` | cannot be disabled | `allowedFunctionNames`, with the mode `VALIDATED` in place of `AUTO` |
/// | Bedrock Converse | `toolChoice`; not [`None`](ToolChoice::None) | cannot be disabled | only they are declared |
/// | Ollama | [`Auto`](ToolChoice::Auto); [`None`](ToolChoice::None) declares no tool | cannot be disabled | only they are declared |
///
/// Some models support fewer choices than their API: Anthropic's with thinking take only `Auto` and
/// `None`, and several models of Bedrock only `Auto`.
///
/// ```
/// use serde_json::json;
/// use tool_runtime::adapters::{Adapter, CallRules, Dialect, ToolChoice};
/// use tool_runtime::contracts::{Effect, ToolSpec};
///
/// let spec = ToolSpec::builder("content.search", Effect::Read).build()?;
/// let adapter = Adapter::new(Dialect::Anthropic, [&spec]);
/// let rules = CallRules::new(ToolChoice::Required).parallel_calls(false);
/// let mut request = json!({ "model": "…", "max_tokens": 1024, "messages": [] });
/// request.as_object_mut().unwrap().extend(adapter.request_fields(rules)?);
/// assert_eq!(request["tools"][0]["name"], "content_search");
/// assert_eq!(request["tool_choice"], json!({ "type": "any", "disable_parallel_tool_use": true }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRules {
    pub(super) choice: ToolChoice,
    pub(super) parallel: Option<bool>,
    pub(super) allowed: Option<Vec<String>>,
}

/// Describes why a dialect cannot express some rules.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ToolChoiceError {
    /// No tool of this name is declared.
    #[error("no tool `{tool}` is declared; {}", similar(.closest))]
    UnknownTool {
        /// The name.
        tool: String,
        /// The most similar own names of declared tools.
        closest: Vec<String>,
    },
    /// The chosen tool is not one of the allowed ones.
    #[error(
        "the model is to call `{tool}`, which is not an allowed tool; add it to the allowed ones"
    )]
    NotAllowed {
        /// The name.
        tool: String,
    },
    /// There is no tool that the model may call.
    #[error(
        "a call is required, or tools are limited, but there is none to call; use `ToolChoice::None`"
    )]
    NoTools,
    /// The dialect has no field for a rule.
    #[error("the dialect `{dialect}` cannot express {rule}; {cure}")]
    Unsupported {
        /// The dialect.
        dialect: Dialect,
        /// The rule.
        rule: &'static str,
        /// The remedy.
        cure: &'static str,
    },
}

impl CallRules {
    /// Sets the choice, with the provider's default for parallel calls, and all declared tools.
    #[must_use]
    pub fn new(choice: ToolChoice) -> Self {
        Self { choice, parallel: None, allowed: None }
    }

    /// Sets whether one response may contain several calls. Default: the provider's, which is yes.
    #[must_use]
    pub fn parallel_calls(mut self, parallel: bool) -> Self {
        self.parallel = Some(parallel);
        self
    }

    /// Limits the calls to some of the declared tools, by their own names. Default: all.
    ///
    /// All declarations are sent if the provider has a field for the limit, so that its prompt cache
    /// stays valid. Otherwise only the allowed tools are declared.
    #[must_use]
    pub fn allowed_tools<N: Into<String>>(mut self, tools: impl IntoIterator<Item = N>) -> Self {
        self.allowed = Some(tools.into_iter().map(Into::into).collect());
        self
    }
}

impl From<ToolChoice> for CallRules {
    fn from(choice: ToolChoice) -> Self {
        Self::new(choice)
    }
}

/// Names similar tools in an error of an unknown one.
pub(super) fn similar(closest: &[String]) -> String {
    if closest.is_empty() {
        return "declare it".to_owned();
    }
    let quoted_names: Vec<_> = closest.iter().map(|name| format!("`{name}`")).collect();
    format!("similar names are {}", quoted_names.join(", "))
}
