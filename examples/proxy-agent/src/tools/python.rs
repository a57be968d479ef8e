//! `python`: functions of a Python module, of the type `python_function`.
//!
//! A process of Python has the module; it describes its functions, and answers one call at a time. It is
//! killed when a call is not answered in time, and started anew by the next one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;
use tool_runtime::contracts::ToolkitSpec;
use tool_runtime::prelude::*;
use worker_process::{Worker, WorkerBuilder, WorkerError};

/// The interpreter.
const PYTHON: &str = "python3";

/// The script that answers requests.
const WORKER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/worker.py");

/// The deadline of a call, unless the functions have another one or the request a shorter one.
const DEADLINE: Duration = Duration::from_secs(5);

/// The time for the start of Python and of the module's imports.
const START: Duration = Duration::from_secs(30);

/// The memory of the process, in bytes.
const MEMORY: u64 = 512 << 20;

/// The processor time of the process for all its calls, in seconds; then the next call gets another one.
const CPU_SECONDS: u64 = 120;

/// A Python module whose functions become tools, and the limits of its process.
#[derive(Debug, Clone)]
pub struct PythonFunctions {
    module: PathBuf,
    deadline: Duration,
    cpu_seconds: u64,
    network: bool,
}

impl PythonFunctions {
    /// The functions of a module, given by its file.
    #[must_use]
    pub fn of(module: impl Into<PathBuf>) -> Self {
        let module = module.into();
        Self { module, deadline: DEADLINE, cpu_seconds: CPU_SECONDS, network: true }
    }

    /// Sets the deadline of a call, five seconds by default; a request may have a shorter one.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Sets the processor time of the process, in seconds; 120 by default. It needs Linux.
    #[must_use]
    pub fn cpu_seconds(self, cpu_seconds: u64) -> Self {
        Self { cpu_seconds, ..self }
    }

    /// Runs the process without any network, also that of this machine. It needs Linux with `unshare`
    /// and user namespaces; elsewhere the functions cannot be started, and the error says so.
    #[must_use]
    pub fn without_network(self) -> Self {
        Self { network: false, ..self }
    }
}

/// A function as the script describes it.
#[derive(Deserialize)]
struct Described {
    name: String,
    description: String,
    input: Value,
    output: Value,
}

/// The answer of a call.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Value(Value),
    Error(Raised),
}

/// An exception.
#[derive(Deserialize)]
struct Raised {
    #[serde(rename = "type")]
    exception: String,
    /// Absent unless the caller can mend its input.
    message: Option<String>,
}

/// The error of a call. What the process wrote to standard error is for the log only.
#[derive(Debug, ToolFailure)]
pub(crate) enum PythonError {
    /// The function refuses its input.
    #[failure(INVALID_ARGUMENT, message = "{message}")]
    InvalidInput {
        /// The function's message for its caller.
        message: String,
    },
    /// The function raised an exception.
    #[failure(
        code = "PYTHON_EXCEPTION",
        type = FATAL,
        message = "the function raised {exception}",
        details(exception)
    )]
    Raised {
        /// The exception's class.
        exception: String,
    },
    /// The function took too long, and its process was killed.
    #[failure(TIMEOUT, message = "the function did not end in time")]
    Deadline(WorkerError),
    /// The process ended while the function ran.
    #[failure(UPSTREAM_ERROR, message = "the process of the function ended")]
    Ended(WorkerError),
    /// Too many calls wait.
    #[failure(UNAVAILABLE, message = "too many calls wait for Python", retry_after = "1s")]
    Busy(WorkerError),
    /// Python cannot be started.
    #[failure(UNAVAILABLE, message = "Python cannot be started now", retry_after = "5s")]
    Start(WorkerError),
    /// The arguments are longer than a line of the protocol.
    #[failure(INVALID_ARGUMENT, message = "the arguments are too long")]
    TooLong(WorkerError),
    /// The process broke the protocol.
    #[failure(INTERNAL, hide)]
    Protocol(String),
}

