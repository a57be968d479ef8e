//! Schemas as files, for build scripts and tests.

mod contract;
mod dialect;
mod envelopes;
mod error;
mod files;
mod instance;
mod lock;
mod names;
mod reference;
mod script;
pub(crate) mod subschemas;

#[cfg(test)]
mod tests;

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use serde_json::{Value, json};

pub use self::error::{ExportError, ExportErrorKind};
pub use self::files::Written;
pub use self::lock::{Change, Changes, Side};

use self::contract::{Contract, printed};
use self::dialect::{document, modern};
use self::envelopes::Envelopes;
use self::files::Folder;
use self::names::Part;
use self::script::Script;
use crate::dispatch::BuildError;
use crate::registry::Registry;

/// Writes the contracts of tools as files, and holds them against a lock.
///
/// It is made for a build script or a test: it needs no async runtime, and the files are all that
/// it touches. In a build script it also tells cargo when to run the script again.
///
/// ```
/// # let folder = std::env::temp_dir().join(format!("tools-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let at = |name: &str| folder.join(name);
/// use tool_runtime::prelude::*;
/// use tool_runtime::schema::Export;
/// use tool_runtime::Registry;
///
/// /// Adds one.
/// #[ai_tool(effect = "read", version = "1.0.0")]
/// async fn next(
///     /// To what.
///     n: u32,
/// ) -> u32 {
///     n + 1
/// }
///
/// let export = || Export::new(Registry::new().tool::<Next>());
/// let written = export().write_to(at("schemas"))?;
/// assert!(written.changed().contains(&at("schemas").join("next.input.json")));
/// assert!(export().write_to(at("schemas"))?.changed().is_empty()); // nothing to do
///
/// // The lock is committed; `TOOLS_LOCK=accept cargo build` does what `.accepting()` does here.
/// export().accepting().check(at("tools.lock.json"))?;
/// assert!(export().check(at("tools.lock.json"))?.is_empty());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A `build.rs` is as short as this; where something is wrong, the build fails with the text of
/// the error:
///
/// ```no_run
/// use tool_runtime::Registry;
/// use tool_runtime::schema::{Export, ExportError};
///
/// fn main() -> Result<(), ExportError> {
///     let export = Export::new(Registry::new().discover());
///     export.check("tools.lock.json")?;
///     export.write_to("schemas")?;
///     Ok(())
/// }
/// ```
///
/// # `TOOLS_LOCK`
/// The variable decides what may be written:
///
/// | value | lock | other files |
/// | --- | --- | --- |
/// | none | is only read | are brought up to date |
/// | `accept` | takes every change that its tools' versions admit | are brought up to date |
/// | `frozen` | must say what the tools say | must say what the tools say |
///
/// [`accepting`](Self::accepting) and [`frozen`](Self::frozen) decide it for one export. A
/// continuous integration sets `frozen`, since a build that repairs stale files hides them.
#[derive(Debug)]
pub struct Export {
    tools: Result<Vec<Contract>, BuildError>,
    mode: Result<Mode, ExportError>,
    script: Option<Script>,
}

/// What may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Write,
    Accept,
    Frozen,
}

/// The variable, and how it is set from a command line.
const VARIABLE: &str = "TOOLS_LOCK";
const ACCEPT: &str = "TOOLS_LOCK=accept";
const FREEZE: &str = "TOOLS_LOCK=frozen";

/// The form of catalogue and lock. A later one is not read by this version.
const FORMAT: u64 = 1;

const CATALOGUE: &str = "tools.json";
const REFERENCE: &str = "TOOLS.md";
/// The contract's documents that are the same for all tools.
const SHARED: [&str; 7] = [
    "request_envelope.json",
    "tool_context.json",
    "call_envelope.json",
    "call_request.json",
    "call_response.json",
    "list_request.json",
    "list_response.json",
];

impl Export {
    /// Takes the tools whose contracts are exported.
    ///
    /// What is wrong with the registrations is said by the methods that need them.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "the tools are at their end here")]
    pub fn new(registry: Registry) -> Self {
        let script = Script::detect();
        let tools = Contract::all(&registry, script.as_ref());
        Self { tools, mode: Mode::of_variable(env::var_os(VARIABLE).as_deref()), script }
    }

    /// Lets [`check`](Self::check) write the lock, as `TOOLS_LOCK=accept` does.
    #[must_use]
    pub fn accepting(self) -> Self {
        Self { mode: Ok(Mode::Accept), ..self }
    }

    /// Writes nothing, and refuses what is not up to date, as `TOOLS_LOCK=frozen` does.
    ///
    /// This is for a test that holds committed files against the tools.
    #[must_use]
    pub fn frozen(self) -> Self {
        Self { mode: Ok(Mode::Frozen), ..self }
    }

