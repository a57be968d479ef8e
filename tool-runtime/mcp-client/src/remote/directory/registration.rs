//! Registers the tools of a server in the runtime, and disables those that may not be called.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use tool_runtime_core::failure::Failure;
use tool_runtime_core::runtime::{Runtime, ToolChanges};
use tool_runtime_core::tool::registry::DynamicTool;
use tool_runtime_core::tool::{BuildError, BuildProblem, CallScope};
use tool_runtime_schema::canonical::Digest;

use super::{Directory, DirectoryEntry, ListedDefinition, ToolVerdict};
use crate::remote::call::RemoteCallSender;
use crate::remote::definition::ToolDefinition;
use crate::remote::findings::CleanDefinition;
use crate::remote::settings::RemoteSettings;

/// Says whether calls of one registered definition may still be sent: a call keeps the tool that it
/// was opened with, also if the definition was changed since.
#[derive(Debug, Default)]
pub(in super::super) struct ToolGate(AtomicBool);

/// A tool of the runtime.
#[derive(Debug)]
pub(super) struct RegisteredTool {
    pub(super) name: String,
    digest: Digest,
    gate: Arc<ToolGate>,
    disabled: Option<String>,
}

/// Registers tools in a runtime.
pub(in super::super) struct Registrar<'r> {
    pub(in super::super) runtime: &'r Runtime,
    pub(in super::super) settings: &'r RemoteSettings,
    pub(in super::super) sender: &'r Arc<RemoteCallSender>,
}

/// One change of the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
enum RegistrationStep {
    Add { disabled: Option<String> },
    Replace,
    Enable,
    Disable(String),
}

impl ToolGate {
    pub(in super::super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self, open: bool) {
        self.0.store(open, Ordering::Release);
    }
}

impl RegisteredTool {
    /// Lets no further call be sent, and returns the name.
    pub(super) fn revoke(self) -> String {
        self.gate.set(false);
        self.name
    }
}

impl Directory {
    /// Brings the runtime up to date with the entries.
    pub(in super::super) fn register(&mut self, registrar: &Registrar<'_>) {
        for name in self.stale.drain(..) {
            registrar.runtime.tools().remove(&name);
        }
        let mut steps = Vec::new();
        let mut changes = ToolChanges::new();
        for (name, entry) in &mut self.entries {
            entry.close_gate();
            let Some(step) = entry.step() else { continue };
            let gate = Arc::new(ToolGate::default());
            changes = registrar.add_to(changes, entry, &step, &gate);
            steps.push((name.clone(), step, gate));
        }
        let made = registrar.runtime.tools().apply(changes).is_ok();
        for (name, step, gate) in steps {
            let Some(entry) = self.entries.get_mut(&name) else { continue };
            if made {
                entry.record(step, gate);
            } else {
                registrar.make(entry, &step, gate);
            }
        }
        for entry in self.entries.values_mut() {
            entry.open_gate();
        }
    }

    /// Removes all tools from the runtime.
    pub(in super::super) fn unregister(&mut self, runtime: &Runtime) {
        self.revoke_all();
        for name in self.stale.drain(..) {
            runtime.tools().remove(&name);
        }
    }

    /// Lets no further call be sent.
    pub(in super::super) fn revoke_all(&mut self) {
        let registered = self.entries.values_mut().filter_map(|entry| entry.registered.take());
        self.stale.extend(registered.map(RegisteredTool::revoke));
    }

    /// Disables all tools, because the server cannot be reached.
    pub(in super::super) fn disable_all(&mut self, runtime: &Runtime, reason: &str) {
        for entry in self.entries.values_mut() {
            if let Some(known) = entry.registered.as_mut().filter(|known| known.disabled.is_none())
            {
                known.gate.set(false);
                runtime.tools().disable(&known.name, reason);
                known.disabled = Some(reason.to_owned());
            }
        }
    }
}

