//! Compares two versions of the contracts.

use std::collections::BTreeMap;

use Compatibility::{Breaking, Compatible, None as Nothing};
use tool_contracts::{Effect, Permission, ToolSpec};
use tool_runtime_schema::schema::reference::escaped;

use super::change::{ContractChange, ContractChanges, ContractPart};
use super::file::LockFile;
use super::version::Version;
use crate::export::contract::Contract;
use crate::export::{ExportError, ExportErrorKind};
use crate::{
    Compatibility, SchemaReader, compare as compare_schemas, compare_without_counterexamples,
};

/// Lists the changes between the tools of a lock and others. `name` is the lock's name in messages.
pub(in super::super) fn compare(
    lock: &LockFile,
    after: &[Contract],
    name: &'static str,
) -> Result<ContractChanges, ExportError> {
    let (old, new) = (by_name(&lock.tools), by_name(after));
    let mut versions = VersionProblems { lock: name, problems: Vec::new() };
    let mut changes = Vec::new();
    for (name, tool) in &old {
        match new.get(name) {
            Some(new) => changes.extend(compare_tool(tool, new, &mut versions)),
            None => changes.push(removed(tool, &old, &new)),
        }
    }
    for (name, tool) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let version = versions.read(tool);
        changes.push(added(name, version, lock.removed.get(*name)));
    }
    changes.sort_by(|one, other| one.tool().cmp(other.tool()));
    versions.none().map(|()| ContractChanges(changes))
}

type ContractsByName<'c> = BTreeMap<&'c str, &'c Contract>;

fn by_name(tools: &[Contract]) -> ContractsByName<'_> {
    tools.iter().map(|tool| (tool.name(), tool)).collect()
}

/// A tool of a removed name may have another meaning, which its version indicates to old callers.
fn added(name: &str, version: Option<Version>, removed: Option<&String>) -> ContractChange {
    let before = removed.and_then(|text| Some((text, Version::read(text)?)));
    match (version, before) {
        (Some(version), Some((text, was))) => {
            let message = format!("was removed as {text}, and is back");
            ContractChange::new(name, "", "tool-returned", Breaking, message)
                .with_required_action(&was, &version)
        }
        _ => ContractChange::new(name, "", "tool-added", Compatible, "is new"),
    }
}

/// Removing a tool breaks its callers, even if another tool replaces it.
fn removed(
    gone: &Contract,
    old: &ContractsByName<'_>,
    new: &ContractsByName<'_>,
) -> ContractChange {
    let takes_over = |tool: &&&Contract| {
        !old.contains_key(tool.name())
            && tool.spec.effect() == gone.spec.effect()
            && compare_without_counterexamples(&gone.input(), &tool.input(), SchemaReader::Callee)
                .iter()
                .all(|change| change.compatibility() == Nothing)
    };
    let message = match new.values().find(takes_over) {
        Some(tool) => {
            format!("was removed; the new tool `{}` takes the same arguments", tool.name())
        }
        None => "was removed".to_owned(),
    };
    ContractChange::new(gone.name(), "", "tool-removed", Breaking, message)
        .located_in_lock()
        .needs_acceptance()
}

fn compare_tool(
    old: &Contract,
    new: &Contract,
    versions: &mut VersionProblems,
) -> Vec<ContractChange> {
    let Some((before, after)) = versions.pair(old, new) else { return Vec::new() };
    let mut changes = compare_description(old, new);
    changes.extend(compare_schemas_of_tool(old, new));
    let mut changes: Vec<_> =
        changes.into_iter().map(|change| change.with_required_action(&before, &after)).collect();
    let worst = changes.iter().map(ContractChange::compatibility).max();
    changes.extend(compare_versions(old, new, worst));
    changes
}

