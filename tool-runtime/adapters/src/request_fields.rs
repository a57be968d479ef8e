//! Writes the fields of a request for the tools and for the rules of their calls.

use serde_json::{Map, Value};
use tool_runtime_schema::json::normalized_object;
use tool_runtime_schema::schema::nearest_tools;

use super::format::{CallChoice, UnsupportedRule};
use super::tool_choice::{CallRules, ToolChoice, ToolChoiceError};
use super::{Adapter, DeclaredTool};

/// The most similar names in the error of an unknown name.
const CLOSEST_NAMES: usize = 3;

impl Adapter {
    /// Returns all fields of a request that concern tools: the declarations, and the rules for calls.
    ///
    /// Add them to the request's object, in place of the [`declarations`](Self::declarations) alone.
    /// Without any tool there are no fields, because providers reject them then.
    ///
    /// # Errors
    /// Returns an error if a named tool is not declared, or if the dialect cannot express a rule.
    pub fn request_fields(
        &self,
        rules: impl Into<CallRules>,
    ) -> Result<Map<String, Value>, ToolChoiceError> {
        let rules = rules.into();
        let allowed = rules.allowed.as_deref().map(|names| self.declared_all(names)).transpose()?;
        let choice = self.call_choice(&rules, allowed.as_deref())?;
        let may_call =
            allowed.as_deref().map_or(!self.tools().is_empty(), |tools| !tools.is_empty());
        match choice {
            CallChoice::Required { .. } if !may_call => return Err(ToolChoiceError::NoTools),
            CallChoice::Auto { .. } if !may_call && allowed.is_some() => {
                return Err(ToolChoiceError::NoTools);
            }
            _ if self.tools().is_empty() => return Ok(Map::new()),
            CallChoice::Auto { .. }
            | CallChoice::Required { .. }
            | CallChoice::None
            | CallChoice::Tool(_) => {}
        }
        self.write_fields(&choice, rules.parallel, allowed.as_deref())
    }

    fn write_fields(
        &self,
        choice: &CallChoice<'_>,
        parallel: Option<bool>,
        allowed: Option<&[&DeclaredTool]>,
    ) -> Result<Map<String, Value>, ToolChoiceError> {
        let format = self.dialect.format();
        let declarations = match allowed.filter(|_| !format.lists_allowed_tools()) {
            Some(tools) => self.declarations_for(tools),
            None => self.declarations().clone(),
        };
        let mut fields = Map::new();
        fields.insert(format.request_field().to_owned(), declarations);
        let unsupported = |UnsupportedRule { rule, cure }: UnsupportedRule| {
            ToolChoiceError::Unsupported { dialect: self.dialect, rule, cure }
        };
        format.write_choice(choice, parallel, &mut fields).map_err(unsupported)?;
        Ok(normalized_object(fields))
    }

    fn call_choice<'t>(
        &'t self,
        rules: &CallRules,
        allowed: Option<&'t [&'t DeclaredTool]>,
    ) -> Result<CallChoice<'t>, ToolChoiceError> {
        Ok(match &rules.choice {
            ToolChoice::Auto => CallChoice::Auto { allowed },
            ToolChoice::Required => CallChoice::Required { allowed },
            ToolChoice::None => CallChoice::None,
            ToolChoice::Tool(name) => {
                let tool = self.declared(name)?;
                if allowed.is_some_and(|allowed| !allowed.contains(&tool)) {
                    return Err(ToolChoiceError::NotAllowed { tool: name.clone() });
                }
                CallChoice::Tool(tool)
            }
        })
    }

    fn declared_all(&self, names: &[String]) -> Result<Vec<&DeclaredTool>, ToolChoiceError> {
        names.iter().map(|name| self.declared(name)).collect()
    }

    /// The declared tool of an own name.
    fn declared(&self, name: &str) -> Result<&DeclaredTool, ToolChoiceError> {
        let wire = self.wire_name(name);
        let tool = self.tools().iter().find(|tool| Some(tool.name()) == wire);
        tool.ok_or_else(|| {
            let tool_names: Vec<_> =
                self.tools().iter().filter_map(|tool| self.tool_name(tool.name())).collect();
            let closest = nearest_tools(name, &tool_names, CLOSEST_NAMES);
            let closest = closest.into_iter().map(str::to_owned).collect();
            ToolChoiceError::UnknownTool { tool: name.to_owned(), closest }
        })
    }
}