impl Registrar<'_> {
    fn add_to(
        &self,
        changes: ToolChanges,
        entry: &DirectoryEntry,
        step: &RegistrationStep,
        gate: &Arc<ToolGate>,
    ) -> ToolChanges {
        let (Some(name), Some(listed)) = (&entry.name, &entry.listed) else {
            return match (step, &entry.registered) {
                (RegistrationStep::Disable(reason), Some(known)) => {
                    changes.disable(&*known.name, &**reason)
                }
                (RegistrationStep::Disable(_), None)
                | (
                    RegistrationStep::Add { .. }
                    | RegistrationStep::Replace
                    | RegistrationStep::Enable,
                    _,
                ) => changes,
            };
        };
        let tool = || self.tool(name, listed, gate);
        match step {
            RegistrationStep::Add { disabled: None } => changes.add(tool()),
            RegistrationStep::Add { disabled: Some(reason) } => {
                changes.add(tool()).disable(&**name, &**reason)
            }
            RegistrationStep::Replace => changes.replace(tool()),
            RegistrationStep::Enable => changes.enable(&**name),
            // It keeps the accepted contract. Calls that were opened with it ask the gate when they
            // run.
            RegistrationStep::Disable(reason) => changes.disable(&**name, &**reason),
        }
    }

    /// Makes one change by itself. A tool that the host has removed is added again.
    fn make(&self, entry: &mut DirectoryEntry, step: &RegistrationStep, gate: Arc<ToolGate>) {
        let again = RegistrationStep::Add { disabled: None };
        for step in [step, &again] {
            let changes = self.add_to(ToolChanges::new(), entry, step, &gate);
            match (self.runtime.tools().apply(changes), step) {
                (Ok(_), _) => return entry.record(step.clone(), gate),
                (Err(error), RegistrationStep::Replace) if !is_missing(&error) => {
                    return self.leave_out(entry, &error);
                }
                (Err(_), RegistrationStep::Replace | RegistrationStep::Enable) => {}
                (Err(_), RegistrationStep::Disable(_)) => return entry.registered = None,
                (Err(error), RegistrationStep::Add { .. }) => {
                    return self.leave_out(entry, &error);
                }
            }
        }
    }

    /// Leaves out a tool that cannot be registered, and removes its former definition.
    fn leave_out(&self, entry: &mut DirectoryEntry, error: &BuildError) {
        if let Some(former) = entry.registered.take() {
            self.runtime.tools().remove(&former.revoke());
        }
        entry.problem = Some(one_line(&error.to_string()));
        entry.verdict = ToolVerdict::Refused;
    }

    fn tool(&self, name: &str, listed: &ListedDefinition, gate: &Arc<ToolGate>) -> DynamicTool {
        let tool = described(name, &listed.definition, &listed.clean, self.settings);
        let (sender, gate) = (Arc::clone(self.sender), Arc::clone(gate));
        let remote: Arc<str> = listed.definition.name.as_str().into();
        tool.handler(move |call: CallScope| {
            let (sender, gate, remote) = (sender.clone(), gate.clone(), remote.clone());
            async move { sender.call(&remote, &gate, &call).await }
        })
    }
}

impl DirectoryEntry {
    /// Returns the change that the runtime needs.
    fn step(&self) -> Option<RegistrationStep> {
        let reason = self.reason();
        match (&self.verdict, &self.registered, &self.listed) {
            (ToolVerdict::Available, None, _) => Some(RegistrationStep::Add { disabled: None }),
            (ToolVerdict::Available, Some(known), Some(listed))
                if known.digest != listed.pin.digest =>
            {
                Some(RegistrationStep::Replace)
            }
            (ToolVerdict::Available, Some(known), _) => {
                known.disabled.as_ref().map(|_| RegistrationStep::Enable)
            }
            (ToolVerdict::Changed | ToolVerdict::New(_), None, _) => {
                Some(RegistrationStep::Add { disabled: reason })
            }
            (ToolVerdict::Vanished | ToolVerdict::Refused, None, _) => None,
            (
                ToolVerdict::Changed
                | ToolVerdict::New(_)
                | ToolVerdict::Vanished
                | ToolVerdict::Refused,
                Some(known),
                _,
            ) => reason
                .filter(|reason| known.disabled.as_ref() != Some(reason))
                .map(RegistrationStep::Disable),
        }
    }

