//! Builds an adapter of which some tools are custom tools.

use std::borrow::Borrow;

use thiserror::Error;
use tool_contracts::ToolSpec;
use tool_runtime_schema::schema::nearest_tools;

use super::{CustomTool, CustomToolFormat};
use crate::tool_choice::similar;
use crate::{Adapter, AdapterBuilder, Dialect};

/// The most similar names in the error of an unknown name.
const CLOSEST_NAMES: usize = 3;

/// Configures an [`Adapter`] of which some tools are declared as OpenAI's custom tools.
///
/// It is created by [`AdapterBuilder::custom_tool`].
#[derive(Debug, Clone)]
pub struct CustomToolsBuilder {
    builder: AdapterBuilder,
    tools: Vec<(String, CustomToolFormat)>,
}

/// Describes why a tool cannot be declared as a custom tool.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CustomToolError {
    /// The dialect has no custom tools.
    #[error("the dialect `{dialect}` has no custom tools; OpenAI's two dialects have them")]
    Unsupported {
        /// The dialect.
        dialect: Dialect,
    },
    /// No tool of this name is declared.
    #[error("no tool `{tool}` is declared; {}", similar(.closest))]
    UnknownTool {
        /// The name.
        tool: String,
        /// The most similar names of declared tools.
        closest: Vec<String>,
    },
    /// The tool does not take exactly one text.
    #[error("the tool `{tool}` cannot be a custom tool: {reason}; a custom tool takes one text")]
    NotOneText {
        /// The tool's own name.
        tool: String,
        /// The reason.
        reason: String,
    },
}

impl AdapterBuilder {
    /// Declares a tool whose only argument is a text as a custom tool of OpenAI: the model writes the
    /// text itself, without JSON around it. It suits programs, queries and documents.
    ///
    /// Set the other options before. Calls and answers do not differ for the host: a call's arguments
    /// are an object with the text.
    ///
    /// ```
    /// use serde_json::json;
    /// use tool_runtime::adapters::{Adapter, CustomToolFormat, Dialect};
    /// use tool_runtime::prelude::*;
    ///
    /// /// Runs a query.
    /// #[ai_tool(effect = "read", name = "sql.run")]
    /// fn run_sql(
    ///     /// The statement.
    ///     statement: String,
    /// ) -> usize {
    ///     statement.len()
    /// }
    ///
    /// let runtime = Runtime::builder().tool::<RunSqlTool>().build()?;
    /// let adapter = Adapter::builder(Dialect::OpenAiResponses)
    ///     .custom_tool("sql.run", CustomToolFormat::Text)
    ///     .build(runtime.specs_for_model())?;
    /// assert_eq!(adapter.declarations()[0]["type"], "custom");
    ///
    /// let call = json!({ "type": "custom_tool_call", "call_id": "call_1", "name": "sql_run",
    ///     "input": "SELECT 1", "status": "completed" });
    /// let turn = adapter.read(&json!({ "status": "completed", "output": [call] }).to_string())?;
    /// assert_eq!(turn.calls()[0].arguments(), r#"{"statement":"SELECT 1"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn custom_tool(
        self,
        tool: impl Into<String>,
        format: CustomToolFormat,
    ) -> CustomToolsBuilder {
        CustomToolsBuilder { builder: self, tools: Vec::new() }.custom_tool(tool, format)
    }
}

impl CustomToolsBuilder {
    /// Declares a further tool as a custom tool, by its own name.
    #[must_use]
    pub fn custom_tool(mut self, tool: impl Into<String>, format: CustomToolFormat) -> Self {
        self.tools.push((tool.into(), format));
        self
    }

    /// Declares the tools.
    ///
    /// # Errors
    /// Returns an error if the dialect has no custom tools, or if a named tool is unknown or takes
    /// anything but one text.
    pub fn build(
        self,
        specs: impl IntoIterator<Item: Borrow<ToolSpec>>,
    ) -> Result<Adapter, CustomToolError> {
        let dialect = self.builder.dialect;
        if !dialect.format().has_custom_tools() {
            return Err(CustomToolError::Unsupported { dialect });
        }
        let owned_specs: Vec<_> = specs.into_iter().collect();
        let specs: Vec<&ToolSpec> = owned_specs.iter().map(Borrow::borrow).collect();
        let mut adapter = self.builder.build(specs.iter().copied());
        for (tool, format) in self.tools {
            let spec = named(&specs, &tool)?;
            let (custom, losses) = CustomTool::from_spec(spec, format)
                .map_err(|reason| CustomToolError::NotOneText { tool: tool.clone(), reason })?;
            adapter.declare_custom(&tool, &custom, losses);
        }
        Ok(adapter)
    }
}

fn named<'s>(specs: &[&'s ToolSpec], tool: &str) -> Result<&'s ToolSpec, CustomToolError> {
    let tool_spec = specs.iter().find(|spec| spec.name() == tool);
    tool_spec.copied().ok_or_else(|| {
        let names: Vec<_> = specs.iter().map(|spec| spec.name()).collect();
        let closest = nearest_tools(tool, &names, CLOSEST_NAMES);
        let closest = closest.into_iter().map(str::to_owned).collect();
        CustomToolError::UnknownTool { tool: tool.to_owned(), closest }
    })
}
