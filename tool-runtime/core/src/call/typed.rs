//! A call whose answer's type the compiler knows.

use std::fmt;
use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::ToolCall;
use crate::tool::registry::TypedTool;

/// A deferred call of a tool that is named by its handle; its answer is typed.
///
/// [`Runtime::call_typed`](crate::Runtime::call_typed) makes it.
pub struct TypedCall<T> {
    call: ToolCall,
    tool: PhantomData<fn() -> T>,
}

impl<T: TypedTool> TypedCall<T> {
    pub(crate) fn new(call: ToolCall) -> Self {
        Self { call, tool: PhantomData }
    }

    /// Returns the call, to look at it.
    #[must_use]
    pub fn as_call(&self) -> &ToolCall {
        &self.call
    }

    /// Returns the call, to approve, decline or withdraw it.
    #[must_use]
    pub fn as_call_mut(&mut self) -> &mut ToolCall {
        &mut self.call
    }

    /// Runs the tool, at most once, and reads the answer into the tool's own type.
    ///
    /// `input` of the envelope is the echo of the arguments, as JSON.
    ///
    /// # Errors
    /// Returns an error if the output type cannot deserialize its own JSON; the envelope is in
    /// [`as_call().output()`](ToolCall::output).
    pub async fn execute(
        &mut self,
    ) -> serde_json::Result<tool_contracts::ToolOutput<Box<RawValue>, T::Output>>
    where
        T::Output: DeserializeOwned,
    {
        self.call.execute().await.decode()
    }
}

impl<T> fmt::Debug for TypedCall<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedCall").field(&self.call).finish()
    }
}
