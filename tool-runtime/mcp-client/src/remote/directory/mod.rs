//! The tools of a server: what it lists, what the lock says of it, and what the runtime has of it.

mod registration;

use std::collections::BTreeMap;

use tool_runtime_schema::canonical::Digest;

use self::registration::{RegisteredTool, problem_of};
pub(super) use self::registration::{Registrar, ToolGate};
use super::definition::ToolDefinition;
use super::error::{RemoteError, RemoteErrorKind};
use super::findings::{CleanDefinition, RemoteFinding, clean_definition};
use super::listing::RemoteListing;
use super::lock::{ACCEPT, McpLockMode, PinnedDefinition, PinnedDefinitions, differences};
use super::names::{Named, registered_names};
use super::settings::{NewTools, RemoteSettings};
use super::status::{RemoteEvent, RemoteTool, RemoteToolState};

/// The tools of a server, by its names.
#[derive(Debug, Default)]
pub(super) struct Directory {
    entries: BTreeMap<String, DirectoryEntry>,
    pins: PinnedDefinitions,
    /// True once the lock was read, or the tools of a first list were pinned.
    has_pins: bool,
    /// The tools of the runtime whose entry was renamed or removed.
    stale: Vec<String>,
}

/// One tool of a server.
#[derive(Debug)]
struct DirectoryEntry {
    /// The tool as the server lists it; none if it lists nothing usable.
    listed: Option<ListedDefinition>,
    /// The name in the runtime.
    name: Option<String>,
    /// The tool as the runtime has it.
    registered: Option<RegisteredTool>,
    /// The reason for which the tool cannot be used at all.
    problem: Option<String>,
    verdict: ToolVerdict,
}

/// A definition that a server lists, prepared for models.
#[derive(Debug)]
struct ListedDefinition {
    pin: PinnedDefinition,
    definition: ToolDefinition,
    clean: CleanDefinition,
}

/// The comparison of a tool with the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
enum ToolVerdict {
    Available,
    Changed,
    New(&'static str),
    Vanished,
    Refused,
}

/// The pins before a change.
pub(super) struct PinsBefore {
    pins: PinnedDefinitions,
    has_pins: bool,
}

/// The tools before a change, from which its events follow.
pub(super) type Before = BTreeMap<String, ToolBefore>;

/// One tool before a change.
pub(super) struct ToolBefore {
    state: RemoteToolState,
    digest: Option<Digest>,
    reason: Option<String>,
    /// The number of findings.
    findings: usize,
}

const NOT_IN_LOCK: &str = "its definition was not accepted yet";
const LOCK_IS_FULL: &str = "its definition was not accepted yet, and the lock has as many tools as \
                            the limit allows";

impl Directory {
    /// Takes the pins of the lock, if there is one.
    pub(super) fn take_pins(&mut self, read: Option<PinnedDefinitions>) {
        if let Some(pins) = read {
            self.pins = pins;
            self.has_pins = true;
        }
    }

    pub(super) fn pins(&self) -> &PinnedDefinitions {
        &self.pins
    }

    /// Remembers the pins before a change that may not be stored.
    pub(super) fn pins_before(&self) -> PinsBefore {
        PinsBefore { pins: self.pins.clone(), has_pins: self.has_pins }
    }

    /// Returns to earlier pins, because newer ones could not be stored.
    pub(super) fn restore_pins(&mut self, before: PinsBefore) {
        let PinsBefore { pins, has_pins } = before;
        (self.pins, self.has_pins) = (pins, has_pins);
    }

    /// Takes what the server lists.
    pub(super) fn observe(&mut self, listing: RemoteListing, settings: &RemoteSettings) {
        let is_used = |name: &str| settings.only.as_ref().is_none_or(|only| only.contains(name));
        let tools: Vec<_> = listing.tools.into_iter().filter(|it| is_used(&it.name)).collect();
        let malformed: Vec<_> =
            listing.malformed.into_iter().filter(|it| is_used(&it.name)).collect();
        let is_known = |name: &str| {
            self.pins.contains_key(name)
                || self.entries.get(name).is_some_and(|entry| entry.registered.is_some())
        };
        let used = tools.iter().map(|tool| &*tool.name);
        let registered = registered_names(settings.prefix(), used, is_known);
        let mut registered: BTreeMap<_, _> =
            registered.into_iter().map(|(name, own)| (name.to_owned(), own)).collect();
        for (name, entry) in &mut self.entries {
            if !registered.contains_key(name) {
                entry.listed = None;
                entry.problem = None;
            }
        }
        for tool in tools {
            let name = registered.remove(&tool.name);
            let name = name.unwrap_or_else(|| Err("it has no name".to_owned()));
            let entry =
                self.entries.entry(tool.name.clone()).or_insert_with(DirectoryEntry::unlisted);
            entry.observe(tool, name, settings, &mut self.stale);
        }
        for malformed in malformed {
            let entry = self.entries.entry(malformed.name).or_insert_with(DirectoryEntry::unlisted);
            // A long name that was cut may be the one of a usable tool.
            if entry.listed.is_none() {
                entry.problem = Some(malformed.reason.to_owned());
            }
        }
        self.forget_unpinned();
    }

