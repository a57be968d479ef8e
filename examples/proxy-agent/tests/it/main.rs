//! Tests of the demonstration: each tool through requests, each part over real HTTP, the program itself.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod agent;
mod files;
mod handbook;
mod program;
mod python;
mod rates;
mod village;

use std::process::Command;

use axum::http::StatusCode;
use proxy_agent::servers::RatesServer;
use proxy_agent::{DataFolder, Host, context};
use serde_json::Value;
use tool_runtime::agent::{RuntimeExecutor, ToolExecutor as _};
use tool_runtime::contracts::act::{ActResult, ToolRequest, ToolType};

/// A host with a data folder and a service of rates of its own.
struct Place {
    host: Host,
    folder: DataFolder,
    rates: RatesServer,
}

impl Place {
    async fn new() -> Self {
        Self::with_failing_rates([]).await
    }

    /// Begins with these statuses of the service of rates.
    async fn with_failing_rates(failures: impl IntoIterator<Item = StatusCode>) -> Self {
        let folder = DataFolder::temporary().unwrap();
        let rates = RatesServer::start(failures).await.unwrap();
        let host = Host::start(&folder, rates.url()).await.unwrap();
        Self { host, folder, rates }
    }

    fn executor(&self) -> RuntimeExecutor {
        executor(&self.host)
    }

    async fn run(&self, tool_type: ToolType, name: &str, parameters: Value) -> ActResult {
        run(&self.host, tool_type, name, parameters).await
    }
}

fn executor(host: &Host) -> RuntimeExecutor {
    RuntimeExecutor::new(host.runtime().clone(), context("trace-1").unwrap())
}

/// Makes a request for `toolkit.function`.
fn request(tool_type: ToolType, name: &str, parameters: Value) -> ToolRequest {
    let (id, function) = name.split_once('.').unwrap();
    ToolRequest::builder(id, tool_type, function).parameters(parameters).build().unwrap()
}

async fn run(host: &Host, tool_type: ToolType, name: &str, parameters: Value) -> ActResult {
    executor(host).execute_async(&request(tool_type, name, parameters)).await.unwrap()
}

/// Returns the data of a result that succeeded.
#[track_caller]
fn data(result: &ActResult) -> Value {
    assert!(result.success(), "{:?}", result.error());
    serde_json::from_str(result.data().get()).unwrap()
}

/// Returns the code of a result that failed.
#[track_caller]
fn code(result: &ActResult) -> &str {
    assert!(!result.success(), "{}", result.data().get());
    result.metadata()["error_code"].as_str().unwrap()
}

/// Returns whether a test of Python can run; a machine with Rust alone has none.
fn has_python() -> bool {
    let script = "import sys; sys.exit(sys.version_info < (3, 10))";
    let python = Command::new("python3").args(["-c", script]).status();
    let found = python.is_ok_and(|status| status.success());
    if !found {
        println!("left out: there is no python3 of version 3.10 or newer");
    }
    found
}
