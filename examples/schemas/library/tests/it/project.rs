//! A copy of an example as its own workspace, and cargo's output for it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copied example.
pub(crate) struct Project {
    workspace: PathBuf,
    package: &'static str,
}

/// The result of one run of cargo.
pub(crate) struct Built {
    succeeded: bool,
    said: String,
}

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");

impl Project {
    pub(crate) fn copied(package: &'static str) -> Self {
        // One path per package: cargo identifies its cached data by name.
        let workspace = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas").join(package);
        let _ = fs::remove_dir_all(&workspace);
        copy(&Path::new(EXAMPLES).join(package), &workspace.join(package));
        fs::copy(Path::new(ROOT).join("Cargo.lock"), workspace.join("Cargo.lock")).unwrap();
        fs::write(workspace.join("Cargo.toml"), manifest(package)).unwrap();
        Self { workspace, package }
    }

    fn at(&self, file: &str) -> PathBuf {
        self.workspace.join(self.package).join(file)
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.at(file)).unwrap()
    }

    fn write(&self, file: &str, text: &str) {
        fs::write(self.at(file), text).unwrap();
    }

    pub(crate) fn append(&self, file: &str, text: &str) {
        let before = fs::read_to_string(self.at(file)).unwrap_or_default();
        self.write(file, &(before + text));
    }

    #[track_caller]
    pub(crate) fn edit(&self, file: &str, from: &str, to: &str) {
        let text = self.read(file);
        assert!(text.contains(from), "`{from}` in {file}");
        self.write(file, &text.replacen(from, to, 1));
    }

    pub(crate) fn remove(&self, file: &str) {
        let path = self.at(file);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }

    /// Returns the lock and all files in `schemas/`.
    pub(crate) fn contracts(&self) -> BTreeMap<String, String> {
        let entries = fs::read_dir(self.at("schemas")).unwrap();
        let names = entries.map(|it| it.unwrap().file_name().into_string().unwrap());
        let names = names.map(|name| format!("schemas/{name}"));
        let names = names.chain(["tools.lock.json".to_owned()]);
        names.map(|name| (name.clone(), self.read(&name))).collect()
    }

    pub(crate) fn build(&self, variables: &[(&str, &str)]) -> Built {
        let output = Command::new(env!("CARGO"))
            .args(["build", "--offline", "--verbose", "--color=never"])
            .current_dir(&self.workspace)
            .env_remove("TOOLS_LOCK")
            .env_remove("TOOLS_LOCK_BASE")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("schemas-target"))
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        Built { succeeded: output.status.success(), said }
    }
}

impl Built {
    #[track_caller]
    pub(crate) fn passes(self) -> Self {
        assert!(self.succeeded, "{}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn fails(self) -> Self {
        assert!(!self.succeeded, "{}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.said.contains(text), "`{text}` in:\n{}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn exported(self) -> Self {
        assert!(self.ran_the_script(), "{}", self.said);
        self
    }

    #[track_caller]
    pub(crate) fn did_not_export(self) -> Self {
        assert!(!self.ran_the_script(), "{}", self.said);
        self
    }

    /// Asserts that nothing was compiled and nothing was run.
    #[track_caller]
    pub(crate) fn did_nothing(self) -> Self {
        assert!(!self.said.contains("Running `"), "{}", self.said);
        self
    }

    fn ran_the_script(&self) -> bool {
        let of_package =
            |line: &str| line.contains("schemas-") && line.contains("build-script-build`");
        self.said.lines().any(of_package)
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&from, &to);
        } else {
            fs::copy(&from, &to).unwrap();
        }
    }
}

/// Returns the project's own manifest, with only these members, and with paths to its crates.
fn manifest(package: &str) -> String {
    let root = Path::new(ROOT).canonicalize().unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let tools = if package == "library" { ", \"library/tools\"" } else { "" };
    let lines = manifest.lines().map(|line| match line.split(" = ").next() {
        Some("members") => format!("members = [\"{package}\"{tools}]"),
        Some("exclude") => String::new(),
        _ => line.replace("path = \"", &format!("path = \"{}/", root.display())),
    });
    lines.collect::<Vec<_>>().join("\n")
}