    /// Forgets tools that are neither listed nor pinned, so that no server fills the memory with names.
    fn forget_unpinned(&mut self) {
        let (pins, stale) = (&self.pins, &mut self.stale);
        self.entries.retain(|name, entry| {
            let stays =
                entry.listed.is_some() || entry.problem.is_some() || pins.contains_key(name);
            if !stays {
                stale.extend(entry.registered.take().map(RegisteredTool::revoke));
            }
            stays
        });
        for name in self.pins.keys() {
            self.entries.entry(name.clone()).or_insert_with(DirectoryEntry::unlisted);
        }
    }

    /// Compares every tool with the lock; pins new tools where the host's settings allow it.
    ///
    /// Returns whether the pins have changed.
    pub(super) fn compare(&mut self, settings: &RemoteSettings, pinning: Pinning) -> bool {
        let may_pin = match (pinning, settings.lock_mode, settings.new_tools) {
            (Pinning::Never, _, _) | (_, McpLockMode::Frozen, _) | (_, _, NewTools::Refuse) => {
                false
            }
            (_, _, NewTools::Pin) => true,
            (_, _, NewTools::PinFirst) => !self.has_pins,
        };
        let accepts_all = pinning == Pinning::All && settings.lock_mode == McpLockMode::Accept;
        let max_tools = settings.limits.max_tools();
        // A first list without tools is a lock too: what is listed later is new.
        let mut has_changed = may_pin && !self.has_pins;
        for (name, entry) in &mut self.entries {
            let pinned = self.pins.get(name);
            entry.verdict = match (&entry.listed, &entry.problem, pinned) {
                (_, Some(_), _) => ToolVerdict::Refused,
                (None, None, _) => ToolVerdict::Vanished,
                (Some(listed), None, Some(pin)) if pin.digest == listed.pin.digest => {
                    // The hash may be edited by hand; the text beside it follows.
                    if pin.pinned != listed.pin.pinned {
                        self.pins.insert(name.clone(), listed.pin.clone());
                        has_changed = true;
                    }
                    ToolVerdict::Available
                }
                (Some(listed), None, pin) if accepts_all || (pin.is_none() && may_pin) => {
                    if pin.is_none() && self.pins.len() >= max_tools {
                        ToolVerdict::New(LOCK_IS_FULL)
                    } else {
                        self.pins.insert(name.clone(), listed.pin.clone());
                        has_changed = true;
                        ToolVerdict::Available
                    }
                }
                (Some(_), None, Some(_)) => ToolVerdict::Changed,
                (Some(_), None, None) => ToolVerdict::New(NOT_IN_LOCK),
            };
        }
        self.has_pins |= pinning != Pinning::Never;
        has_changed
    }

    /// Accepts a tool as the server lists it now; a tool that has vanished is forgotten.
    pub(super) fn accept(
        &mut self,
        name: &str,
        expected: Option<&Digest>,
    ) -> Result<(), RemoteError> {
        let unknown =
            || RemoteError::new(RemoteErrorKind::UnknownTool, "the server has no such tool");
        let refused = |why: &str| RemoteError::new(RemoteErrorKind::Refused, why);
        let entry = self.entries.get_mut(name).ok_or_else(unknown)?;
        if let Some(problem) = &entry.problem {
            return Err(refused(problem));
        }
        let another = "the server lists another definition of the tool now";
        let Some(listed) = &entry.listed else {
            if expected.is_some() {
                return Err(refused(another));
            }
            self.pins.remove(name);
            self.forget_unpinned();
            return Ok(());
        };
        if expected.is_some_and(|expected| *expected != listed.pin.digest) {
            return Err(refused(another));
        }
        self.pins.insert(name.to_owned(), listed.pin.clone());
        Ok(())
    }

    /// Lists the tools that wait until they are accepted.
    pub(super) fn waiting(&self) -> Vec<String> {
        let waiting = self.entries.iter().filter(|(_, entry)| match entry.verdict {
            ToolVerdict::Changed | ToolVerdict::New(_) | ToolVerdict::Vanished => true,
            ToolVerdict::Available | ToolVerdict::Refused => false,
        });
        waiting.map(|(name, _)| name.clone()).collect()
    }

    /// Remembers the tools before a change.
    pub(super) fn before(&self) -> Before {
        let tool_entries = self.tools().into_iter().zip(self.entries.values());
        let before = tool_entries.map(|(tool, entry)| {
            let RemoteTool { name, state, digest, reason, .. } = tool;
            (name, ToolBefore { state, digest, reason, findings: entry.findings().len() })
        });
        before.collect()
    }

