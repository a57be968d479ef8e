//! What a change of a contract means to who relies on it.

use std::collections::BTreeMap;

use tool_contracts::{Effect, Permission, ToolSpec};

use super::change::{Change, Changes, Side};
use super::version::Version;
use super::{Contract, ExportError, ExportErrorKind, Removed};
use crate::schema::reference::escaped;
use crate::schema::{Compatibility, Reader, compare as compare_schemas};

use Compatibility::{Breaking, Compatible, None as Nothing};

/// Lists what has changed between two sets of tools, where these were removed before.
pub(in super::super) fn compare(
    before: &[Contract],
    removed_before: &Removed,
    after: &[Contract],
) -> Result<Changes, ExportError> {
    let (old, new) = (by_name(before), by_name(after));
    let mut versions = VersionProblems::default();
    let mut changes = Vec::new();
    for (name, tool) in &old {
        match new.get(name) {
            Some(new) => changes.extend(of_tool(tool, new, &mut versions)),
            None => changes.push(removed(tool, &old, &new)),
        }
    }
    for (name, tool) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let version = versions.read(tool);
        changes.push(added(name, version, removed_before.get(*name)));
    }
    changes.sort_by(|one, other| one.tool().cmp(other.tool()));
    versions.none().map(|()| Changes(changes))
}

type ByName<'c> = BTreeMap<&'c str, &'c Contract>;

fn by_name(tools: &[Contract]) -> ByName<'_> {
    tools.iter().map(|tool| (tool.name(), tool)).collect()
}

/// A tool that was removed may come back as something else: callers of then are told by its version.
fn added(name: &str, version: Option<Version>, removed: Option<&String>) -> Change {
    let before = removed.and_then(|text| Some((text, Version::read(text)?)));
    match (version, before) {
        (Some(version), Some((text, was))) => {
            let message = format!("was removed as {text}, and is back");
            Change::of_contract(name, "", "tool-returned", Breaking, message).under(&was, &version)
        }
        _ => Change::of_contract(name, "", "tool-added", Compatible, "is new"),
    }
}

/// Whoever calls a tool that is gone is not answered by it, whatever stands in its place.
fn removed(gone: &Contract, old: &ByName<'_>, new: &ByName<'_>) -> Change {
    let takes_over = |tool: &&&Contract| {
        !old.contains_key(tool.name())
            && tool.spec.effect() == gone.spec.effect()
            && compare_schemas(&gone.input(), &tool.input(), Reader::Callee)
                .iter()
                .all(|change| change.compatibility() == Nothing)
    };
    let message = match new.values().find(takes_over) {
        Some(tool) => format!("is gone; `{}`, which is new, takes the same arguments", tool.name()),
        None => "is gone".to_owned(),
    };
    Change::of_contract(gone.name(), "", "tool-removed", Breaking, message).needs_acceptance()
}

fn of_tool(old: &Contract, new: &Contract, versions: &mut VersionProblems) -> Vec<Change> {
    let Some((before, after)) = versions.pair(old, new) else { return Vec::new() };
    let mut changes = of_promises(old, new);
    changes.extend(of_codes(old, new));
    changes.extend(of_schemas(old, new));
    changes.extend(of_texts(old, new));
    let mut changes: Vec<_> =
        changes.into_iter().map(|change| change.under(&before, &after)).collect();
    let worst = changes.iter().map(Change::compatibility).max();
    changes.extend(of_version(old, new, worst));
    changes
}

/// What it means that a flag is set or unset: a rule, its class, and what a person reads.
type Meaning = (&'static str, Compatibility, &'static str);

/// What hosts rely on when they decide who may call a tool, whether to ask, and whether to repeat.
fn of_promises(old: &Contract, new: &Contract) -> Vec<Change> {
    type Flag = fn(&ToolSpec) -> bool;
    const FLAGS: [(&str, Flag, Meaning, Meaning); 5] = [
        (
            "/annotations/idempotent",
            |spec| spec.annotations().idempotent(),
            ("idempotent-gained", Compatible, "a repeat changes nothing more"),
            ("idempotent-lost", Breaking, "a repeat may now change something more"),
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
            ("auth-added", Breaking, "now wants somebody to be signed in"),
            ("auth-dropped", Compatible, "no longer wants anybody to be signed in"),
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
        let (rule, class, message) = match (flag(&old.spec), flag(&new.spec)) {
            (false, true) => gained,
            (true, false) => lost,
            _ => return None,
        };
        Some(Change::of_contract(old.name(), *pointer, rule, *class, *message))
    });
    of_effect(old, new).into_iter().chain(flags).collect()
}