/// Compares all of the contract but its schemas.
fn compare_description(old: &Contract, new: &Contract) -> Vec<ContractChange> {
    let mut changes = compare_flags(old, new);
    changes.extend(compare_codes(old, new));
    changes.extend(compare_texts(old, new));
    let after = new.to_value();
    changes.into_iter().map(|change| change.located_by(&after)).collect()
}

/// The rule, compatibility and message for a flag that changes to a value.
type FlagChange = (&'static str, Compatibility, &'static str);

/// Compares the flags by which hosts decide on the callers of a tool, on its confirmation and on
/// repeats.
fn compare_flags(old: &Contract, new: &Contract) -> Vec<ContractChange> {
    type Flag = fn(&ToolSpec) -> bool;
    const FLAGS: [(&str, Flag, FlagChange, FlagChange); 5] = [
        (
            "/annotations/idempotent",
            |spec| spec.annotations().idempotent(),
            ("idempotent-gained", Compatible, "repeating a call has no further effect"),
            ("idempotent-lost", Breaking, "repeating a call may now have further effects"),
        ),
        (
            "/annotations/open_world",
            |spec| spec.annotations().open_world(),
            ("open-world-gained", Breaking, "now reaches beyond the host's own systems"),
            ("open-world-lost", Compatible, "stays within the host's own systems"),
        ),
        (
            "/requires_auth",
            ToolSpec::requires_auth,
            ("auth-added", Breaking, "now requires an authenticated user"),
            ("auth-dropped", Compatible, "no longer requires an authenticated user"),
        ),
        (
            "/ai_callable",
            ToolSpec::ai_callable,
            ("ai-callable-gained", Compatible, "may be called by models"),
            ("ai-callable-lost", Breaking, "may no longer be called by models"),
        ),
        (
            "/permission",
            is_denied,
            ("permission-denied", Breaking, "is hidden, and never runs"),
            ("permission-granted", Compatible, "is no longer hidden"),
        ),
    ];
    let flags = FLAGS.iter().filter_map(|(pointer, flag, gained, lost)| {
        let (rule, compatibility, message) = match (flag(&old.spec), flag(&new.spec)) {
            (false, true) => gained,
            (true, false) => lost,
            _ => return None,
        };
        Some(ContractChange::new(old.name(), *pointer, rule, *compatibility, *message))
    });
    compare_effects(old, new).into_iter().chain(flags).collect()
}

fn is_denied(spec: &ToolSpec) -> bool {
    spec.permission() == Permission::Deny
}

/// A stronger effect breaks hosts: such calls are confirmed, run alone and are not repeated. A
/// weaker effect is compatible.
fn compare_effects(old: &Contract, new: &Contract) -> Option<ContractChange> {
    let strength = |effect: Effect| match effect {
        Effect::Read => 0,
        Effect::Write => 1,
        Effect::Destructive => 2,
    };
    let (was, is) = (old.spec.effect(), new.spec.effect());
    let (rule, compatibility) = match strength(is).cmp(&strength(was)) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => ("effect-strengthened", Breaking),
        std::cmp::Ordering::Less => ("effect-weakened", Compatible),
    };
    let message = format!("was `{was}`, and is `{is}`");
    Some(ContractChange::new(old.name(), "/effect", rule, compatibility, message))
}

/// Added codes are compatible, because a runtime adds its own. A changed type is breaking, because
/// machines decide by it.
fn compare_codes(old: &Contract, new: &Contract) -> Vec<ContractChange> {
    let change = |code: &str, rule, compatibility, message: String| {
        let pointer = format!("/failure_codes/{}", escaped(code));
        ContractChange::new(old.name(), pointer, rule, compatibility, message)
    };
    let mut changes = Vec::new();
    for (code, was) in &old.codes {
        match new.codes.get(code) {
            None => changes.push(change(
                code,
                "code-removed",
                Compatible,
                format!("no longer fails with `{code}`"),
            )),
            Some(is) if is != was => changes.push(change(
                code,
                "code-reclassed",
                Breaking,
                format!("`{code}` was {was}, and is {is}"),
            )),
            Some(_) => {}
        }
    }
    let added = new.codes.keys().filter(|code| !old.codes.contains_key(*code));
    changes.extend(
        added.map(|code| {
            change(code, "code-added", Compatible, format!("may now fail with `{code}`"))
        }),
    );
    changes
}

