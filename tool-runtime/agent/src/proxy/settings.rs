//! The settings of a configuration, which serde reads one by one, so that every problem is reported.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::config::LogLevel;
use super::prices::PriceTable;

/// The settings; the type of each says which values it takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AgentSettings {
    pub(super) default_model: ModelName,
    pub(super) fallback_model: OptionalText,
    pub(super) student_summarizer_model: ModelName,
    pub(super) litellm_api_base: OptionalText,
    pub(super) compression_threshold_tokens: WholeNumber<0>,
    pub(super) toon_threshold_array_size: WholeNumber<0>,
    pub(super) max_concurrent_tools: WholeNumber<1, 20>,
    pub(super) request_timeout_seconds: WholeNumber<10, 300>,
    pub(super) enable_cache: Switch,
    pub(super) cache_ttl_seconds: WholeNumber<1>,
    pub(super) enable_logging: Switch,
    #[serde(deserialize_with = "read_log_level")]
    pub(super) log_level: LogLevel,
    pub(super) enable_metrics: Switch,
    #[serde(deserialize_with = "read_prices")]
    pub(super) prices: PriceTable,
}

/// A model's name, which is not empty.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct ModelName(#[schemars(length(min = 1))] pub(super) String);

/// A text that is empty where there is none: TOML has no null, and an absent setting has its default.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct OptionalText(#[schemars(with = "Option<String>")] String);

/// A whole number within its range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct WholeNumber<const MIN: u64, const MAX: u64 = { u64::MAX }>(
    #[schemars(range(min = MIN, max = MAX))] pub(super) u64,
);

/// A switch that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub(super) struct Switch(pub(super) bool);

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            default_model: ModelName("gemini/gemini-2.0-flash-exp".to_owned()),
            fallback_model: OptionalText::new(Some("openai/gpt-4o-mini")),
            student_summarizer_model: ModelName("openai/gpt-4o-mini".to_owned()),
            litellm_api_base: OptionalText::new(None),
            compression_threshold_tokens: WholeNumber(10_000),
            toon_threshold_array_size: WholeNumber(5),
            max_concurrent_tools: WholeNumber(5),
            request_timeout_seconds: WholeNumber(60),
            enable_cache: Switch(true),
            cache_ttl_seconds: WholeNumber(3_600),
            enable_logging: Switch(true),
            log_level: LogLevel::default(),
            enable_metrics: Switch(true),
            prices: PriceTable::default(),
        }
    }
}

impl AgentSettings {
    /// Reads settings by name; those that are not there have their defaults. Those of environment
    /// variables have the prefix of the variables' names.
    ///
    /// # Errors
    /// Returns every problem: the name, and what was expected.
    pub(super) fn read(
        values: Map<String, Value>,
        prefix: Option<&str>,
    ) -> Result<Self, Vec<String>> {
        let names = setting_names();
        let (mut settings, mut problems) = (Vec::new(), Vec::new());
        for (name, value) in values {
            let source_name = written_name(&name, prefix);
            if !names.contains(&name) {
                let names: Vec<_> =
                    names.iter().map(|it| format!("`{}`", written_name(it, prefix))).collect();
                let list = names.join(", ");
                problems.push(format!("`{source_name}`: unknown; the settings are {list}"));
                continue;
            }
            let values = if prefix.is_some() { readings(value) } else { vec![value] };
            match first_accepted(&name, values) {
                Ok(value) => settings.push((name, value)),
                Err(error) => problems.push(format!("`{source_name}`: {error}")),
            }
        }
        if problems.is_empty() {
            Self::deserialize(object(settings)).map_err(|error| vec![error.to_string()])
        } else {
            // The order of a map depends on the features of serde_json.
            problems.sort();
            Err(problems)
        }
    }
}

impl OptionalText {
    pub(super) fn new(text: Option<&str>) -> Self {
        Self(text.unwrap_or_default().to_owned())
    }

    pub(super) fn get(&self) -> Option<&str> {
        Some(&*self.0).filter(|text| !text.is_empty())
    }
}

impl<'de> Deserialize<'de> for ModelName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = |name: String| Some(name).filter(|name| !name.is_empty());
        read_as(from, "text that is not empty", name).map(Self)
    }
}

impl<'de> Deserialize<'de> for OptionalText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_as(from, "text", |text: Option<String>| Some(text.unwrap_or_default())).map(Self)
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for WholeNumber<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let upper_end = if MAX == u64::MAX { String::new() } else { format!(" to {MAX}") };
        let expected = format!("a whole number from {MIN}{upper_end}");
        let within = |number| Some(number).filter(|number| (MIN..=MAX).contains(number));
        read_as(from, &expected, within).map(Self)
    }
}

impl<'de> Deserialize<'de> for Switch {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_as(from, "true or false", Some).map(Self)
    }
}

fn read_log_level<'de, D: Deserializer<'de>>(from: D) -> Result<LogLevel, D::Error> {
    read_as(from, "one of `DEBUG`, `INFO`, `WARNING`, `ERROR`", Some)
}

fn read_prices<'de, D: Deserializer<'de>>(from: D) -> Result<PriceTable, D::Error> {
    let expected = "tables by model with the numbers `input`, `output` and maybe `cached_input`, in \
                    US dollars for a million tokens";
    read_as(from, expected, Some)
}

/// Reads a value that `accept` takes. The error names what was expected in place of serde's own
/// message, which repeats the value.
pub(super) fn read_as<'de, D: Deserializer<'de>, R: Deserialize<'de>, T>(
    from: D,
    expected: &str,
    accept: impl FnOnce(R) -> Option<T>,
) -> Result<T, D::Error> {
    let accepted = R::deserialize(from).ok().and_then(accept);
    accepted.ok_or_else(|| D::Error::custom(format_args!("expected {expected}")))
}

/// Returns the names of all settings in the order of the alphabet.
fn setting_names() -> BTreeSet<String> {
    let settings = serde_json::to_value(AgentSettings::default()).unwrap_or_default();
    settings.as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// Returns the name of a setting as its source writes it.
fn written_name(name: &str, prefix: Option<&str>) -> String {
    prefix.map_or_else(|| name.to_owned(), |prefix| format!("{prefix}{}", name.to_uppercase()))
}

/// Returns the values that the text of a variable may mean, since a variable has no type.
fn readings(text: Value) -> Vec<Value> {
    let trimmed = text.as_str().unwrap_or_default().trim();
    let number = trimmed.parse::<u64>().ok().map(Value::from);
    let switch = match trimmed {
        "true" | "1" => Some(Value::from(true)),
        "false" | "0" => Some(Value::from(false)),
        _ => None,
    };
    number.into_iter().chain(switch).chain([text]).collect()
}

/// Returns the first of the values that a setting takes. The other settings have their defaults, so
/// that an error is one of this setting.
fn first_accepted(name: &str, values: Vec<Value>) -> Result<Value, serde_json::Error> {
    let mut error = Error::missing_field("value");
    for value in values {
        match AgentSettings::deserialize(object([(name.to_owned(), value.clone())])) {
            Ok(_) => return Ok(value),
            Err(refusal) => error = refusal,
        }
    }
    Err(error)
}

fn object(members: impl IntoIterator<Item = (String, Value)>) -> Value {
    Value::Object(members.into_iter().collect())
}
