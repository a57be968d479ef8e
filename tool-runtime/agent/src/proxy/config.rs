//! The configuration of the agent.

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::prices::PriceTable;
use super::settings::{NOT_EMPTY, NamedSettings};
use crate::error::{AgentError, AgentErrorKind};

/// The least important events that the agent logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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
    pub(super) const ALL: [Self; 4] = [Self::Debug, Self::Info, Self::Warning, Self::Error];

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

impl Serialize for LogLevel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The numbers of reads that may run at once.
pub(super) const CONCURRENT_TOOLS: RangeInclusive<u64> = 1..=20;
/// The time limits of a request, in seconds.
pub(super) const REQUEST_TIMEOUTS: RangeInclusive<u64> = 10..=300;
/// The times to live of a cached answer, in seconds.
pub(super) const CACHE_TTLS: RangeInclusive<u64> = 1..=u64::MAX;

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
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentConfig {
    default_model: String,
    #[serde(serialize_with = "or_empty")]
    fallback_model: Option<String>,
    student_summarizer_model: String,
    #[serde(serialize_with = "or_empty")]
    litellm_api_base: Option<String>,
    compression_threshold_tokens: u64,
    toon_threshold_array_size: u64,
    max_concurrent_tools: u64,
    request_timeout_seconds: u64,
    enable_cache: bool,
    cache_ttl_seconds: u64,
    enable_logging: bool,
    log_level: LogLevel,
    enable_metrics: bool,
    prices: PriceTable,
}

