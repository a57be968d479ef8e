//! Reads calls from responses, and writes answers.

use std::borrow::Cow;

use serde_json::Value;
use serde_json::value::RawValue;
use tool_contracts::ToolCallRequest;
use tool_runtime_schema::json::normalized;
use tool_runtime_schema::schema::nearest_tools;

use super::answers::match_to_calls;
use super::disclosure::found_tools_in;
use super::format::{
    AnswerBody, AnswerContent, CallForm, CallNamespace, ParsedCall, ParsedResponse, ResponseValue,
    ToolLoading, parse,
};
use super::response_digest::ResponseDigest;
use super::turn::or_empty;
use super::wide_integers;
use super::{
    Adapter, AnswerError, DeclaredTool, ReadError, RequestedCall, StopReason, ToolAnswer, Turn,
    TurnStream,
};

/// The most similar names in the answer to an unknown name.
const CLOSEST_NAMES: usize = 3;

/// Reads responses and writes answers.
impl Adapter {
    /// Reads a complete response: its text and its calls.
    ///
    /// Arguments keep every byte that the model wrote. Only the first of several
    /// candidates is read. Unknown content is kept in the turn's [`messages`](Turn::messages).
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect, StopReason};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let turn = adapter.read(r#"{"message":{"role":"assistant","content":"Hello"},"done":true}"#)?;
    /// assert_eq!((turn.text(), turn.stop_reason()), ("Hello", &StopReason::Done));
    /// # Ok::<(), tool_runtime::adapters::ReadError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the text is not JSON or not a response of this dialect, if it reports a
    /// failure of the provider, or if it is too long.
    pub fn read(&self, response: &str) -> Result<Turn, ReadError> {
        let tree = parse(response, self.max_response_bytes)?;
        let root = ResponseValue::root(&tree, response);
        if let Some(error) = root.get("error") {
            return Err(error.provider_error().into());
        }
        let parsed = self.dialect.format().read(root, &self.names)?;
        Ok(self.turn(parsed, ResponseDigest::from_whole(response)))
    }

    /// Starts reading a streamed response.
    #[must_use]
    pub fn stream(&self) -> TurnStream<'_> {
        TurnStream::new(self, self.dialect.format().stream())
    }

    /// Creates the messages that answer every call of a turn, in the model's order.
    ///
    /// Append them directly after the turn's own [`messages`](Turn::messages): providers accept
    /// nothing in between. The answers may be in any order, as executed calls or as
    /// [`ToolAnswer`]s. A turn without calls has no answer messages.
    ///
    /// ```
    /// use tool_runtime::adapters::{Adapter, Dialect, ToolAnswer};
    ///
    /// let adapter = Adapter::new(Dialect::Ollama, &[]);
    /// let call = r#"{"function":{"name":"weather","arguments":{}}}"#;
    /// let message = format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#);
    /// let turn = adapter.read(&format!(r#"{{"message":{message},"done":true}}"#))?;
    /// let answer = ToolAnswer::from_text(turn.calls()[0].call_id(), "it rains");
    /// let messages = adapter.answer_messages(&turn, [answer])?;
    /// assert_eq!(messages[0]["tool_name"], "weather");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if a call has no answer or two, or is not executed, or if an answer belongs
    /// to no call of this turn.
    pub fn answer_messages<A: Into<ToolAnswer>>(
        &self,
        turn: &Turn,
        answers: impl IntoIterator<Item = A>,
    ) -> Result<Vec<Value>, AnswerError> {
        let answers: Vec<_> = answers.into_iter().map(Into::into).collect();
        let mut prepared = match_to_calls(turn, answers, &self.names)?;
        for answer in prepared.iter_mut().filter(|it| it.call.form == CallForm::ToolSearch) {
            answer.found = self.found_declarations(&answer.content);
        }
        if prepared.is_empty() {
            return Ok(Vec::new());
        }
        let messages = self.dialect.format().answer_messages(&prepared);
        Ok(messages.into_iter().map(normalized).collect())
    }

    pub(super) fn turn(&self, response: ParsedResponse, digest: ResponseDigest) -> Turn {
        let ParsedResponse { mut messages, texts, thinking, refusal, calls, stop, metadata } =
            response;
        let calls = calls.into_iter().map(|call| self.requested(call, &stop)).collect();
        let wide_integers = wide_integers::take(&mut messages);
        let messages = messages.into_iter().map(normalized).collect();
        Turn { messages, wide_integers, texts, thinking, refusal, calls, stop, metadata, digest }
    }

    /// Resolves the declared name of a call, and converts its arguments to the tool's schema.
    fn requested(&self, mut parsed: ParsedCall, stop: &StopReason) -> RequestedCall {
        parsed.caller = parsed.caller.map(wide_integers::rounded);
        let tool = self.called_tool(&parsed);
        let (name, closest) = match (tool, &parsed.namespace) {
            (Some(tool), _) => (tool.to_owned(), None),
            (None, None) => (parsed.name.clone(), Some(self.closest(&parsed.name))),
            // A tool of the provider is no slip of the model.
            (None, namespace @ Some(_)) => {
                let name = CallNamespace::qualified(namespace.as_ref(), &parsed.name);
                (name, Some(Vec::new()))
            }
        };
        let restored = tool.and_then(|tool| match self.restore(tool, &parsed.arguments) {
            Cow::Owned(restored) => Some(restored),
            Cow::Borrowed(_) => None,
        });
        let mut requested = RequestedCall { parsed, name, restored, closest, request: None };
        requested.request = request(&requested).filter(|_| *stop == StopReason::Done);
        requested
    }

    /// Returns the declared tool of a call; none if it names a set of tools in which the tool was not
    /// declared.
    fn called_tool(&self, parsed: &ParsedCall) -> Option<&str> {
        // A deferred tool needs no search before its call, since a model may remember the name from
        // an earlier turn: deferring saves tokens, and protects nothing.
        let tool = self.names.tool(&parsed.name)?;
        let namespace = parsed.namespace.as_ref();
        let is_ours = namespace.is_none_or(|it| self.is_declared_in(&it.name, tool));
        is_ours.then_some(tool)
    }

    /// Returns the tool of a name in a streamed response, which may be qualified by a namespace.
    pub(super) fn shown_tool<'n>(&'n self, name: &'n str) -> &'n str {
        let tool = match name.split_once(':') {
            Some((namespace, name)) => {
                self.names.tool(name).filter(|tool| self.is_declared_in(namespace, tool))
            }
            None => self.names.tool(name),
        };
        tool.unwrap_or(name)
    }

    fn is_declared_in(&self, namespace: &str, tool: &str) -> bool {
        let wire = self.names.wire(tool);
        let is_deferred = |it: &DeclaredTool| {
            it.is_deferred() || self.plan.is_client_executed() && it.loading == ToolLoading::Found
        };
        let is_declared = |it: &DeclaredTool| {
            let toolkit = it.toolkit.as_ref().map(|toolkit| &*toolkit.name);
            Some(&*it.name) == wire && toolkit == Some(namespace) && is_deferred(it)
        };
        self.dialect.format().declares_namespaces()
            && self.tools.iter().chain(self.withheld.values()).any(is_declared)
    }

    /// The declarations of withheld tools that a search has found, best first.
    fn found_declarations(&self, answer: &AnswerContent) -> Vec<Value> {
        let tool_names = match &answer.body {
            AnswerBody::Data(data) if answer.found_tools.is_empty() => found_tools_in(data),
            AnswerBody::Data(_)
            | AnswerBody::Pending
            | AnswerBody::Text(_)
            | AnswerBody::Error(_)
            | AnswerBody::Notes => answer.found_tools.clone(),
        };
        let withheld_tools = tool_names.iter().filter_map(|name| self.withheld.get(name));
        let deferred =
            withheld_tools.cloned().map(DeclaredTool::deferred_by_provider).collect::<Vec<_>>();
        self.dialect.format().deferred_declarations(&deferred.iter().collect::<Vec<_>>())
    }

    pub(super) fn closest(&self, name: &str) -> Vec<String> {
        let declared: Vec<_> = self.names.declared_names().collect();
        nearest_tools(name, &declared, CLOSEST_NAMES).into_iter().map(str::to_owned).collect()
    }
}

/// The request for a declared tool, if the arguments are JSON.
fn request(requested: &RequestedCall) -> Option<ToolCallRequest> {
    if requested.closest.is_some() {
        return None;
    }
    let arguments =
        RawValue::from_string(or_empty(requested.arguments_for_tool()).to_owned()).ok()?;
    Some(ToolCallRequest::new(requested.call_id(), requested.name(), arguments))
}