    fn record(&mut self, step: RegistrationStep, gate: Arc<ToolGate>) {
        let disabled = match step {
            RegistrationStep::Add { disabled } => disabled,
            RegistrationStep::Replace => None,
            RegistrationStep::Enable => return self.set_disabled(None),
            RegistrationStep::Disable(reason) => return self.set_disabled(Some(reason)),
        };
        if let Some(replaced) = self.registered.take() {
            replaced.revoke();
        }
        if let (Some(name), Some(listed)) = (&self.name, &self.listed) {
            let (name, digest) = (name.clone(), listed.pin.digest);
            self.registered = Some(RegisteredTool { name, digest, gate, disabled });
        }
    }

    fn set_disabled(&mut self, reason: Option<String>) {
        if let Some(known) = &mut self.registered {
            known.disabled = reason;
        }
    }

    /// Lets no call of this tool be sent, unless it is available with the registered definition.
    fn close_gate(&self) {
        if let (Some(known), false) = (&self.registered, self.is_current()) {
            known.gate.set(false);
        }
    }

    fn open_gate(&self) {
        if let (Some(known), true) = (&self.registered, self.is_current()) {
            known.gate.set(true);
        }
    }

    fn is_current(&self) -> bool {
        let digest = self.listed.as_ref().map(|listed| listed.pin.digest);
        self.verdict == ToolVerdict::Available
            && self.registered.as_ref().is_some_and(|known| Some(known.digest) == digest)
    }
}

/// Returns whether a tool could not be changed because the host has removed it.
fn is_missing(error: &BuildError) -> bool {
    error.problems().iter().any(|problem| matches!(problem, BuildProblem::UnknownTool { .. }))
}

/// Returns the reason for which a definition cannot be used.
pub(super) fn problem_of(
    name: &str,
    definition: &ToolDefinition,
    clean: &CleanDefinition,
    settings: &RemoteSettings,
) -> Option<String> {
    if let Some(place) = &clean.unusable {
        let place = place.escape_debug();
        return Some(format!("it has an invisible character at {place}, which cannot be removed"));
    }
    let tool = described(name, definition, clean, settings);
    // The handler needs no connection to be checked.
    let checked = tool.handler(|_| async { Ok::<_, Failure>(()) }).check();
    checked.err().map(|error| one_line(&error.to_string()))
}

/// Makes a tool of a definition, without its handler.
fn described(
    name: &str,
    definition: &ToolDefinition,
    clean: &CleanDefinition,
    settings: &RemoteSettings,
) -> DynamicTool {
    let remote = &*definition.name;
    let effect = settings.claims.effect(remote);
    let text = [&clean.description, &clean.title].into_iter().flatten();
    let text = text.map(|text| text.trim()).find(|text| !text.is_empty());
    let description =
        text.map_or_else(|| format!("The tool `{name}` of another server."), str::to_owned);
    let mut input = clean.input.clone();
    if let Some(schema) = input.as_object_mut() {
        // The protocol demands it, and some servers leave it out for tools without arguments.
        schema.entry("type").or_insert_with(|| json!("object"));
    }
    let mut tool = DynamicTool::new(name, effect)
        .description(description)
        .toolkit(settings.toolkit.clone())
        .open_world(settings.claims.is_open_world(remote))
        .input_schema(input)
        // The server checks its own arguments: what its schema admits may be meant.
        .admit_unknown_fields()
        // Results are data, and stay as the server has written them.
        .keep_wide_numbers();
    if let Some(title) = clean.title.as_deref().filter(|title| !title.trim().is_empty()) {
        tool = tool.title(title);
    }
    if let Some(output) = &clean.output {
        tool = tool.output_schema(output.clone());
    }
    if let Some(timeout) = settings.call_timeout {
        tool = tool.timeout(timeout);
    }
    if effect == tool_contracts::Effect::Read {
        return tool;
    }
    let server = settings.prefix().to_owned();
    tool.idempotent(settings.claims.is_idempotent(remote)).preview(move |_| {
        let answer = json!({
            "server": server,
            "note": "the protocol has no dry runs: the call would be sent to this server",
        });
        async move { Ok::<_, Failure>(answer) }
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
