//! Exports schemas as files, for build scripts and tests.

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

#[cfg(test)]
mod tests;

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use tool_runtime_core::tool::BuildError;
use tool_runtime_core::tool::registry::Registry;

use self::contract::{Contract, printed};
use self::dialect::{document, to_current_draft};
use self::envelopes::EnvelopeSchemas;
pub use self::error::{ExportError, ExportErrorKind};
use self::files::OutputFolder;
pub use self::files::WrittenFiles;
pub use self::files::{read as read_file, replace as replace_file};
use self::lock::LockPaths;
pub use self::lock::conflict_markers;
pub use self::lock::{ContractChange, ContractChanges, ContractPart};
use self::names::SchemaFile;
use self::script::BuildScript;

/// Writes the contracts of tools as files, and compares them with a lock.
///
/// Use it in a build script or a test: it needs no async runtime, accesses only these files, and
/// asks git only about a lock that is missing where it is accepted. In a build script it also tells
/// cargo when to rerun the script.
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
/// let export = || Export::new(Registry::new().tool::<NextTool>());
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
/// A complete `build.rs`; if a check fails, the build fails with the error's text:
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
/// The environment variable selects what may be written:
///
/// | value | lock | other files |
/// | --- | --- | --- |
/// | unset | is read | are updated |
/// | `accept` | takes every change that the tools' versions allow | are updated |
/// | `frozen` | must be up to date | must be up to date |
///
/// `TOOLS_LOCK_BASE` names a second lock, which the tools must not break either: the one of the
/// branch that a change will be merged into. Without it, a lock that was replaced, edited or merged
/// wrongly in the same change can hide a breaking change.
///
/// [`accepting`](Self::accepting) and [`frozen`](Self::frozen) override it for one export. Set
/// `frozen` in continuous integration, because a build that updates stale files hides them.
#[derive(Debug)]
pub struct Export {
    tools: Result<Vec<Contract>, BuildError>,
    mode: Result<LockMode, ExportError>,
    base: Option<PathBuf>,
    script: Option<BuildScript>,
    documents: ExportedDocuments,
}

/// Selects the schemas that a folder contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExportedDocuments {
    /// Those of the arguments, of the data, and of each envelope with the tool's types.
    TypedEnvelopes,
    /// Those of the arguments and of the data, and one document of all envelopes.
    SharedEnvelopes,
    /// Those of the arguments.
    Inputs,
}

/// Selects what may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LockMode {
    Write,
    Accept,
    Frozen,
}

/// The variable, and its settings for a command line.
const VARIABLE: &str = "TOOLS_LOCK";
/// The variable that names the lock of the base branch.
const BASE: &str = "TOOLS_LOCK_BASE";
const ACCEPT: &str = "TOOLS_LOCK=accept";
const FREEZE: &str = "TOOLS_LOCK=frozen";

/// The format version of the catalogue.
const FORMAT: u64 = 1;