const NAMES: [&str; 14] = [
    "default_model",
    "fallback_model",
    "student_summarizer_model",
    "litellm_api_base",
    "compression_threshold_tokens",
    "toon_threshold_array_size",
    "max_concurrent_tools",
    "request_timeout_seconds",
    "enable_cache",
    "cache_ttl_seconds",
    "enable_logging",
    "log_level",
    "enable_metrics",
    "prices",
];

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            default_model: "gemini/gemini-2.0-flash-exp".to_owned(),
            fallback_model: Some("openai/gpt-4o-mini".to_owned()),
            student_summarizer_model: "openai/gpt-4o-mini".to_owned(),
            litellm_api_base: None,
            compression_threshold_tokens: 10_000,
            toon_threshold_array_size: 5,
            max_concurrent_tools: 5,
            request_timeout_seconds: 60,
            enable_cache: true,
            cache_ttl_seconds: 3_600,
            enable_logging: true,
            log_level: LogLevel::default(),
            enable_metrics: true,
            prices: PriceTable::default(),
        }
    }
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
        Self::read(NamedSettings::new(values, ""))
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
        Self::read(NamedSettings::new(settings.collect(), prefix))
    }

    pub(super) fn read(mut settings: NamedSettings) -> Result<Self, AgentError> {
        let mut config = Self::default();
        settings.text("default_model", &mut config.default_model);
        settings.optional_text("fallback_model", &mut config.fallback_model);
        settings.text("student_summarizer_model", &mut config.student_summarizer_model);
        settings.optional_text("litellm_api_base", &mut config.litellm_api_base);
        let threshold = &mut config.compression_threshold_tokens;
        settings.whole("compression_threshold_tokens", 0..=u64::MAX, threshold);
        let size = &mut config.toon_threshold_array_size;
        settings.whole("toon_threshold_array_size", 0..=u64::MAX, size);
        settings.whole("max_concurrent_tools", CONCURRENT_TOOLS, &mut config.max_concurrent_tools);
        let timeout = &mut config.request_timeout_seconds;
        settings.whole("request_timeout_seconds", REQUEST_TIMEOUTS, timeout);
        settings.flag("enable_cache", &mut config.enable_cache);
        settings.whole("cache_ttl_seconds", CACHE_TTLS, &mut config.cache_ttl_seconds);
        settings.flag("enable_logging", &mut config.enable_logging);
        settings.flag("enable_metrics", &mut config.enable_metrics);
        if let Some(word) = settings.take("log_level") {
            let level = LogLevel::ALL.into_iter().find(|level| word == level.as_str());
            match level {
                Some(level) => config.log_level = level,
                None => settings.refuse("log_level", "one of `DEBUG`, `INFO`, `WARNING`, `ERROR`"),
            }
        }
        if let Some(prices) = settings.take("prices") {
            config.prices = PriceTable::read(prices, &mut settings);
        }
        let problems = settings.finish(&NAMES);
        if problems.is_empty() { Ok(config) } else { Err(refused(problems)) }
    }

    /// Sets the model that is asked unless a request names one.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the name is empty.
    pub fn with_default_model(self, model: impl Into<String>) -> Result<Self, AgentError> {
        Ok(Self { default_model: named("default_model", model.into())?, ..self })
    }

    /// Sets the model that is asked if the first one fails; an empty name is none.
    #[must_use]
    pub fn with_fallback_model(self, model: Option<&str>) -> Self {
        Self { fallback_model: model.filter(|it| !it.is_empty()).map(str::to_owned), ..self }
    }

    /// Sets the model that writes summaries.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the name is empty.
    pub fn with_student_summarizer_model(
        self,
        model: impl Into<String>,
    ) -> Result<Self, AgentError> {
        let model = named("student_summarizer_model", model.into())?;
        Ok(Self { student_summarizer_model: model, ..self })
    }

    /// Sets the base URL of the models' server; an empty one is none.
    #[must_use]
    pub fn with_litellm_api_base(self, url: Option<&str>) -> Self {
        Self { litellm_api_base: url.filter(|it| !it.is_empty()).map(str::to_owned), ..self }
    }

    /// Sets how many tokens a context must exceed to be compressed.
    #[must_use]
    pub fn with_compression_threshold_tokens(self, tokens: u64) -> Self {
        Self { compression_threshold_tokens: tokens, ..self }
    }

    /// Sets how many rows an array may have without counting as a table.
    #[must_use]
    pub fn with_toon_threshold_array_size(self, rows: u64) -> Self {
        Self { toon_threshold_array_size: rows, ..self }
    }

    /// Sets how many reads run at once: 1 to 20.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_max_concurrent_tools(self, tools: u64) -> Result<Self, AgentError> {
        let tools = within("max_concurrent_tools", CONCURRENT_TOOLS, tools)?;
        Ok(Self { max_concurrent_tools: tools, ..self })
    }

    /// Sets the time limit of a request: 10 to 300 seconds.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_request_timeout_seconds(self, seconds: u64) -> Result<Self, AgentError> {
        let seconds = within("request_timeout_seconds", REQUEST_TIMEOUTS, seconds)?;
        Ok(Self { request_timeout_seconds: seconds, ..self })
    }

    /// Sets whether answers are cached.
    #[must_use]
    pub fn with_enable_cache(self, enable_cache: bool) -> Self {
        Self { enable_cache, ..self }
    }

    /// Sets for how long an answer is cached: 1 second or more.
    ///
    /// # Errors
    /// Returns an error of the kind `Configuration` if the number is out of its range.
    pub fn with_cache_ttl_seconds(self, seconds: u64) -> Result<Self, AgentError> {
        let seconds = within("cache_ttl_seconds", CACHE_TTLS, seconds)?;
        Ok(Self { cache_ttl_seconds: seconds, ..self })
    }

    /// Sets whether the agent logs.
    #[must_use]
    pub fn with_enable_logging(self, enable_logging: bool) -> Self {
        Self { enable_logging, ..self }
    }

    /// Sets the least important events that the agent logs.
    #[must_use]
    pub fn with_log_level(self, log_level: LogLevel) -> Self {
        Self { log_level, ..self }
    }

    /// Sets whether the agent measures its requests.
    #[must_use]
    pub fn with_enable_metrics(self, enable_metrics: bool) -> Self {
        Self { enable_metrics, ..self }
    }

    /// Sets the prices of models.
    #[must_use]
    pub fn with_prices(self, prices: PriceTable) -> Self {
        Self { prices, ..self }
    }

    /// Returns the model that is asked unless a request names one.
    #[must_use]
    pub fn default_model(&self) -> &str {
        &self.default_model
    }

    /// Returns the model that [`OpenAiModel::from_config`](crate::OpenAiModel::from_config) asks
    /// if the first one fails; another client has its own.
    #[must_use]
    pub fn fallback_model(&self) -> Option<&str> {
        self.fallback_model.as_deref()
    }

    /// Returns the model that writes summaries.
    #[must_use]
    pub fn student_summarizer_model(&self) -> &str {
        &self.student_summarizer_model
    }

    /// Returns the base URL of the models' server.
    #[must_use]
    pub fn litellm_api_base(&self) -> Option<&str> {
        self.litellm_api_base.as_deref()
    }

    /// Returns how many tokens a context must exceed to be compressed.
    #[must_use]
    pub const fn compression_threshold_tokens(&self) -> u64 {
        self.compression_threshold_tokens
    }

    /// Returns how many rows an array may have without counting as a table.
    #[must_use]
    pub const fn toon_threshold_array_size(&self) -> u64 {
        self.toon_threshold_array_size
    }

    /// Returns how many reads run at once.
    #[must_use]
    pub const fn max_concurrent_tools(&self) -> u64 {
        self.max_concurrent_tools
    }

    /// Returns the time limit of a request, in seconds.
    #[must_use]
    pub const fn request_timeout_seconds(&self) -> u64 {
        self.request_timeout_seconds
    }

    /// Returns whether answers are cached.
    #[must_use]
    pub const fn enable_cache(&self) -> bool {
        self.enable_cache
    }

    /// Returns for how long an answer is cached, in seconds.
    #[must_use]
    pub const fn cache_ttl_seconds(&self) -> u64 {
        self.cache_ttl_seconds
    }

    /// Returns whether the agent logs.
    #[must_use]
    pub const fn enable_logging(&self) -> bool {
        self.enable_logging
    }

    /// Returns the least important events that the agent logs.
    #[must_use]
    pub const fn log_level(&self) -> LogLevel {
        self.log_level
    }

    /// Returns whether the agent measures its requests.
    #[must_use]
    pub const fn enable_metrics(&self) -> bool {
        self.enable_metrics
    }

    /// Returns the names of all models that the configuration names.
    pub(crate) fn model_names(&self) -> impl Iterator<Item = &str> {
        let required_models = [&*self.default_model, &*self.student_summarizer_model];
        required_models
            .into_iter()
            .chain(self.fallback_model.as_deref())
            .chain(self.prices.models())
    }

    /// Returns the prices of models.
    #[must_use]
    pub const fn prices(&self) -> &PriceTable {
        &self.prices
    }
}

/// Serializes a text that may be absent as one that is empty then: TOML has no null, and an absent
/// setting has its default.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
fn or_empty<S: Serializer>(text: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(text.as_deref().unwrap_or_default())
}

fn named(setting: &str, model: String) -> Result<String, AgentError> {
    let mut settings = NamedSettings::new(Map::new(), "");
    if model.is_empty() {
        settings.refuse(setting, NOT_EMPTY);
    }
    finished(model, settings)
}

fn within(setting: &str, range: RangeInclusive<u64>, number: u64) -> Result<u64, AgentError> {
    let mut settings =
        NamedSettings::new(Map::from_iter([(setting.to_owned(), number.into())]), "");
    let mut place = number;
    settings.whole(setting, range, &mut place);
    finished(place, settings)
}

fn finished<T>(value: T, settings: NamedSettings) -> Result<T, AgentError> {
    let problems = settings.finish(&[]);
    if problems.is_empty() { Ok(value) } else { Err(refused(problems)) }
}

fn refused(problems: Vec<String>) -> AgentError {
    let message = format!("the agent's configuration: {}", problems.join("; "));
    AgentError::new(AgentErrorKind::Configuration, message).with_detail("problems", problems)
}