    /// Lists the events of a change.
    pub(super) fn events_since(&self, before: &Before) -> Vec<RemoteEvent> {
        let mut events = Vec::new();
        for (tool, entry) in self.tools().into_iter().zip(self.entries.values()) {
            let tool_before = before.get(&tool.name);
            let findings = entry.findings().len();
            let has_news = tool_before.is_none_or(|tool_before| {
                tool_before.digest != tool.digest || tool_before.findings != findings
            });
            if has_news {
                events.extend(entry.findings().iter().cloned().map(RemoteEvent::Finding));
            }
            let is_same = tool_before.is_some_and(|tool_before| {
                (tool_before.state, &tool_before.digest, &tool_before.reason)
                    == (tool.state, &tool.digest, &tool.reason)
            });
            match tool.state {
                _ if is_same => {}
                // An accepted change is reported once.
                RemoteToolState::Available => {
                    let was_available = tool_before
                        .is_some_and(|tool_before| tool_before.state == RemoteToolState::Available);
                    if !was_available {
                        events.push(RemoteEvent::Available { tool: tool.name });
                    }
                }
                RemoteToolState::Changed
                | RemoteToolState::New
                | RemoteToolState::Vanished
                | RemoteToolState::Refused => events.push(RemoteEvent::Disabled { tool }),
            }
        }
        events
    }

    /// Describes all tools, in the order of the entries.
    pub(super) fn tools(&self) -> Vec<RemoteTool> {
        self.entries.iter().map(|(name, entry)| entry.describe(name, self.pins.get(name))).collect()
    }

    pub(super) fn findings(&self) -> Vec<RemoteFinding> {
        self.entries.values().flat_map(|entry| entry.findings().iter().cloned()).collect()
    }
}

/// Selects what a comparison with the lock may pin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pinning {
    /// New tools where the host allows it, and all where `MCP_LOCK=accept` says so.
    All,
    /// New tools where the host allows it.
    New,
    /// Nothing.
    Never,
}

impl DirectoryEntry {
    fn unlisted() -> Self {
        Self {
            listed: None,
            name: None,
            registered: None,
            problem: None,
            verdict: ToolVerdict::Vanished,
        }
    }

    fn observe(
        &mut self,
        definition: ToolDefinition,
        named: Named,
        settings: &RemoteSettings,
        stale: &mut Vec<String>,
    ) {
        let pin = PinnedDefinition::new(&definition);
        let (name, no_name) = match named {
            Ok(name) => (Some(name), None),
            Err(reason) => (None, Some(reason)),
        };
        if self.registered.as_ref().is_some_and(|known| Some(&known.name) != name.as_ref()) {
            stale.extend(self.registered.take().map(RegisteredTool::revoke));
        }
        let is_same = self.listed.as_ref().is_some_and(|known| {
            known.pin.digest == pin.digest && known.definition.is_repeated == definition.is_repeated
        }) && self.name == name;
        if is_same && name.is_some() {
            return;
        }
        let mut clean = clean_definition(&definition);
        let marks = settings.claims.spending.get(&definition.name);
        let misfit = marks.and_then(|marks| marks.write(&mut clean.input).err());
        let problem = name.as_ref().map(|name| problem_of(name, &definition, &clean, settings));
        self.problem = no_name.or(misfit).or(problem.flatten());
        self.name = name;
        self.listed = Some(ListedDefinition { pin, definition, clean });
    }

    fn findings(&self) -> &[RemoteFinding] {
        self.listed.as_ref().map_or(&[], |listed| &listed.clean.findings)
    }

    fn describe(&self, name: &str, pin: Option<&PinnedDefinition>) -> RemoteTool {
        let accepted = match self.verdict {
            ToolVerdict::Changed => pin,
            ToolVerdict::Available
            | ToolVerdict::New(_)
            | ToolVerdict::Vanished
            | ToolVerdict::Refused => None,
        };
        let changes = match (accepted, &self.listed) {
            (Some(pin), Some(listed)) => differences(&pin.pinned, &listed.pin.pinned),
            (None, _) | (_, None) => Vec::new(),
        };
        RemoteTool {
            name: name.to_owned(),
            registered_as: self.registered.as_ref().map(|known| known.name.clone()),
            state: self.verdict.state(),
            reason: self.reason(),
            digest: self.listed.as_ref().map(|listed| listed.pin.digest),
            differences: changes,
        }
    }

    /// Returns the reason for which the tool cannot be called, for people.
    fn reason(&self) -> Option<String> {
        Some(match &self.verdict {
            ToolVerdict::Available => return None,
            ToolVerdict::Changed => format!(
                "its server has changed the definition that was accepted; accept the new one in \
                 code, by `{ACCEPT}`, or by its `sha256` in the lock"
            ),
            ToolVerdict::New(reason) => (*reason).to_owned(),
            ToolVerdict::Vanished => "its server does not list it any more".to_owned(),
            ToolVerdict::Refused => self.problem.clone().unwrap_or_default(),
        })
    }
}

impl ToolVerdict {
    fn state(&self) -> RemoteToolState {
        match self {
            Self::Available => RemoteToolState::Available,
            Self::Changed => RemoteToolState::Changed,
            Self::New(_) => RemoteToolState::New,
            Self::Vanished => RemoteToolState::Vanished,
            Self::Refused => RemoteToolState::Refused,
        }
    }
}
