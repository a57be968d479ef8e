//! The configuration of the agent.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::prices::PriceTable;
use super::settings::{AgentSettings, OptionalText, Switch, WholeNumber};
use crate::error::{AgentError, AgentErrorKind};

/// The least important events that the agent logs.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(rename_all = "UPPERCASE")]
#[schemars(inline)]
pub enum LogLevel {
    /// Each step of a request.
    Debug,
    /// Each answered request.
    #[default]
    Info,
    /// Requests that were answered in spite of a failure.
    Warning,
    /// Requests that failed.
    Error,
}

impl LogLevel {
    /// Returns the level's name, such as `INFO`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "DEBUG",
            Self::Info => "INFO",
            Self::Warning => "WARNING",
            Self::Error => "ERROR",
        }
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The configuration of the agent, with the defaults of the platform.
///
/// It is read from TOML, from environment variables and, by serde, from JSON and other formats; all
/// take the same settings. Its JSON Schema says what they are.
///
/// | setting | default | range |
/// | --- | --- | --- |
/// | `default_model` | `gemini/gemini-2.0-flash-exp` | |
/// | `fallback_model` | `openai/gpt-4o-mini` | empty for none |
/// | `student_summarizer_model` | `openai/gpt-4o-mini` | writes summaries where [`compression_strategy`](super::ProxyAgentBuilder::compression_strategy) is `Distillation` |
/// | `litellm_api_base` | none | the base URL of the models' server |
/// | `compression_threshold_tokens` | 10000 | from 0 |
/// | `toon_threshold_array_size` | 5 | from 0 |
/// | `max_concurrent_tools` | 5 | 1 to 20 |
/// | `request_timeout_seconds` | 60 | 10 to 300 |
/// | `enable_cache` | true | |
/// | `cache_ttl_seconds` | 3600 | from 1 |
/// | `enable_logging` | true | |
/// | `log_level` | `INFO` | `DEBUG`, `INFO`, `WARNING`, `ERROR` |
/// | `enable_metrics` | true | |
/// | `prices` | none | tables by model with `input`, `output` and maybe `cached_input`; not in variables |
///
/// ```
/// use tool_runtime::agent::AgentConfig;
///
/// let config = AgentConfig::from_toml(r#"
///     default_model = "openai/gpt-4o"
///     fallback_model = ""
///     max_concurrent_tools = 8
///
///     [prices."openai/gpt-4o"]
///     input = 2.5
///     output = 10.0
/// "#)?;
/// assert_eq!((config.default_model(), config.fallback_model()), ("openai/gpt-4o", None));
///
/// let error = AgentConfig::from_toml("max_concurrent_tools = 21\nlog_level = 'LOUD'").unwrap_err();
/// assert_eq!(error.details()["problems"].as_array().map(Vec::len), Some(2));
///
/// let same: AgentConfig = serde_json::from_str(
///     r#"{"default_model": "openai/gpt-4o", "fallback_model": null, "max_concurrent_tools": 8}"#,
/// )?;
/// assert_eq!(same, config.with_prices(Default::default()));
/// let set = AgentConfig::default()
///     .with_default_model("openai/gpt-4o")?
///     .with_fallback_model(None)
///     .with_max_concurrent_tools(8)?;
/// assert_eq!(set, same);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct AgentConfig {
    settings: AgentSettings,
}

