//! The builder and the deserialization of a tool's description, which share their checks.

use serde_json::{Map, Value, json};

use super::{Effect, Permission, ToolAnnotations, ToolSpec, ToolkitSpec, check_prefix};
use crate::{
    ContractError,
    contract_error::Problems,
    portable::normalized_object,
    wire::{self, reads},
};

/// Builds a [`ToolSpec`]; `build` reports all problems at once.
#[derive(Debug, Clone)]
#[must_use = "a builder does nothing until `build`"]
pub struct ToolSpecBuilder {
    spec: ToolSpec,
    input_schema: Value,
    input_examples: Vec<Value>,
    output_schema: Option<Value>,
}

impl ToolSpecBuilder {
    pub(super) fn new(name: String, effect: Effect) -> Self {
        let spec = ToolSpec {
            name,
            title: None,
            version: "0.0.0".to_owned(),
            description: String::new(),
            category: None,
            toolkit: None,
            effect,
            annotations: ToolAnnotations::default(),
            permission: effect.default_permission(),
            input_schema: Map::new(),
            input_examples: Vec::new(),
            output_schema: None,
            ttl_seconds: None,
            timeout_ms: None,
            requires_auth: true,
            ai_callable: true,
        };
        Self {
            spec,
            input_schema: json!({"type": "object"}),
            input_examples: Vec::new(),
            output_schema: None,
        }
    }

    /// Sets the name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.spec.title = Some(title.into());
        self
    }

    /// Sets the tool's version. Default: `0.0.0`.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.spec.version = version.into();
        self
    }

    /// Sets the description.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.spec.description = description.into();
        self
    }

    /// Sets the category.
    pub fn category(mut self, category: impl Into<String>) -> Self {
        self.spec.category = Some(category.into());
        self
    }

    /// Sets the toolkit that the tool belongs to; its name and a dot begin the tool's name.
    pub fn toolkit(mut self, toolkit: ToolkitSpec) -> Self {
        self.spec.toolkit = Some(toolkit);
        self
    }

    /// Sets further properties of the effect.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.spec.annotations = annotations;
        self
    }

    /// Sets the permission to run. Default: by effect.
    pub fn permission(mut self, permission: Permission) -> Self {
        self.spec.permission = permission;
        self
    }

    /// Sets the JSON Schema of the arguments, an object. Default: accepts any object.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.input_schema = schema;
        self
    }

    /// Adds an example of arguments that the schema accepts, an object.
    pub fn input_example(mut self, example: Value) -> Self {
        self.input_examples.push(example);
        self
    }

    /// Sets the JSON Schema of the data, an object.
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.output_schema = Some(schema);
        self
    }

    /// Sets how long a result may be cached, in seconds; reads only.
    pub fn ttl_seconds(mut self, ttl_seconds: u64) -> Self {
        self.spec.ttl_seconds = Some(ttl_seconds);
        self
    }

    /// Sets how long a call may take, in milliseconds; more than 0.
    pub fn timeout_ms(mut self, timeout_ms: u64) -> Self {
        self.spec.timeout_ms = Some(timeout_ms);
        self
    }

    /// Sets whether the caller must be authenticated. Default: true.
    pub fn requires_auth(mut self, requires_auth: bool) -> Self {
        self.spec.requires_auth = requires_auth;
        self
    }

    /// Sets whether a model may call the tool. Default: true.
    pub fn ai_callable(mut self, ai_callable: bool) -> Self {
        self.spec.ai_callable = ai_callable;
        self
    }

    /// Returns the description.
    ///
    /// # Errors
    /// Returns an error if a field breaks its rule; it lists all problems.
    pub fn build(mut self) -> Result<ToolSpec, ContractError> {
        let mut problems = Problems::new("ToolSpec");
        self.spec.check(&mut problems);
        match self.input_schema {
            Value::Object(schema) => self.spec.input_schema = normalized_object(schema),
            _ => problems.check(false, "input_schema", NO_OBJECT),
        }
        for example in self.input_examples {
            match example {
                Value::Object(example) => self.spec.input_examples.push(normalized_object(example)),
                _ => problems.check(false, "input_examples", "expected objects"),
            }
        }
        match self.output_schema {
            Some(Value::Object(schema)) => {
                self.spec.output_schema = Some(normalized_object(schema));
            }
            Some(_) => problems.check(false, "output_schema", NO_OBJECT),
            None => {}
        }
        problems.finish().map(|()| self.spec)
    }
}

const NO_OBJECT: &str = "expected a JSON Schema that is an object";

impl ToolSpec {
    fn check(&self, problems: &mut Problems) {
        check_name(problems, &self.name);
        problems.filled("version", Some(&self.version));
        check_prefix(problems, &self.name, self.toolkit.as_ref());
        problems.check(
            self.ttl_seconds.is_none() || self.effect == Effect::Read,
            "ttl_seconds",
            "only results of a read can be cached; leave it out, or make the effect `read`",
        );
        problems.check(self.timeout_ms != Some(0), "timeout_ms", "expected more than 0");
    }
}

/// Checks a tool's name.
pub(crate) fn check_name(problems: &mut Problems, name: &str) {
    problems.check(
        is_tool_name(name),
        "name",
        "expected 1 to 128 of the letters A-Z and a-z, digits, `_`, `.` and `-`",
    );
}

fn is_tool_name(name: &str) -> bool {
    let admitted = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    (1..=128).contains(&name.len()) && name.bytes().all(admitted)
}

reads! {
    ToolSpec, "a tool's description";
    required name = "name", leaf wire::Text;
    optional title = "title", leaf wire::Text;
    required version = "version", leaf wire::Text;
    required description = "description", leaf wire::Text;
    optional category = "category", leaf wire::Text;
    optional toolkit = "toolkit", nested ToolkitSpec;
    required effect = "effect", nested Effect;
    required annotations = "annotations", nested ToolAnnotations;
    required permission = "permission", nested Permission;
    required input_schema = "input_schema", leaf wire::Object;
    optional input_examples = "input_examples", leaf wire::Objects;
    optional output_schema = "output_schema", leaf wire::Object;
    optional ttl_seconds = "ttl_seconds", leaf wire::Whole<u64>;
    optional timeout_ms = "timeout_ms", leaf wire::Whole<u64>;
    optional requires_auth = "requires_auth", leaf wire::Flag;
    optional ai_callable = "ai_callable", leaf wire::Flag;
    => {
        let spec = ToolSpec {
            name,
            title,
            version,
            description,
            category,
            toolkit,
            effect,
            annotations,
            permission,
            input_schema,
            input_examples: input_examples.unwrap_or_default(),
            output_schema,
            ttl_seconds,
            timeout_ms,
            requires_auth: requires_auth.unwrap_or(true),
            ai_callable: ai_callable.unwrap_or(true),
        };
        let mut problems = Problems::new("ToolSpec");
        spec.check(&mut problems);
        problems.finish().map_err(wire::refused::<A::Error>)?;
        Ok(spec)
    }
}
