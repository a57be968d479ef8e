//! A tool's contract, as stored in the catalogue and in the lock.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tool_contracts::{ToolErrorType, ToolSpec};
use tool_runtime_core::failure::FailureCode;
use tool_runtime_core::tool::BuildError;
use tool_runtime_core::tool::registry::{CompiledTool, Registry, ToolSettings};
use tool_runtime_schema::json::normalized;

use super::script::BuildScript;

/// A tool's description, and the error codes that it declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Contract {
    pub(super) spec: ToolSpec,
    pub(super) codes: BTreeMap<String, ToolErrorType>,
}

const CODES: &str = "failure_codes";

impl Contract {
    /// Lists the contracts of all tools, sorted by name.
    pub(super) fn all(
        registry: &Registry,
        script: Option<&BuildScript>,
    ) -> Result<Vec<Self>, BuildError> {
        let mut problems = Vec::new();
        let compiled = registry.compile(&ToolSettings::default(), &mut problems);
        BuildError::unless_empty(problems)?;
        Ok(compiled.tools.into_iter().map(|tool| Self::new(tool, script)).collect())
    }

    fn new(tool: CompiledTool, script: Option<&BuildScript>) -> Self {
        let code = |code: &FailureCode| (code.as_str().to_owned(), code.error_type());
        let codes = tool.codes.iter().map(code).collect();
        let contract = Self { spec: Arc::unwrap_or_clone(tool.spec), codes };
        let Some(script) = script else { return contract };
        // A description that was serialized can be deserialized; otherwise the titles stay
        // unchanged.
        let mut value = contract.to_value();
        script.restore_titles(&mut value);
        Self::from_value(value).unwrap_or(contract)
    }

    pub(super) fn name(&self) -> &str {
        self.spec.name()
    }

    pub(super) fn input(&self) -> Value {
        Value::Object(self.spec.input_schema().clone())
    }

    /// The schema of the data; any value if the tool declares none.
    pub(super) fn output(&self) -> Value {
        self.spec.output_schema().map_or(Value::Bool(true), |schema| Value::Object(schema.clone()))
    }

    pub(super) fn to_value(&self) -> Value {
        let mut value = json!(self.spec);
        if let Value::Object(fields) = &mut value {
            fields.insert(CODES.to_owned(), json!(self.codes));
        }
        value
    }

    pub(super) fn from_value(mut value: Value) -> Result<Self, serde_json::Error> {
        let codes = value.as_object_mut().and_then(|fields| fields.remove(CODES));
        let codes = codes.map(serde_json::from_value).transpose()?.unwrap_or_default();
        Ok(Self { spec: serde_json::from_value(value)?, codes })
    }
}

/// Formats JSON like all exported files, independent of the map order of this build.
pub(super) fn printed(value: Value) -> String {
    format!("{:#}\n", normalized(value))
}
