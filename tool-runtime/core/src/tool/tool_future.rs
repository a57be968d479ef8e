//! The end of a tool's future, before the runtime makes an envelope of it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use tool_runtime_schema::json::writer;

use crate::failure::LoggedFailure;

/// A tool's future: typed and checked arguments, parked at the gate, then the tool itself.
#[doc(hidden)]
pub type ToolFuture = Pin<Box<dyn Future<Output = Finished> + Send>>;

/// The end of a tool's future; only a `CallScope` makes one.
#[doc(hidden)]
pub struct Finished(pub(crate) ToolEnd);

impl fmt::Debug for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Finished")
    }
}

pub(crate) enum ToolEnd {
    /// The arguments were refused; the scope knows why.
    Refused,
    /// The envelope up to the end of `data`.
    Answered(OpenEnvelope),
    /// The tool failed, or the runtime on its behalf.
    Failed(LoggedFailure),
    /// The tool panicked on a blocking thread; the text is for the log.
    Panicked(String),
    /// The tool reported the outcome of an earlier run.
    #[allow(dead_code, reason = "only the feature `policy` asks for one")]
    Reconciled(ReconcileOutcome),
}

/// The outcome of an earlier run.
#[allow(dead_code, reason = "only the feature `policy` asks for one")]
pub(crate) enum ReconcileOutcome {
    Happened(OpenEnvelope),
    DidNotHappen,
    Unknown,
}

/// An envelope whose `meta` is still to come.
pub(crate) struct OpenEnvelope {
    pub(crate) json: Vec<u8>,
    pub(crate) data_start: usize,
    /// True if `data` contains a `null`, which also stands for a float that is not finite.
    pub(crate) nulls: bool,
}

impl OpenEnvelope {
    /// Writes a value as `data`.
    pub(crate) fn write<T: Serialize + ?Sized>(&mut self, value: &T) -> serde_json::Result<()> {
        self.nulls |= writer::write(&mut self.json, value)?;
        Ok(())
    }
}