const CATALOGUE: &str = "tools.json";
const REFERENCE: &str = "TOOLS.md";
/// The document of all envelopes.
const ENVELOPES: &str = "envelopes.json";
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
    /// Creates an export of these tools' contracts.
    ///
    /// The other methods report errors in the registrations.
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "the tools are at their end here")]
    pub fn new(registry: Registry) -> Self {
        let script = BuildScript::detect();
        let tools = Contract::all(&registry, script.as_ref());
        let mode = LockMode::from_variable(env::var_os(VARIABLE).as_deref());
        let base = env::var_os(BASE).filter(|path| !path.is_empty()).map(PathBuf::from);
        Self { tools, mode, base, script, documents: ExportedDocuments::TypedEnvelopes }
    }

    /// Lets [`write_to`](Self::write_to) write only the schemas of the arguments,
    /// `tools.json` and `TOOLS.md`: all that a program needs to make calls.
    ///
    /// ```
    /// # let folder = std::env::temp_dir().join(format!("tools-inputs-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
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
    /// let export = Export::new(Registry::new().tool::<NextTool>()).inputs_only();
    /// let written = export.write_to(&folder)?;
    /// assert_eq!(written.changed().len(), 3);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn inputs_only(self) -> Self {
        Self { documents: ExportedDocuments::Inputs, ..self }
    }

    /// Lets [`write_to`](Self::write_to) write the envelopes once, as the definitions of
    /// `envelopes.json`, instead of a copy with each tool's types: `#/$defs/ToolOutput`,
    /// `#/$defs/ResponseEnvelope` and so on.
    ///
    /// Each tool then has `NAME.input.json` and `NAME.output.json`. Two tools take 7 files in place of
    /// 19, and a fifth of the bytes.
    #[must_use]
    pub fn shared_envelopes(self) -> Self {
        Self { documents: ExportedDocuments::SharedEnvelopes, ..self }
    }

    /// Lets [`check`](Self::check) write the lock, as `TOOLS_LOCK=accept` does.
    #[must_use]
    pub fn accepting(self) -> Self {
        Self { mode: Ok(LockMode::Accept), ..self }
    }

    /// Writes nothing, and fails if a file is not up to date, as `TOOLS_LOCK=frozen` does.
    ///
    /// Use it in a test that compares committed files with the tools.
    #[must_use]
    pub fn frozen(self) -> Self {
        Self { mode: Ok(LockMode::Frozen), ..self }
    }

    /// Compares the tools with this lock too, as `TOOLS_LOCK_BASE` does.
    ///
    /// A relative path is relative to the folder of the lock that [`check`](Self::check) reads.
    #[must_use]
    pub fn base(self, lock: impl Into<PathBuf>) -> Self {
        Self { base: Some(lock.into()), ..self }
    }

    /// Updates a folder with the tools' contracts.
    ///
    /// Per tool it contains `NAME.input.json` and `NAME.output.json`, the schemas of arguments and
    /// data, and the contract's envelopes with these types: `NAME.tool_call_request.json`,
    /// `NAME.tool_output.json` and `NAME.response_envelope.json`. It also contains the documents
    /// that are the same for all tools (`request_envelope.json`, `tool_context.json`, and a server's
    /// `call_envelope.json`, `call_request.json`, `call_response.json`, `list_request.json` and
    /// `list_response.json`), a catalogue `tools.json`, and a reference `TOOLS.md` for people. A
    /// tool without a schema of its data has no `output.json`.
    ///
    /// [`inputs_only`](Self::inputs_only) and [`shared_envelopes`](Self::shared_envelopes) write fewer
    /// files.
    ///
    /// Every schema is a self-contained document of draft 2020-12; its `$id` is the file's name.
    /// The output is deterministic. Files that are up to date are not touched; others are replaced
    /// atomically. Files of tools that no longer exist are removed if the existing catalogue lists
    /// them; other files in the folder are never touched.
    ///
    /// # Errors
    /// Returns an error if the registrations are invalid, if a file cannot be read or written, or
    /// if the export is [`frozen`](Self::frozen) and a file is not up to date.
    pub fn write_to(&self, folder: impl AsRef<Path>) -> Result<WrittenFiles, ExportError> {
        let (tools, mode) = self.ready()?;
        let folder = OutputFolder {
            path: folder.as_ref(),
            frozen: mode == LockMode::Frozen,
            durable: false,
            script: self.script.as_ref(),
        };
        let files = documents(tools, self.documents);
        let catalogue = files::read(&folder.path.join(CATALOGUE))?.unwrap_or_default();
        let mut stale = listed(&catalogue);
        stale.retain(|name| files.iter().all(|(current, _)| current != name));
        folder.update(&files, &stale)
    }

    /// Compares the tools with their committed lock, and with the lock of the base branch, if
    /// [`base`](Self::base) or `TOOLS_LOCK_BASE` names one.
    ///
    /// Lists the changes since the lock was written. Compatible changes pass, with a cargo warning
    /// until they are accepted: run the build or the test once with `TOOLS_LOCK=accept`, and commit
    /// the lock.
    ///
    /// # Errors
    /// Returns an error for a change that breaks callers, or the tool's reading of their arguments,
    /// unless the tool has a new major version: a change of the leftmost non-zero number, as in
    /// cargo. The message lists each such change with tool, location, rule and required action.
    /// `accept` does not override this, except for a removed tool: it has no version to raise, so
    /// accepting its removal confirms it.
    ///
    /// Also returns an error for a version that decreased, for a lock that is missing, damaged, of a
    /// newer format or has conflict markers, for a base lock that is missing or cannot be read, and,
    /// if the export is [`frozen`](Self::frozen), for a lock that is not up to date.
    ///
    /// A missing lock is created when it is accepted, unless git has it in the history of the current
    /// commit: it must be restored then. If a catalogue `tools.json` of these tools is in the same
    /// folder or in one within it, or if there is a base lock, the tools are compared with that first: a
    /// lock that was deleted does not admit a breaking change.
    pub fn check(&self, lock: impl AsRef<Path>) -> Result<ContractChanges, ExportError> {
        let (tools, mode) = self.ready()?;
        let lock = lock.as_ref();
        let folder = OutputFolder {
            path: lock.parent().unwrap_or(lock),
            frozen: mode != LockMode::Accept,
            durable: true,
            script: self.script.as_ref(),
        };
        let paths = LockPaths { lock, base: self.base.as_deref() };
        lock::check(tools, paths, mode, &folder)
    }

    fn ready(&self) -> Result<(&[Contract], LockMode), ExportError> {
        if let Some(script) = &self.script {
            script.watch_variable(VARIABLE);
            script.watch_variable(BASE);
        }
        let mode = self.mode.clone()?;
        match &self.tools {
            Ok(tools) => Ok((tools, mode)),
            Err(error) => Err(error.clone().into()),
        }
    }
}