impl AgentConfig {
    /// Reads settings from TOML; those that are not there have their defaults.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the text is not TOML, a setting is unknown or
    /// out of its range. Its details list every problem; no value is repeated.
    pub fn from_toml(text: &str) -> Result<Self, AgentError> {
        let read: Result<Map<String, Value>, _> = toml::from_str(text);
        let values = read.map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
            refused(vec![format!("line {line}: expected TOML")])
        })?;
        Self::read(values, None)
    }

    /// Reads settings from environment variables: the prefix and the setting's name in capitals,
    /// such as `AGENT_DEFAULT_MODEL`.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` as [`from_toml`](Self::from_toml) does.
    pub fn from_env(prefix: &str) -> Result<Self, AgentError> {
        let text = |word: std::ffi::OsString| word.to_string_lossy().into_owned();
        let variables = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
        Self::from_variables(prefix, variables)
    }

    /// Reads settings from these variables, as [`from_env`](Self::from_env) does from the process's.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` as [`from_toml`](Self::from_toml) does.
    pub fn from_variables(
        prefix: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, AgentError> {
        if prefix.is_empty() {
            return Err(refused(vec![
                "expected a prefix of the variables, such as `AGENT_`".to_owned(),
            ]));
        }
        let settings = variables.into_iter().filter_map(|(name, value)| {
            Some((name.strip_prefix(prefix)?.to_lowercase(), Value::String(value)))
        });
        Self::read(settings.collect(), Some(prefix))
    }

    fn read(values: Map<String, Value>, prefix: Option<&str>) -> Result<Self, AgentError> {
        let settings = AgentSettings::read(values, prefix).map_err(refused)?;
        Ok(Self { settings })
    }

    /// Sets the model that is asked unless a request names one.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the name is empty.
    pub fn with_default_model(mut self, model: impl Into<String>) -> Result<Self, AgentError> {
        self.settings.default_model = setting("default_model", model.into())?;
        Ok(self)
    }

    /// Sets the model that is asked if the first one fails; an empty name is none.
    #[must_use]
    pub fn with_fallback_model(mut self, model: Option<&str>) -> Self {
        self.settings.fallback_model = OptionalText::new(model);
        self
    }

    /// Sets the model that writes summaries.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the name is empty.
    pub fn with_student_summarizer_model(
        mut self,
        model: impl Into<String>,
    ) -> Result<Self, AgentError> {
        self.settings.student_summarizer_model = setting("student_summarizer_model", model.into())?;
        Ok(self)
    }

    /// Sets the base URL of the models' server; an empty one is none.
    #[must_use]
    pub fn with_litellm_api_base(mut self, url: Option<&str>) -> Self {
        self.settings.litellm_api_base = OptionalText::new(url);
        self
    }

    /// Sets how many tokens a context must exceed to be compressed.
    #[must_use]
    pub fn with_compression_threshold_tokens(mut self, tokens: u64) -> Self {
        self.settings.compression_threshold_tokens = WholeNumber(tokens);
        self
    }

    /// Sets how many rows an array may have without counting as a table.
    #[must_use]
    pub fn with_toon_threshold_array_size(mut self, rows: u64) -> Self {
        self.settings.toon_threshold_array_size = WholeNumber(rows);
        self
    }

    /// Sets how many reads run at once: 1 to 20.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_max_concurrent_tools(mut self, tools: u64) -> Result<Self, AgentError> {
        self.settings.max_concurrent_tools = setting("max_concurrent_tools", tools)?;
        Ok(self)
    }

    /// Sets the time limit of a request: 10 to 300 seconds.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_request_timeout_seconds(mut self, seconds: u64) -> Result<Self, AgentError> {
        self.settings.request_timeout_seconds = setting("request_timeout_seconds", seconds)?;
        Ok(self)
    }

    /// Sets whether answers are cached.
    #[must_use]
    pub fn with_enable_cache(mut self, enable_cache: bool) -> Self {
        self.settings.enable_cache = Switch(enable_cache);
        self
    }

    /// Sets for how long an answer is cached: 1 second or more.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_cache_ttl_seconds(mut self, seconds: u64) -> Result<Self, AgentError> {
        self.settings.cache_ttl_seconds = setting("cache_ttl_seconds", seconds)?;
        Ok(self)
    }

    /// Sets whether the agent logs.
    #[must_use]
    pub fn with_enable_logging(mut self, enable_logging: bool) -> Self {
        self.settings.enable_logging = Switch(enable_logging);
        self
    }

    /// Sets the least important events that the agent logs.
    #[must_use]
    pub fn with_log_level(mut self, log_level: LogLevel) -> Self {
        self.settings.log_level = log_level;
        self
    }

    /// Sets whether the agent measures its requests.
    #[must_use]
    pub fn with_enable_metrics(mut self, enable_metrics: bool) -> Self {
        self.settings.enable_metrics = Switch(enable_metrics);
        self
    }

    /// Sets the prices of models.
    #[must_use]
    pub fn with_prices(mut self, prices: PriceTable) -> Self {
        self.settings.prices = prices;
        self
    }

    /// Returns the model that is asked unless a request names one.
    #[must_use]
    pub fn default_model(&self) -> &str {
        &self.settings.default_model.0
    }

    /// Returns the model that [`OpenAiModel::from_config`](crate::OpenAiModel::from_config) asks
    /// if the first one fails; another client has its own.
    #[must_use]
    pub fn fallback_model(&self) -> Option<&str> {
        self.settings.fallback_model.get()
    }

    /// Returns the model that writes summaries.
    #[must_use]
    pub fn student_summarizer_model(&self) -> &str {
        &self.settings.student_summarizer_model.0
    }

    /// Returns the base URL of the models' server.
    #[must_use]
    pub fn litellm_api_base(&self) -> Option<&str> {
        self.settings.litellm_api_base.get()
    }

    /// Returns how many tokens a context must exceed to be compressed.
    #[must_use]
    pub const fn compression_threshold_tokens(&self) -> u64 {
        self.settings.compression_threshold_tokens.0
    }

    /// Returns how many rows an array may have without counting as a table.
    #[must_use]
    pub const fn toon_threshold_array_size(&self) -> u64 {
        self.settings.toon_threshold_array_size.0
    }

    /// Returns how many reads run at once.
    #[must_use]
    pub const fn max_concurrent_tools(&self) -> u64 {
        self.settings.max_concurrent_tools.0
    }

    /// Returns the time limit of a request, in seconds.
    #[must_use]
    pub const fn request_timeout_seconds(&self) -> u64 {
        self.settings.request_timeout_seconds.0
    }

    /// Returns whether answers are cached.
    #[must_use]
    pub const fn enable_cache(&self) -> bool {
        self.settings.enable_cache.0
    }

    /// Returns for how long an answer is cached, in seconds.
    #[must_use]
    pub const fn cache_ttl_seconds(&self) -> u64 {
        self.settings.cache_ttl_seconds.0
    }

    /// Returns whether the agent logs.
    #[must_use]
    pub const fn enable_logging(&self) -> bool {
        self.settings.enable_logging.0
    }

    /// Returns the least important events that the agent logs.
    #[must_use]
    pub const fn log_level(&self) -> LogLevel {
        self.settings.log_level
    }

    /// Returns whether the agent measures its requests.
    #[must_use]
    pub const fn enable_metrics(&self) -> bool {
        self.settings.enable_metrics.0
    }

    /// Returns the names of all models that the configuration names.
    pub(crate) fn model_names(&self) -> impl Iterator<Item = &str> {
        let required_models = [self.default_model(), self.student_summarizer_model()];
        required_models.into_iter().chain(self.fallback_model()).chain(self.prices().models())
    }

    /// Returns the prices of models.
    #[must_use]
    pub const fn prices(&self) -> &PriceTable {
        &self.settings.prices
    }
}

impl<'de> Deserialize<'de> for AgentConfig {
    /// Reads settings as [`from_toml`](Self::from_toml) does: those that are not there have their
    /// defaults, and the error lists every problem.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let values = Map::<String, Value>::deserialize(deserializer)?;
        Self::read(values, None).map_err(D::Error::custom)
    }
}

impl JsonSchema for AgentConfig {
    fn schema_name() -> Cow<'static, str> {
        "AgentConfig".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        AgentSettings::json_schema(generator)
    }
}

/// Checks the value of a setting as its reader does.
fn setting<T: DeserializeOwned>(name: &str, value: impl Into<Value>) -> Result<T, AgentError> {
    T::deserialize(value.into()).map_err(|error| refused(vec![format!("`{name}`: {error}")]))
}

fn refused(problems: Vec<String>) -> AgentError {
    let message = format!("the agent's configuration: {}", problems.join("; "));
    AgentError::new(AgentErrorKind::Configuration, message).with_detail("problems", problems)
}
