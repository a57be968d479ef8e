//! The configuration, from TOML and from variables.

use serde_json::json;
use tool_runtime::agent::{AgentConfig, AgentErrorKind, LogLevel, ModelPrice};

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
    let cached = |text: &str| read(text).unwrap().prices().of("m").unwrap().cached_input();
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
    let input = |model: &str| prices.of(model).map(|price| price.input());
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
