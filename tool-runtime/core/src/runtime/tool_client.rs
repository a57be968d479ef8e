//! The seam at which a client library of a provider takes the tools of a runtime.

use super::Runtime;

/// A kind of client that calls tools: a `Dialect`, of the feature `adapters`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no client of tools",
    label = "expected a `tool_runtime::adapters::Dialect`",
    note = "the type is behind the feature `adapters` of `tool-runtime`: `features = [\"adapters\"]`"
)]
pub trait ToolClient {
    /// The tools for the client, and its calls back.
    type Bridge;

    /// Connects the tools that models may call to the client.
    fn connect(self, runtime: &Runtime) -> Self::Bridge;
}

impl Runtime {
    /// Connects the tools that models may call to a client library of a provider: `runtime.bridge(Dialect::OpenAiChat)`
    /// returns a `ClientBridge`, with the feature `adapters`.
    ///
    /// For other tools or options, connect an adapter by `Adapter::bridge`.
    #[must_use]
    pub fn bridge<C: ToolClient>(&self, client: C) -> C::Bridge {
        client.connect(self)
    }
}
