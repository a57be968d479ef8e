//! The lock: the definitions of remote tools that were accepted.

mod difference;
mod file;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;

use serde_json::Value;

use tool_runtime_schema::canonical::Digest;

pub use self::difference::PinDifference;
pub(super) use self::difference::differences;
use super::definition::{ToolDefinition, digest_of};
use super::error::{RemoteError, RemoteErrorKind};

/// The variable that selects what may be written.
pub(super) const VARIABLE: &str = "MCP_LOCK";
pub(super) const ACCEPT: &str = "MCP_LOCK=accept";

/// The accepted definition of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PinnedDefinition {
    /// The hash decides what is accepted.
    pub(super) digest: Digest,
    /// The pinned parts, to compare a change with.
    pub(super) pinned: Value,
}

/// The accepted definitions, by the server's names of the tools.
pub(super) type PinnedDefinitions = BTreeMap<String, PinnedDefinition>;

/// Selects what may be written to the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum McpLockMode {
    /// Pins new tools by the host's setting.
    Write,
    /// Accepts every tool as the server lists it when it is connected for the first time.
    Accept,
    /// Writes nothing, and admits no tool that is not in the lock.
    Frozen,
}

/// The place of the lock: a file, or only the memory of this process.
#[derive(Debug, Clone)]
pub(super) struct LockStore {
    path: Option<PathBuf>,
}

impl PinnedDefinition {
    pub(super) fn new(definition: &ToolDefinition) -> Self {
        let pinned = definition.pinned();
        Self { digest: digest_of(&pinned), pinned }
    }
}

impl McpLockMode {
    /// Reads the mode from the environment.
    pub(super) fn from_env() -> Result<Self, RemoteError> {
        match env::var_os(VARIABLE).as_deref().map(std::ffi::OsStr::to_str) {
            None | Some(Some("")) => Ok(Self::Write),
            Some(Some("accept")) => Ok(Self::Accept),
            Some(Some("frozen")) => Ok(Self::Frozen),
            Some(_) => Err(RemoteError::setting(format!(
                "invalid value of `{VARIABLE}`: expected `accept` or `frozen`, or no value"
            ))),
        }
    }
}

impl LockStore {
    pub(super) fn new(path: Option<PathBuf>) -> Self {
        Self { path }
    }

    /// Reads the pins; none if there is no file.
    pub(super) async fn read(&self) -> Result<Option<PinnedDefinitions>, RemoteError> {
        let Some(path) = self.path.clone() else { return Ok(None) };
        blocking(move || file::read(&path)).await
    }

    /// Replaces the file.
    pub(super) async fn write(&self, pins: &PinnedDefinitions) -> Result<(), RemoteError> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        let text = file::text(pins);
        blocking(move || file::write(&path, &text)).await
    }
}

async fn blocking<T: Send + 'static>(
    run: impl FnOnce() -> Result<T, RemoteError> + Send + 'static,
) -> Result<T, RemoteError> {
    let join_result = tokio::task::spawn_blocking(run).await;
    let stopped = |_| {
        Err(RemoteError::new(RemoteErrorKind::Lock, "the task that accesses the lock file failed"))
    };
    join_result.unwrap_or_else(stopped)
}