fn is_denied(spec: &ToolSpec) -> bool {
    spec.permission() == Permission::Deny
}

/// A stronger effect is asked about, runs alone and is not repeated: who relied on it is hurt. A
/// weaker one does less than was admitted.
fn of_effect(old: &Contract, new: &Contract) -> Option<Change> {
    let strength = |effect: Effect| match effect {
        Effect::Read => 0,
        Effect::Write => 1,
        Effect::Destructive => 2,
    };
    let (was, is) = (old.spec.effect(), new.spec.effect());
    let (rule, class) = match strength(is).cmp(&strength(was)) {
        std::cmp::Ordering::Equal => return None,
        std::cmp::Ordering::Greater => ("effect-strengthened", Breaking),
        std::cmp::Ordering::Less => ("effect-weakened", Compatible),
    };
    let message = format!("was `{was}`, and is `{is}`");
    Some(Change::of_contract(old.name(), "/effect", rule, class, message))
}

/// Callers have to live with codes that they do not know, since a runtime adds its own; but the
/// class of a code decides what a machine does next.
fn of_codes(old: &Contract, new: &Contract) -> Vec<Change> {
    let change = |code: &str, rule, class, message: String| {
        let pointer = format!("/failure_codes/{}", escaped(code));
        Change::of_contract(old.name(), pointer, rule, class, message)
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

fn of_schemas(old: &Contract, new: &Contract) -> Vec<Change> {
    let name = old.name();
    let input = compare_schemas(&old.input(), &new.input(), Reader::Callee);
    let output = compare_schemas(&old.output(), &new.output(), Reader::Caller);
    let input = input.into_iter().map(|change| Change::of_schema(name, Side::Input, change));
    let output = output.into_iter().map(|change| Change::of_schema(name, Side::Output, change));
    input.chain(output).collect()
}

/// What is told to people and models, and what a host may set otherwise.
fn of_texts(old: &Contract, new: &Contract) -> Vec<Change> {
    let (was, is) = (&old.spec, &new.spec);
    let asks = was.permission() != is.permission() && !is_denied(was) && !is_denied(is);
    let fields = [
        ("/title", was.title() != is.title()),
        ("/description", was.description() != is.description()),
        ("/category", was.category() != is.category()),
        ("/toolkit", was.toolkit() != is.toolkit()),
        ("/ttl_seconds", was.ttl_seconds() != is.ttl_seconds()),
        ("/timeout_ms", was.timeout_ms() != is.timeout_ms()),
        ("/permission", asks),
    ];
    let changed = fields.into_iter().filter(|(_, changed)| *changed);
    changed
        .map(|(pointer, _)| {
            Change::of_contract(old.name(), pointer, "annotation", Nothing, "says something else")
        })
        .collect()
}

fn of_version(old: &Contract, new: &Contract, worst: Option<Compatibility>) -> Option<Change> {
    let (was, is) = (old.spec.version(), new.spec.version());
    let change =
        |rule, message| Change::of_contract(old.name(), "/version", rule, Nothing, message);
    if was != is {
        return Some(change("version-raised", format!("was {was}, and is {is}")));
    }
    (worst == Some(Compatible)).then(|| {
        change(
            "version-kept",
            format!("has changed under the same version {is}; raise it, so that callers can tell"),
        )
    })
}

/// Everything that is wrong with versions.
#[derive(Default)]
struct VersionProblems(Vec<String>);

impl VersionProblems {
    fn read(&mut self, tool: &Contract) -> Option<Version> {
        let version = Version::read(tool.spec.version());
        if version.is_none() {
            let (name, version) = (tool.name(), tool.spec.version());
            self.0.push(format!(
                "`{name}` has version `{version}`: write `major.minor.patch`, as in `1.0.0`"
            ));
        }
        version
    }

    fn pair(&mut self, old: &Contract, new: &Contract) -> Option<(Version, Version)> {
        let (before, after) = (self.read(old)?, self.read(new)?);
        if after < before {
            let (name, was, is) = (old.name(), old.spec.version(), new.spec.version());
            self.0.push(format!(
                "`{name}` has version {is}, and the lock has {was}: callers were given that one, \
                 so go on from there, or take the lock back too"
            ));
            return None;
        }
        Some((before, after))
    }

    fn none(self) -> Result<(), ExportError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let message = format!("the versions cannot be compared:\n  - {}", self.0.join("\n  - "));
        Err(ExportError::new(ExportErrorKind::Version, message))
    }
}
