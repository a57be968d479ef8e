//! The host: the tools under one policy.

use std::error::Error;

use tool_runtime::RuntimeBuilder;
use tool_runtime::articulate::Articulator;
use tool_runtime::contracts::ContractError;
use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

use crate::data_folder::DataFolder;
use crate::tools::{Files, Handbook, PythonFunctions, Rates, Village, python};

/// The runtime of the demonstration's tools.
#[derive(Debug)]
pub struct Host {
    runtime: Runtime,
}

/// The module of the Python functions.
pub(crate) const FUNCTIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/functions.py");

/// The tenant of the program; a server would get it from the login.
const TENANT: Uuid = Uuid::from_u128(0x9f0a_0000_0000_7000_8000_0000_0000_0001);

/// The person for whom the program works; a server would get it from the login too.
const USER: &str = "editor-1";

impl Host {
    /// Starts the tools on the files of a data folder, with the service of rates at this address.
    ///
    /// Without `python3` of version 3.10 or newer there is no toolkit `python`.
    ///
    /// # Errors
    /// The files cannot be opened, or the tools do not fit together.
    pub async fn start(folder: &DataFolder, rates_url: &str) -> Result<Self, Box<dyn Error>> {
        Self::with_functions(folder, rates_url, &PythonFunctions::of(FUNCTIONS)).await
    }

    /// Like [`start`](Self::start), with the functions of another Python module, or other limits.
    ///
    /// # Errors
    /// The files cannot be opened, the module cannot be loaded, or the tools do not fit together.
    pub async fn with_functions(
        folder: &DataFolder,
        rates_url: &str,
        functions: &PythonFunctions,
    ) -> Result<Self, Box<dyn Error>> {
        let tables = ToolPolicy::new().result_serializer(Articulator::new());
        // A person sees what a dry run would write, and approves only that.
        let writes = ToolPolicy::new().bind_preview(true);
        // A function that ended its process would end the next one too.
        let never_again = ToolPolicy::new().retry(RetryConfig::never());
        let policy = Policy::new()
            .store(SqliteStore::open(folder.runtime())?)
            .ticket_keys(folder.keys()?)
            .rules(tables)
            .rules_for("files.write", writes)
            .rules_for("python", never_again);
        let python_tools = if python::is_installed().await {
            python::functions(functions).await?
        } else {
            Vec::new()
        };
        let builder = Runtime::builder()
            .toolkit(Village::open(&folder.village())?)
            .toolkit(Rates::new(rates_url)?)
            .toolkit(Handbook::open()?)
            .toolkit(Files::open(&folder.notes())?)
            .policy(policy);
        let runtime = python_tools.into_iter().fold(builder, RuntimeBuilder::dynamic).build()?;
        Ok(Self { runtime })
    }

    /// Returns the runtime.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns whether there is a toolkit of this name.
    #[must_use]
    pub fn has_toolkit(&self, name: &str) -> bool {
        self.runtime
            .specs_for_model()
            .any(|spec| spec.toolkit().is_some_and(|it| it.name() == name))
    }
}

/// Makes the context of one conversation, whose calls have this trace.
///
/// # Errors
/// The trace's id is empty or too long.
pub fn context(trace_id: &str) -> Result<ToolContext, ContractError> {
    ToolContext::builder(TENANT, trace_id).new_run_id().user_id(USER).build()
}

/// Makes the id of a new trace: the calls of one conversation have it in common.
#[must_use]
pub fn new_trace() -> String {
    format!("demo-{}", Uuid::now_v7())
}