/// Returns whether there is an interpreter of version 3.10 or newer.
pub(crate) async fn is_installed() -> bool {
    let script = "import sys; sys.exit(sys.version_info < (3, 10))";
    let ended = Command::new(PYTHON).args(["-I", "-c", script]).status().await;
    ended.is_ok_and(|status| status.success())
}

/// Makes a tool of each public function of a module, by its type hints and docstring.
///
/// # Errors
/// Python or the module cannot be started, or a type hint has no schema.
pub(crate) async fn functions(
    functions: &PythonFunctions,
) -> Result<Vec<DynamicTool>, Box<dyn std::error::Error>> {
    let worker = worker(functions).build();
    let described = worker.request(&json!("describe"), START).await.map_err(|error| {
        format!("the functions of {}: {error}\n{}", functions.module.display(), error.stderr())
    })?;
    let toolkit = ToolkitSpec::new("python", "Calculations on numbers, days and texts.")?;
    let described: Vec<Described> = serde_json::from_value(described)?;
    let tool = |it| tool(it, functions.deadline, toolkit.clone(), worker.clone());
    Ok(described.into_iter().map(tool).collect())
}

fn worker(functions: &PythonFunctions) -> WorkerBuilder {
    let worker = Worker::builder(PYTHON)
        // Isolated from the user's packages, and without bytecode beside the sources.
        .args([Path::new("-I"), Path::new("-B"), Path::new(WORKER), &functions.module])
        .start_timeout(START)
        .line_limit(1 << 20);
    let worker = if functions.network { worker } else { worker.without_network() };
    // Only Linux limits a process that runs already.
    if cfg!(target_os = "linux") {
        worker.memory_limit(MEMORY).cpu_seconds(functions.cpu_seconds)
    } else {
        worker
    }
}

fn tool(
    function: Described,
    deadline: Duration,
    toolkit: ToolkitSpec,
    worker: Worker,
) -> DynamicTool {
    let Described { name, description, input, output } = function;
    DynamicTool::new(format!("python.{name}"), Effect::Read)
        .toolkit(toolkit)
        .description(description)
        .version("1.0.0")
        .category("python_function")
        .timeout(deadline)
        .input_schema(input)
        .output_schema(output)
        .handler(move |call: CallScope| {
            let (worker, name) = (worker.clone(), name.clone());
            async move {
                let value = run(&worker, &name, call.parse()?, deadline).await;
                value.map_err(PythonError::into_failure)
            }
        })
}

/// Calls a function. If the future is dropped at the call's deadline, its process is killed.
async fn run(
    worker: &Worker,
    name: &str,
    arguments: Value,
    deadline: Duration,
) -> Result<Value, PythonError> {
    let request = json!({"function": name, "arguments": arguments});
    let answer = worker.request(&request, deadline).await?;
    match serde_json::from_value(answer) {
        Ok(Answer::Value(value)) => Ok(value),
        Ok(Answer::Error(Raised { message: Some(message), .. })) => {
            Err(PythonError::InvalidInput { message })
        }
        Ok(Answer::Error(Raised { exception, .. })) => Err(PythonError::Raised { exception }),
        Err(error) => Err(PythonError::Protocol(error.to_string())),
    }
}

impl PythonError {
    /// Adds what only the log may read: the error of the process, and what it wrote.
    fn into_failure(self) -> Failure {
        let log = match &self {
            Self::InvalidInput { .. } | Self::Raised { .. } => String::new(),
            Self::Protocol(reason) => reason.clone(),
            Self::Deadline(error)
            | Self::Ended(error)
            | Self::Busy(error)
            | Self::Start(error)
            | Self::TooLong(error) => format!("{error}\n{}", error.stderr()),
        };
        Failure::from(self).with_log(log)
    }
}

impl From<WorkerError> for PythonError {
    fn from(error: WorkerError) -> Self {
        match error {
            WorkerError::Deadline { .. } => Self::Deadline(error),
            WorkerError::Crashed { .. } => Self::Ended(error),
            WorkerError::Busy => Self::Busy(error),
            WorkerError::Start { .. } => Self::Start(error),
            WorkerError::TooLong { .. } => Self::TooLong(error),
            _ => Self::Protocol(error.to_string()),
        }
    }
}