impl ExportedDocuments {
    /// Returns each tool's schemas, and the documents that are the same for all tools.
    const fn parts(self) -> (&'static [SchemaFile], &'static [&'static str]) {
        match self {
            Self::TypedEnvelopes => (&SchemaFile::ALL, &SHARED),
            Self::SharedEnvelopes => (&[SchemaFile::Input, SchemaFile::Output], &[]),
            Self::Inputs => (&[SchemaFile::Input], &[]),
        }
    }
}

impl LockMode {
    fn from_variable(value: Option<&OsStr>) -> Result<Self, ExportError> {
        match value.map(OsStr::to_str) {
            None | Some(Some("")) => Ok(Self::Write),
            Some(Some("accept")) => Ok(Self::Accept),
            Some(Some("frozen")) => Ok(Self::Frozen),
            Some(_) => Err(ExportError::new(
                ExportErrorKind::Setting,
                format!("invalid value of `{VARIABLE}`: expected `accept` or `frozen`"),
            )),
        }
    }
}

/// Generates every file of the folder, the catalogue last: it lists the others, so that the next
/// export can clean up after an interrupted one.
fn documents(tools: &[Contract], exported: ExportedDocuments) -> Vec<(String, String)> {
    let envelopes = EnvelopeSchemas::new();
    let (parts, shared) = exported.parts();
    let stems = names::stems(tools.iter().map(Contract::name));
    let schemas = tools.iter().zip(&stems).flat_map(|(tool, stem)| {
        let envelopes = &envelopes;
        parts.iter().copied().filter_map(move |part| {
            let name = format!("{stem}{}", part.suffix());
            let text = printed(document(schema(tool, part, envelopes)?, &name));
            Some((name, text))
        })
    });
    let mut files: Vec<_> = schemas.collect();
    for &name in shared {
        files.push((name.to_owned(), printed(document(envelopes.shared(name), name))));
    }
    if exported == ExportedDocuments::SharedEnvelopes {
        files.push((ENVELOPES.to_owned(), printed(document(envelopes.together(), ENVELOPES))));
    }
    files.push((REFERENCE.to_owned(), reference::reference(tools)));
    let catalogue = printed(catalogue(tools, files.iter().map(|(name, _)| name)));
    files.push((CATALOGUE.to_owned(), catalogue));
    files
}

fn schema(tool: &Contract, part: SchemaFile, envelopes: &EnvelopeSchemas) -> Option<Value> {
    Some(match part {
        SchemaFile::Input => to_current_draft(tool.input()),
        SchemaFile::Output => to_current_draft(Value::Object(tool.spec.output_schema()?.clone())),
        SchemaFile::ToolCallRequest => envelopes.tool_call_request(tool),
        SchemaFile::ToolOutput => envelopes.tool_output(tool),
        SchemaFile::ResponseEnvelope => envelopes.response_envelope(tool),
    })
}

fn catalogue<'f>(tools: &[Contract], files: impl Iterator<Item = &'f String>) -> Value {
    let tools: Vec<_> = tools.iter().map(Contract::to_value).collect();
    json!({"format": FORMAT, "files": files.collect::<Vec<_>>(), "tools": tools})
}

/// The schema files that a catalogue of this crate lists.
fn listed(catalogue: &[u8]) -> Vec<String> {
    let catalogue: Value = serde_json::from_slice(catalogue).unwrap_or_default();
    let is_ours = catalogue["format"].is_u64() && catalogue["tools"].is_array();
    let files = catalogue["files"].as_array().filter(|_| is_ours);
    let names = files.into_iter().flatten().filter_map(Value::as_str);
    names.filter(|name| names::is_schema_file(name)).map(str::to_owned).collect()
}