    /// Brings a folder up to date with the tools.
    ///
    /// Per tool it holds `NAME.input.json` and `NAME.output.json`, the schemas of arguments and
    /// data, and the contract's envelopes with these types in place: `NAME.tool_call_request.json`,
    /// `NAME.tool_output.json` and `NAME.response_envelope.json`. Beside them stand
    /// the documents that are the same for all tools (`request_envelope.json`, `tool_context.json`, and
    /// a server's `call_envelope.json`, `call_request.json`, `call_response.json`,
    /// `list_request.json` and `list_response.json`), a catalogue `tools.json`, and a reference `TOOLS.md` for people.
    /// A tool that says nothing of its data has no `output.json`.
    ///
    /// Every schema is a document of draft 2020-12 that stands alone; its `$id` is the file's name.
    /// The same tools give the same bytes. A file that is right already is not touched; one that
    /// is not is replaced as a whole. Files of tools that are no more are removed, if the
    /// catalogue that lies there names them; nothing else in the folder is touched.
    ///
    /// # Errors
    /// What is wrong with the registrations, a file that cannot be read or written, and, where the
    /// export is [`frozen`](Self::frozen), every file that is not up to date.
    pub fn write_to(&self, folder: impl AsRef<Path>) -> Result<Written, ExportError> {
        let (tools, mode) = self.ready()?;
        let folder = Folder {
            path: folder.as_ref(),
            frozen: mode == Mode::Frozen,
            durable: false,
            script: self.script.as_ref(),
        };
        let files = documents(tools);
        let known = files::read(&folder.path.join(CATALOGUE))?.unwrap_or_default();
        let mut stale = listed(&known);
        stale.retain(|name| files.iter().all(|(current, _)| current != name));
        folder.fill(&files, &stale)
    }

    /// Holds the tools against their committed lock.
    ///
    /// Lists what has changed since the lock was written. Changes that hurt nobody pass, with a
    /// warning of cargo's until they are accepted: run the build or the test once with
    /// `TOOLS_LOCK=accept`, and commit the lock.
    ///
    /// # Errors
    /// A change that breaks a caller or the tool's own reading of what callers send, unless the
    /// tool's version says so: a new major version, which is a change of the leftmost number that
    /// is not zero, as cargo has it. The message lists all of them, with tool, place, rule and
    /// cure. Accepting is no way around it, but for a tool that was removed: it has no version to
    /// raise, so accepting its removal is what says it.
    ///
    /// Further: a version that went back, a lock that is missing, damaged or of a newer form, and,
    /// where the export is [`frozen`](Self::frozen), a lock that is not up to date.
    pub fn check(&self, lock: impl AsRef<Path>) -> Result<Changes, ExportError> {
        let (tools, mode) = self.ready()?;
        let lock = lock.as_ref();
        let folder = Folder {
            path: lock.parent().unwrap_or(lock),
            frozen: mode != Mode::Accept,
            durable: true,
            script: self.script.as_ref(),
        };
        lock::check(tools, lock, mode, &folder)
    }

    fn ready(&self) -> Result<(&[Contract], Mode), ExportError> {
        if let Some(script) = &self.script {
            script.watch_variable(VARIABLE);
        }
        let mode = self.mode.clone()?;
        match &self.tools {
            Ok(tools) => Ok((tools, mode)),
            Err(error) => Err(error.clone().into()),
        }
    }
}

impl Mode {
    fn of_variable(value: Option<&OsStr>) -> Result<Self, ExportError> {
        match value.map(OsStr::to_str) {
            None | Some(Some("")) => Ok(Self::Write),
            Some(Some("accept")) => Ok(Self::Accept),
            Some(Some("frozen")) => Ok(Self::Frozen),
            Some(_) => Err(ExportError::new(
                ExportErrorKind::Setting,
                format!(
                    "`{VARIABLE}` has no such value: set it to `accept` or `frozen`, or unset it"
                ),
            )),
        }
    }
}

/// Makes every file of the folder, the catalogue last: it names the others, so that an export
/// which was cut short leaves nothing that the next one would not know.
fn documents(tools: &[Contract]) -> Vec<(String, String)> {
    let envelopes = Envelopes::new();
    let stems = names::stems(tools.iter().map(Contract::name));
    let schemas = tools.iter().zip(&stems).flat_map(|(tool, stem)| {
        let envelopes = &envelopes;
        Part::ALL.into_iter().filter_map(move |part| {
            let name = format!("{stem}{}", part.suffix());
            let text = printed(document(schema(tool, part, envelopes)?, &name));
            Some((name, text))
        })
    });
    let mut files: Vec<_> = schemas.collect();
    for name in SHARED {
        files.push((name.to_owned(), printed(document(envelopes.shared(name), name))));
    }
    files.push((REFERENCE.to_owned(), reference::reference(tools)));
    let catalogue = printed(catalogue(tools, files.iter().map(|(name, _)| name)));
    files.push((CATALOGUE.to_owned(), catalogue));
    files
}

fn schema(tool: &Contract, part: Part, envelopes: &Envelopes) -> Option<Value> {
    Some(match part {
        Part::Input => modern(tool.input()),
        Part::Output => modern(Value::Object(tool.spec.output_schema()?.clone())),
        Part::ToolCallRequest => envelopes.tool_call_request(tool),
        Part::ToolOutput => envelopes.tool_output(tool),
        Part::ResponseEnvelope => envelopes.response_envelope(tool),
    })
}

fn catalogue<'f>(tools: &[Contract], files: impl Iterator<Item = &'f String>) -> Value {
    let tools: Vec<_> = tools.iter().map(Contract::to_value).collect();
    json!({"format": FORMAT, "files": files.collect::<Vec<_>>(), "tools": tools})
}

/// The schema files that a catalogue lists, if it is one of ours.
fn listed(catalogue: &[u8]) -> Vec<String> {
    let catalogue: Value = serde_json::from_slice(catalogue).unwrap_or_default();
    let is_ours = catalogue["format"].is_u64() && catalogue["tools"].is_array();
    let files = catalogue["files"].as_array().filter(|_| is_ours);
    let names = files.into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| names::is_schema_file(name)).map(str::to_owned).collect()
}
