//! The configuration, from TOML and from variables.

use serde_json::json;
use tool_runtime::agent::{AgentConfig, AgentErrorKind, LogLevel, ModelPrice, PriceTable};

fn variables(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn the_defaults_are_those_of_the_platform() {
    let config = AgentConfig::from_toml("").unwrap();
    assert_eq!(config, AgentConfig::default());
    assert_eq!(config.default_model(), "gemini/gemini-2.0-flash-exp");
    assert_eq!(config.fallback_model(), Some("openai/gpt-4o-mini"));
    assert_eq!(config.student_summarizer_model(), "openai/gpt-4o-mini");
    assert_eq!(config.litellm_api_base(), None);
    assert_eq!(
        (config.compression_threshold_tokens(), config.toon_threshold_array_size()),
        (10_000, 5)
    );
    assert_eq!((config.max_concurrent_tools(), config.request_timeout_seconds()), (5, 60));
    assert_eq!((config.enable_cache(), config.cache_ttl_seconds()), (true, 3_600));
    assert_eq!((config.enable_logging(), config.log_level()), (true, LogLevel::Info));
    assert!(config.enable_metrics());
}

#[test]
fn the_printed_configuration_is_read_and_written_as_json() {
    let printed = json!({
        "default_model": "gemini/gemini-2.0-flash-exp", "fallback_model": "openai/gpt-4o-mini",
        "student_summarizer_model": "openai/gpt-4o-mini", "litellm_api_base": null,
        "compression_threshold_tokens": 10_000, "toon_threshold_array_size": 5,
        "max_concurrent_tools": 5, "request_timeout_seconds": 60, "enable_cache": true,
        "cache_ttl_seconds": 3_600, "enable_logging": true, "log_level": "INFO",
        "enable_metrics": true,
    });
    let config: AgentConfig = serde_json::from_value(printed).unwrap();
    assert_eq!(config, AgentConfig::default());
    let other = config
        .with_default_model("openai/gpt-4o")
        .and_then(|it| it.with_student_summarizer_model("m"))
        .and_then(|it| it.with_max_concurrent_tools(20))
        .and_then(|it| it.with_request_timeout_seconds(300))
        .and_then(|it| it.with_cache_ttl_seconds(1))
        .unwrap()
        .with_fallback_model(None)
        .with_litellm_api_base(Some("http://127.0.0.1:4000/v1"))
        .with_compression_threshold_tokens(0)
        .with_toon_threshold_array_size(0)
        .with_enable_cache(false)
        .with_enable_logging(false)
        .with_log_level(LogLevel::Error)
        .with_enable_metrics(false)
        .with_prices(PriceTable::default().with("m", ModelPrice::new(2.5, 10.0)));
    for config in [AgentConfig::default(), other] {
        let json = serde_json::to_value(&config).unwrap();
        assert_eq!(serde_json::from_value::<AgentConfig>(json).unwrap(), config);
        let text = toml::to_string(&config).unwrap();
        assert_eq!(AgentConfig::from_toml(&text).unwrap(), config, "{text}");
    }
}

#[test]
fn the_schema_of_the_configuration_admits_what_is_read() {
    let schema = schemars::schema_for!(AgentConfig);
    let validator = jsonschema::draft202012::new(schema.as_value()).unwrap();
    let default = serde_json::to_value(AgentConfig::default()).unwrap();
    assert!(validator.is_valid(&default), "{default}");
    let properties = schema.as_value()["properties"].as_object().unwrap();
    assert_eq!(
        properties.keys().collect::<Vec<_>>().len(),
        default.as_object().unwrap().len(),
        "each setting has a schema"
    );
    for (value, is_read) in [
        (json!({}), true),
        (json!({"fallback_model": null}), true),
        (json!({"prices": {"m": {"input": 1, "output": 2, "cached_input": 0.5}}}), true),
        (json!({"default_model": ""}), false),
        (json!({"default_model": null}), false),
        (json!({"max_concurrent_tools": 0}), false),
        (json!({"max_concurrent_tools": 21}), false),
        (json!({"request_timeout_seconds": 9}), false),
        (json!({"cache_ttl_seconds": 0}), false),
        (json!({"log_level": "LOUD"}), false),
        (json!({"prices": {"m": {"input": -1, "output": 2}}}), false),
        (json!({"model": "m"}), false),
    ] {
        assert_eq!(validator.is_valid(&value), is_read, "{value}");
        let read = serde_json::from_value::<AgentConfig>(value.clone());
        assert_eq!(read.is_ok(), is_read, "{value}");
    }
    let refused = AgentConfig::default().with_max_concurrent_tools(21).unwrap_err();
    assert_eq!(refused.kind(), AgentErrorKind::Configuration);
    assert!(AgentConfig::default().with_default_model("").is_err());
}

#[test]
fn toml_and_variables_say_the_same() {
    let toml = AgentConfig::from_toml(
        "default_model = 'm'\nfallback_model = ''\nmax_concurrent_tools = 20\nenable_cache = false\n\
         log_level = 'WARNING'\nlitellm_api_base = 'http://127.0.0.1:4000/v1'",
    );
    let named = AgentConfig::from_variables(
        "AGENT_",
        variables(&[
            ("AGENT_DEFAULT_MODEL", "m"),
            ("AGENT_FALLBACK_MODEL", ""),
            ("AGENT_MAX_CONCURRENT_TOOLS", "20"),
            ("AGENT_ENABLE_CACHE", "false"),
            ("AGENT_LOG_LEVEL", "WARNING"),
            ("AGENT_LITELLM_API_BASE", "http://127.0.0.1:4000/v1"),
            ("PATH", "/bin"),
        ]),
    );
    assert_eq!(toml.unwrap(), named.unwrap());
    assert!(AgentConfig::from_variables("", variables(&[])).is_err());
}

#[test]
fn every_problem_is_reported_and_no_value_is_repeated() {
    let error = AgentConfig::from_toml(
        "default_model = ''\nmax_concurrent_tools = 21\nrequest_timeout_seconds = 9\n\
         enable_cache = 'planted'\nlog_level = 'planted'\nspeed = 'planted'\ncache_ttl_seconds = 0\n\
         [prices.m]\ninput = 'planted'",
    )
    .unwrap_err();
    assert_eq!(error.kind(), AgentErrorKind::Configuration);
    let problems = error.details()["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 8, "{problems:?}");
    assert!(
        problems.contains(&json!("`max_concurrent_tools`: expected a whole number from 1 to 20"))
    );
    assert!(!format!("{error:?}").contains("planted"), "{error}");
    let found = variables(&[("A_MAX_CONCURRENT_TOOLS", "many"), ("A_SPEED", "planted")]);
    let error = AgentConfig::from_variables("A_", found).unwrap_err();
    assert!(error.message().contains("`A_MAX_CONCURRENT_TOOLS`: expected"), "{error}");
    assert!(error.message().contains("`A_SPEED`: unknown"), "{error}");
    let error = AgentConfig::from_toml("a = 1\nb = = 2").unwrap_err();
    assert!(error.message().contains("line 2"), "{error}");
}

#[test]
fn bounds_are_in_their_ranges() {
    for text in [
        "max_concurrent_tools = 1",
        "max_concurrent_tools = 20",
        "request_timeout_seconds = 10",
        "request_timeout_seconds = 300",
        "compression_threshold_tokens = 0",
        "cache_ttl_seconds = 1",
    ] {
        assert!(AgentConfig::from_toml(text).is_ok(), "{text}");
    }
    for text in [
        "max_concurrent_tools = 0",
        "request_timeout_seconds = 301",
        "toon_threshold_array_size = -1",
        "cache_ttl_seconds = 1.5",
        "cache_ttl_seconds = 0",
    ] {
        assert!(AgentConfig::from_toml(text).is_err(), "{text}");
    }
}

#[test]
fn a_price_may_have_one_for_cached_tokens() {
    let read = |cached: &str| {
        AgentConfig::from_toml(&format!("[prices.m]\ninput = 2.0\noutput = 8.0\n{cached}"))
    };
    let cached = |text: &str| read(text).unwrap().prices().price_for("m").unwrap().cached_input();
    assert_eq!((cached("cached_input = 0.2"), cached("")), (Some(0.2), None));
    for wrong in ["cached_input = 'planted'", "cached_input = -1", "cached = 0.2"] {
        let error = read(wrong).unwrap_err();
        assert!(error.message().contains("`cached_input`"), "{error}");
        assert!(!error.message().contains("planted"), "{error}");
    }
    assert_eq!(ModelPrice::new(1.0, 1.0).with_cached_input(f64::NAN).cached_input(), Some(0.0));
}

#[test]
fn prices_are_found_by_the_longest_name() {
    let config = AgentConfig::from_toml(
        "[prices.gpt-4o]\ninput = 2.5\noutput = 10\n[prices.'openai/gpt-4o-mini']\ninput = 0.15\noutput = 0.6",
    );
    let prices = config.unwrap().prices().clone();
    let input = |model: &str| prices.price_for(model).map(|price| price.input());
    assert_eq!(input("openai/gpt-4o-mini"), Some(0.15));
    assert_eq!(input("gpt-4o-mini-2024-07-18"), Some(0.15));
    assert_eq!(input("azure/gpt-4o-2024-08-06"), Some(2.5));
    assert_eq!((input("gpt-4"), input("")), (None, None));
    assert!((ModelPrice::new(1.0, f64::NAN).cost(1_000_000, 7) - 1.0).abs() < 1e-12);
}

#[test]
fn settings_are_read_from_the_environment_of_the_process() {
    const NAME: &str =
        "agent::proxy::configuration::settings_are_read_from_the_environment_of_the_process";
    if std::env::var_os("PLANTED_AGENT_DEFAULT_MODEL").is_some() {
        let config = AgentConfig::from_env("PLANTED_AGENT_").unwrap();
        assert_eq!((config.default_model(), config.max_concurrent_tools()), ("acme/env", 7));
        let error = AgentConfig::from_env("WRONG_AGENT_").unwrap_err();
        assert!(error.message().contains("`WRONG_AGENT_ENABLE_CACHE`: expected"), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        return;
    }
    // The environment of this process cannot be changed while other tests read it.
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", NAME]).env("PLANTED_AGENT_DEFAULT_MODEL", "acme/env");
    child.env("PLANTED_AGENT_MAX_CONCURRENT_TOOLS", "7").env("WRONG_AGENT_ENABLE_CACHE", "hunter2");
    let ended = child.output().unwrap();
    let said = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && said.contains("1 passed"), "{said}");
    let absent = AgentConfig::from_env("PLANTED_AGENT_").unwrap();
    assert_eq!(absent, AgentConfig::default());
}
