//! Functions of Python.

use std::path::PathBuf;
use std::time::Duration;

use proxy_agent::{DataFolder, Host, PythonFunctions};
use serde_json::{Value, json};
use tool_runtime::agent::ToolExecutor as _;
use tool_runtime::contracts::act::ToolType::PythonFunction;
use tool_runtime::contracts::act::{ActResult, ToolRequest};

use crate::{Place, code, data, executor, has_python, run};

/// The functions of a module for tests.
fn functions(module: &str) -> PythonFunctions {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/python");
    PythonFunctions::of(folder.join(module))
}

/// A host with the functions of a module for tests; its folder lives as long.
async fn with_functions(module: &str) -> Result<(Host, DataFolder), String> {
    with_limits(functions(module)).await
}

async fn with_limits(functions: PythonFunctions) -> Result<(Host, DataFolder), String> {
    let folder = DataFolder::temporary().unwrap();
    let host = Host::with_functions(&folder, "http://127.0.0.1:9", &functions).await;
    Ok((host.map_err(|error| error.to_string())?, folder))
}

async fn call(host: &Host, name: &str) -> ActResult {
    run(host, PythonFunction, name, json!({})).await
}

#[tokio::test]
async fn a_function_computes() {
    if !has_python() {
        return;
    }
    let place = Place::new().await;
    let run = |name, parameters| place.run(PythonFunction, name, parameters);
    let summary = data(&run("python.summarize", json!({"values": [1, 2, 3, 4.5]})).await);
    assert_eq!((&summary["count"], &summary["mean"]), (&json!(4), &json!(2.625)));
    assert_eq!((&summary["median"], &summary["greatest"]), (&json!(2.5), &json!(4.5)));
    let days = json!({"start": "2026-11-25", "end": "2027-02-06"});
    let days = data(&run("python.days_between", days).await);
    assert_eq!(days, json!({"days": 73, "weeks": 10.4, "weekday": "Saturday"}));
    let day = json!({"day": "2027-02-06", "days": 21});
    assert_eq!(data(&run("python.workday_before", day).await), "2027-01-15");
    let texts = json!({"wanted": "readng day", "texts": ["tea", "Reading day"], "limit": 1});
    let closest = data(&run("python.closest_texts", texts).await);
    assert_eq!(closest, json!([{"text": "Reading day", "similarity": 0.952}]));
}

#[tokio::test]
async fn the_schema_of_a_tool_comes_from_type_hints_and_docstring() {
    if !has_python() {
        return;
    }
    let place = Place::new().await;
    let spec = place.host.runtime().spec("python.closest_texts").unwrap();
    assert!(spec.description().starts_with("Finds the texts that are most similar"));
    assert_eq!(spec.category(), Some("python_function"));
    let schema = Value::Object(spec.input_schema().clone());
    assert_eq!(schema["required"], json!(["wanted", "texts"]));
    assert_eq!(schema["properties"]["texts"]["items"], json!({"type": "string"}));
    assert_eq!(schema["properties"]["limit"]["default"], 3);
    assert_eq!(schema["properties"]["limit"]["description"], "The most matches.");
}

#[tokio::test]
async fn input_that_a_caller_can_mend_is_named_without_its_value() {
    if !has_python() {
        return;
    }
    let place = Place::new().await;
    let wrong = [
        ("python.summarize", json!({"values": "many"}), "/values"),
        ("python.summarize", json!({"values": []}), "`values`: expected at least one number"),
        ("python.days_between", json!({"start": "soon", "end": "2027-02-06"}), "/start"),
        (
            "python.days_between",
            json!({"start": "2026-13-45", "end": "2027-02-06"}),
            "`start`: expected a day of the calendar",
        ),
    ];
    for (name, parameters, expected) in wrong {
        let refused = place.run(PythonFunction, name, parameters).await;
        assert_eq!(code(&refused), "INVALID_ARGUMENT");
        let text = refused.to_text();
        assert!(text.contains(expected) && !text.contains("2026-13-45"), "{text}");
    }
}