fn compare_schemas_of_tool(old: &Contract, new: &Contract) -> Vec<ContractChange> {
    let name = old.name();
    let input = compare_schemas(&old.input(), &new.input(), SchemaReader::Callee);
    let output = compare_schemas(&old.output(), &new.output(), SchemaReader::Caller);
    let input = input
        .into_iter()
        .map(|change| ContractChange::from_schema_change(name, ContractPart::Input, change));
    let output = output
        .into_iter()
        .map(|change| ContractChange::from_schema_change(name, ContractPart::Output, change));
    input.chain(output).collect()
}

/// Compares texts for people and models, and settings that a host may override.
fn compare_texts(old: &Contract, new: &Contract) -> Vec<ContractChange> {
    let (was, is) = (&old.spec, &new.spec);
    let asks = was.permission() != is.permission() && !is_denied(was) && !is_denied(is);
    let fields = [
        ("/title", was.title() != is.title()),
        ("/description", was.description() != is.description()),
        ("/category", was.category() != is.category()),
        ("/input_examples", was.input_examples() != is.input_examples()),
        ("/toolkit", was.toolkit() != is.toolkit()),
        ("/ttl_seconds", was.ttl_seconds() != is.ttl_seconds()),
        ("/timeout_ms", was.timeout_ms() != is.timeout_ms()),
        ("/permission", asks),
    ];
    let changed = fields.into_iter().filter(|(_, changed)| *changed);
    changed
        .map(|(pointer, _)| {
            ContractChange::new(old.name(), pointer, "annotation", Nothing, "says something else")
        })
        .collect()
}

fn compare_versions(
    old: &Contract,
    new: &Contract,
    worst: Option<Compatibility>,
) -> Option<ContractChange> {
    let (was, is) = (old.spec.version(), new.spec.version());
    let change =
        |rule, message| ContractChange::new(old.name(), "/version", rule, Nothing, message);
    if was != is {
        return Some(change("version-raised", format!("was {was}, and is {is}")));
    }
    (worst == Some(Compatible)).then(|| {
        change(
            "version-kept",
            format!("has changed under the same version {is}; raise it, so that callers can detect the change"),
        )
    })
}

/// All problems with versions.
struct VersionProblems {
    /// The name of the lock in messages.
    lock: &'static str,
    problems: Vec<String>,
}

impl VersionProblems {
    fn read(&mut self, tool: &Contract) -> Option<Version> {
        let version = Version::read(tool.spec.version());
        if version.is_none() {
            let (name, version) = (tool.name(), tool.spec.version());
            self.problems.push(format!(
                "`{name}` has version `{version}`: write `major.minor.patch`, as in `1.0.0`"
            ));
        }
        version
    }

    fn pair(&mut self, old: &Contract, new: &Contract) -> Option<(Version, Version)> {
        let (before, after) = (self.read(old)?, self.read(new)?);
        if after < before {
            let (name, was, is) = (old.name(), old.spec.version(), new.spec.version());
            let lock = self.lock;
            self.problems.push(format!(
                "`{name}` has version {is}, and {lock} has {was}: callers were given that one, so \
                 continue from there, or revert the lock to the commit that has {is}"
            ));
            return None;
        }
        Some((before, after))
    }

    fn none(self) -> Result<(), ExportError> {
        if self.problems.is_empty() {
            return Ok(());
        }
        let message =
            format!("the versions cannot be compared:\n  - {}", self.problems.join("\n  - "));
        Err(ExportError::new(ExportErrorKind::Version, message))
    }
}
