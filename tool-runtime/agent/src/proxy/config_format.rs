//! The configuration in the formats of serde, and its JSON Schema.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::config::{AgentConfig, CACHE_TTLS, CONCURRENT_TOOLS, LogLevel, REQUEST_TIMEOUTS};
use super::settings::NamedSettings;

impl<'de> Deserialize<'de> for AgentConfig {
    /// Reads settings as [`from_toml`](Self::from_toml) does: those that are not there have their
    /// defaults, and the error lists every problem.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Map::<String, Value>::deserialize(deserializer)?;
        Self::read(NamedSettings::new(values, "")).map_err(D::Error::custom)
    }
}

impl JsonSchema for AgentConfig {
    fn schema_name() -> Cow<'static, str> {
        "AgentConfig".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let default = Self::default();
        let model = |name: &str| json!({"type": "string", "minLength": 1, "default": name});
        let optional = |text: Option<&str>| json!({"type": ["string", "null"], "default": text});
        let flag = |is_on: bool| json!({"type": "boolean", "default": is_on});
        let levels = LogLevel::ALL.map(LogLevel::as_str);
        json_schema!({
            "type": "object",
            "description": "The configuration of the agent.",
            "properties": {
                "default_model": model(default.default_model()),
                "fallback_model": optional(default.fallback_model()),
                "student_summarizer_model": model(default.student_summarizer_model()),
                "litellm_api_base": optional(default.litellm_api_base()),
                "compression_threshold_tokens":
                    whole(&(0..=u64::MAX), default.compression_threshold_tokens()),
                "toon_threshold_array_size":
                    whole(&(0..=u64::MAX), default.toon_threshold_array_size()),
                "max_concurrent_tools": whole(&CONCURRENT_TOOLS, default.max_concurrent_tools()),
                "request_timeout_seconds":
                    whole(&REQUEST_TIMEOUTS, default.request_timeout_seconds()),
                "enable_cache": flag(default.enable_cache()),
                "cache_ttl_seconds": whole(&CACHE_TTLS, default.cache_ttl_seconds()),
                "enable_logging": flag(default.enable_logging()),
                "log_level": {
                    "type": "string", "enum": levels, "default": default.log_level().as_str(),
                },
                "enable_metrics": flag(default.enable_metrics()),
                "prices": prices(),
            },
            "additionalProperties": false,
        })
    }
}

fn whole(range: &RangeInclusive<u64>, default: u64) -> Value {
    json!({
        "type": "integer", "minimum": range.start(), "maximum": range.end(), "default": default,
    })
}

fn prices() -> Value {
    let dollars = json!({"type": "number", "minimum": 0});
    json!({
        "type": "object",
        "description": "The prices of models by their names, in US dollars for a million tokens.",
        "additionalProperties": {
            "type": "object",
            "properties": {"input": dollars, "output": dollars, "cached_input": dollars},
            "required": ["input", "output"],
            "additionalProperties": false,
        },
    })
}