#[tokio::test]
async fn an_exception_is_answered_by_its_type_alone() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    let before = data(&call(&host, "python.process").await);
    let parameters = json!({"dividend": 1, "divisor": 0});
    let divided = run(&host, PythonFunction, "python.divide", parameters).await;
    assert_eq!(code(&divided), "PYTHON_EXCEPTION");
    assert_eq!(divided.error().unwrap(), "the function raised ZeroDivisionError");
    let leaked = call(&host, "python.leak").await;
    assert_eq!(leaked.error().unwrap(), "the function raised RuntimeError");
    assert!(!serde_json::to_string(&leaked).unwrap().contains("planted"));
    let not_a_number = call(&host, "python.not_a_number").await;
    assert_eq!(not_a_number.error().unwrap(), "the function raised ValueError");
    assert_eq!(code(&call(&host, "python.wrong_type").await), "INVALID_OUTPUT");
    assert_eq!(data(&call(&host, "python.process").await), before, "the process goes on");
}

#[tokio::test]
async fn a_function_that_never_ends_is_killed_and_the_next_call_has_a_new_process() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    let before = data(&call(&host, "python.process").await);
    let request = ToolRequest::builder("python", PythonFunction, "hang").timeout_seconds(1);
    let late = executor(&host).execute_async(&request.build().unwrap()).await.unwrap();
    assert_eq!(code(&late), "TIMEOUT");
    assert_ne!(data(&call(&host, "python.process").await), before);
}

#[tokio::test]
async fn a_process_that_ends_is_started_anew() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    for name in ["python.crash", "python.leave"] {
        let before = data(&call(&host, "python.process").await);
        assert_eq!(code(&call(&host, name).await), "UPSTREAM_ERROR", "{name}");
        assert_ne!(data(&call(&host, "python.process").await), before, "{name}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn memory_above_the_limit_is_refused_and_the_process_goes_on() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    let allocate = async |megabytes: u32| {
        run(&host, PythonFunction, "python.allocate", json!({"megabytes": megabytes})).await
    };
    let before = data(&call(&host, "python.process").await);
    assert_eq!(data(&allocate(64).await), 64);
    assert_eq!(allocate(1024).await.error(), Some("the function raised MemoryError"));
    assert_eq!(data(&call(&host, "python.process").await), before);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_function_that_uses_up_its_processor_time_is_ended_and_the_next_call_has_a_new_process() {
    if !has_python() {
        return;
    }
    // On a busy machine a second of processor time takes many.
    let limited = functions("faults.py").cpu_seconds(1).deadline(Duration::from_secs(120));
    let (host, _folder) = with_limits(limited).await.unwrap();
    let before = data(&call(&host, "python.process").await);
    let ended = call(&host, "python.hang").await;
    assert_eq!(code(&ended), "UPSTREAM_ERROR", "before its deadline");
    assert_ne!(data(&call(&host, "python.process").await), before);
}

#[tokio::test]
async fn without_network_a_function_reaches_no_port_or_the_system_says_why_it_cannot_start() {
    if !has_python() {
        return;
    }
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = json!({"port": server.local_addr().unwrap().port()});
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    let reached = run(&host, PythonFunction, "python.connect", port.clone()).await;
    assert_eq!(data(&reached), "", "with the network it connects");
    match with_limits(functions("faults.py").without_network()).await {
        Ok((host, _folder)) => {
            let refused = data(&run(&host, PythonFunction, "python.connect", port).await);
            assert!(refused.as_str().is_some_and(|error| !error.is_empty()), "{refused}");
        }
        Err(error) => assert!(error.contains("no network namespace; install `unshare`"), "{error}"),
    }
}

#[tokio::test]
async fn a_function_that_prints_or_reads_does_not_break_the_protocol() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    assert_eq!(data(&call(&host, "python.chatter").await), "");
    let loud = run(&host, PythonFunction, "python.chatter", json!({"tone": "loud"})).await;
    assert_eq!(data(&loud), "");
    let refused = run(&host, PythonFunction, "python.chatter", json!({"tone": "shrill"})).await;
    assert_eq!(code(&refused), "INVALID_ARGUMENT");
}

#[tokio::test]
async fn public_functions_alone_become_tools_and_each_needs_type_hints() {
    if !has_python() {
        return;
    }
    let (host, _folder) = with_functions("faults.py").await.unwrap();
    assert!(host.runtime().spec("python.divide").is_some());
    assert!(host.runtime().spec("python._private").is_none());
    let error = with_functions("untyped.py").await.unwrap_err();
    assert!(error.contains("add: the parameter one has no type hint"), "{error}");
}
