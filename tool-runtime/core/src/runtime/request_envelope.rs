//! A request envelope in, a response envelope out.

use tool_contracts::ToolContext;
use tool_contracts::envelope::{RequestEnvelope, ResponseEnvelope};
use uuid::Uuid;

use super::Runtime;
use crate::arguments::Arguments;
use crate::call::ToolCall;
use crate::dispatch::answer;

/// Requests and answers in the envelopes that services share.
impl Runtime {
    /// Runs the tool that a request envelope asks for, and answers in a response envelope.
    ///
    /// It is [`call`](Self::call) and [`execute`](ToolCall::execute) in one: the same checks, the
    /// same policy, one call that is always answered. The call's context is
    /// [`request.into_context(…)`](RequestEnvelope::into_context), so the request's id is its trace
    /// as well, and its run a new one. An envelope has no field for the tenant, since a caller must not
    /// choose it: the tenant is the builder's ([`RuntimeBuilder::tenant`](crate::RuntimeBuilder::tenant)).
    /// A host with several tenants names the tenant of each call, by [`handle_for`](Self::handle_for).
    ///
    /// A call that has to be approved first is answered `NEEDS_USER_CONFIRMATION`, with its ticket
    /// in `details.ticket`, unless the policy has an approver who approves it meanwhile. With the
    /// feature `policy` such a call can be resumed.
    ///
    /// ```
    /// use tool_runtime::prelude::*;
    ///
    /// /// Adds two numbers.
    /// #[ai_tool(effect = "read", ttl = "60s")]
    /// async fn add(
    ///     /// The first.
    ///     a: i64,
    ///     /// The second.
    ///     b: i64,
    /// ) -> i64 {
    ///     a + b
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let runtime = Runtime::builder().tool::<AddTool>().tenant(Uuid::from_u128(7)).build()?;
    /// let actor = Actor::new(ActorType::User, "u_123")?;
    /// let request = RequestEnvelope::builder("req-7", actor).build()?;
    ///
    /// let response = runtime.handle(request, "add", r#"{"a":2,"b":40}"#).await;
    /// assert_eq!(response.data().map(|data| data.get()), Some("42"));
    /// assert_eq!(response.ttl_seconds(), Some(60));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Cancellation
    /// Dropping the returned future interrupts the call, as dropping that of
    /// [`execute`](ToolCall::execute) does, and notifies observers.
    pub async fn handle(
        &self,
        request: RequestEnvelope,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> ResponseEnvelope {
        self.handle_for(self.tenant(), request, name, arguments).await
    }

    /// Runs the tool that a request envelope of this tenant asks for.
    ///
    /// Like [`handle`](Self::handle). The tenant comes from the authentication of the request, never
    /// from its content.
    ///
    /// # Cancellation
    /// Dropping the returned future interrupts the call.
    pub async fn handle_for(
        &self,
        tenant_id: Uuid,
        request: RequestEnvelope,
        name: &str,
        arguments: impl Into<Arguments>,
    ) -> ResponseEnvelope {
        let arguments = arguments.into().into_text();
        let cx: ToolContext = request.into_context(tenant_id);
        let call = self.open(name, None, arguments, cx);
        execute(call).await
    }
}

async fn execute(mut call: ToolCall) -> ResponseEnvelope {
    call.execute().await;
    call.into_output().unwrap_or_else(answer::missing_output).into_envelope()
}
