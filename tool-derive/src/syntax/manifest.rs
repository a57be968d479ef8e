//! Finds the name under which the user's manifest declares the runtime, because a dependency may be
//! renamed (`tools = { package = "tool-runtime", … }`) and a procedural macro has no `$crate`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use syn::Ident;

const PACKAGE: &str = "tool-runtime";

/// The packages of this workspace, which no manifest of a user renames.
const OWN_PACKAGES: [&str; 2] = [PACKAGE, "tool-runtime-derive"];

/// The dependency on the runtime in the manifest of the crate that is compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuntimeDependency {
    /// The name that code uses for it.
    Named(String),
    /// The manifest does not name the runtime at all.
    Absent,
    /// There is no manifest that can be read, or the runtime is named in a form that is not.
    Unknown,
}

impl RuntimeDependency {
    /// Reads the manifest of the crate that is compiled.
    pub(crate) fn read() -> Self {
        let is_own_package =
            env::var("CARGO_PKG_NAME").is_ok_and(|name| OWN_PACKAGES.contains(&&*name));
        let text = (!is_own_package).then(manifest).flatten().and_then(|path| {
            let text = fs::read_to_string(&path).ok()?;
            Some((path, text))
        });
        match text {
            Some((path, text)) => Self::from_manifest(&text, || workspace(&path, &text)),
            None => Self::Unknown,
        }
    }

    fn from_manifest(manifest: &str, workspace: impl FnOnce() -> Option<String>) -> Self {
        let declared = dependencies(manifest, "");
        if let Some(found) = named(&declared) {
            return Self::Named(found);
        }
        let absent = if mentions_runtime(manifest) { Self::Unknown } else { Self::Absent };
        if !declared.iter().any(|dependency| dependency.inherited) {
            return absent;
        }
        let Some(workspace) = workspace() else { return Self::Unknown };
        let shared = dependencies(&workspace, "workspace.");
        let inherits = |name: &str| declared.iter().any(|it| it.inherited && it.key == name);
        let shared: Vec<Dependency> = shared.into_iter().filter(|it| inherits(&it.key)).collect();
        named(&shared).map_or(absent, Self::Named)
    }
}

/// Returns whether the runtime's name stands anywhere in a manifest.
fn mentions_runtime(manifest: &str) -> bool {
    manifest.replace('_', "-").contains(PACKAGE)
}

/// The path of the manifest; none for a script of a single file.
fn manifest() -> Option<PathBuf> {
    let path = match env::var_os("CARGO_MANIFEST_PATH") {
        Some(path) => PathBuf::from(path),
        None => Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("Cargo.toml"),
    };
    path.ends_with("Cargo.toml").then_some(path)
}

/// Reads the manifest of the workspace of this one: the one that it names, or one that contains it.
fn workspace(manifest: &Path, text: &str) -> Option<String> {
    let folder = manifest.parent()?;
    if let Some(named) = named_workspace(text) {
        return fs::read_to_string(folder.join(named).join("Cargo.toml")).ok();
    }
    let folders = folder.ancestors();
    let texts = folders.filter_map(|folder| fs::read_to_string(folder.join("Cargo.toml")).ok());
    let is_root = |text: &String| text.lines().any(|line| line.trim().starts_with("[workspace"));
    texts.into_iter().find(is_root)
}

/// The folder of the workspace that a package names: `workspace = "../root"` in `[package]`.
fn named_workspace(manifest: &str) -> Option<String> {
    let mut table = String::new();
    for line in logical_lines(manifest) {
        if let Some(heading) = line.trim().strip_prefix('[') {
            heading.split(']').next().unwrap_or_default().trim().clone_into(&mut table);
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let key: String = key.chars().filter(|letter| !letter.is_whitespace()).collect();
        if matches!((&*table, &*key), ("package", "workspace") | ("", "package.workspace")) {
            return Some(unquoted(value).to_owned());
        }
    }
    None
}

/// One dependency of a manifest.
#[derive(Debug, PartialEq, Eq)]
struct Dependency {
    key: String,
    /// True if its package is the runtime, under any name.
    is_runtime: bool,
    /// True if the workspace declares it.
    inherited: bool,
}

/// The name that code uses for the runtime among these dependencies.
fn named(dependencies: &[Dependency]) -> Option<String> {
    let runtimes = dependencies.iter().filter(|it| it.is_runtime);
    let names = runtimes.map(|it| it.key.replace('-', "_"));
    let names: Vec<String> = names.filter(|name| syn::parse_str::<Ident>(name).is_ok()).collect();
    let plain = names.iter().find(|name| name.replace('_', "-") == PACKAGE);
    plain.or_else(|| names.first()).cloned()
}

/// Lists the dependencies in the tables whose names have this prefix.
///
/// It reads the forms that people and `cargo publish` write, an inline table or one with a heading,
/// and is no TOML parser: those are slow to compile.
fn dependencies(manifest: &str, prefix: &str) -> Vec<Dependency> {
    let mut dependencies: Vec<Dependency> = Vec::new();
    let mut table = DependencyTable::Other;
    for line in logical_lines(manifest) {
        let line = line.trim();
        if let Some(heading) = line.strip_prefix('[') {
            table = DependencyTable::from_heading(heading, prefix);
            if let DependencyTable::Single(key) = &table {
                dependencies.push(Dependency::new(key, ""));
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        match &table {
            DependencyTable::Whole => {
                // `tools.workspace = true` is one of several lines of a dependency.
                let (key, facts) = match key.split_once('.') {
                    Some((key, option)) => (key, format!("{option} = {value}")),
                    None => (key, value.to_owned()),
                };
                dependencies.push(Dependency::new(unquoted(key), &facts));
            }
            DependencyTable::Single(key) => dependencies.push(Dependency::new(key, line)),
            DependencyTable::Other => {}
        }
    }
    dependencies
}

/// Splits a manifest into its headings and assignments: without comments, with `"` around every
/// string, and with a value that spans lines on one line.
fn logical_lines(manifest: &str) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    let (mut depth, mut quote) = (0_usize, None);
    let mut letters = manifest.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            ('\\', Some('"')) => {
                line.push(letter);
                line.extend(letters.next());
            }
            (_, Some(open)) if letter == open => {
                quote = None;
                line.push('"');
            }
            ('"' | '\'', None) => {
                quote = Some(letter);
                line.push('"');
            }
            ('#', None) => {
                // The comment ends before its line does.
                if letters.any(|letter| letter == '\n') && depth == 0 {
                    lines.push(std::mem::take(&mut line));
                }
            }
            ('\n', None) if depth == 0 => lines.push(std::mem::take(&mut line)),
            ('\n', _) => line.push(' '),
            _ => {
                match (letter, quote) {
                    ('[' | '{', None) => depth += 1,
                    (']' | '}', None) => depth = depth.saturating_sub(1),
                    _ => {}
                }
                line.push(letter);
            }
        }
    }
    lines.push(line);
    lines
}

impl Dependency {
    fn new(key: &str, facts: &str) -> Self {
        let facts: String = facts.chars().filter(|letter| !letter.is_whitespace()).collect();
        let renamed = facts.contains(&format!("package=\"{PACKAGE}\""));
        Self {
            key: key.to_owned(),
            is_runtime: renamed || key.replace('_', "-") == PACKAGE,
            inherited: facts.contains("workspace=true"),
        }
    }
}

/// The table of a line.
#[derive(Debug, PartialEq, Eq)]
enum DependencyTable {
    /// `[dependencies]`, with a dependency on each line.
    Whole,
    /// `[dependencies.tools]`, with one dependency.
    Single(String),
    Other,
}

impl DependencyTable {
    fn from_heading(heading: &str, prefix: &str) -> Self {
        let heading = heading.split(']').next().unwrap_or_default().trim();
        // `target.'cfg(unix)'.dependencies` is a table of dependencies too.
        let heading = match heading.strip_prefix("target.") {
            Some(_) if prefix.is_empty() => match heading.rfind("dependencies") {
                Some(at) => &heading[at..],
                None => return Self::Other,
            },
            _ => heading,
        };
        let Some(heading) = heading.strip_prefix(prefix) else { return Self::Other };
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            match heading.strip_prefix(kind) {
                Some("") => return Self::Whole,
                Some(rest) if rest.starts_with('.') => {
                    return Self::Single(unquoted(&rest[1..]).to_owned());
                }
                _ => {}
            }
        }
        Self::Other
    }
}

fn unquoted(key: &str) -> &str {
    key.trim().trim_matches(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(manifest: &str, workspace: Option<&str>, expected: &str) {
        let dependency =
            RuntimeDependency::from_manifest(manifest, || workspace.map(str::to_owned));
        let text = match dependency {
            RuntimeDependency::Named(name) => name,
            other => format!("{other:?}"),
        };
        assert_eq!(text, expected, "{manifest}");
    }

    #[test]
    fn the_dependency_is_found_under_any_name() {
        check("[dependencies]\ntool-runtime = \"1\"", None, "tool_runtime");
        check("[dev-dependencies]\ntool_runtime.path = \"..\"", None, "tool_runtime");
        check("[dependencies]\ntools = { package = \"tool-runtime\" }", None, "tools");
        check(
            "[dependencies.my-tools]\nversion = \"1\"\npackage = \"tool-runtime\"",
            None,
            "my_tools",
        );
        check(
            "[dependencies]\ntools.version = \"1\"\ntools.package = \"tool-runtime\"",
            None,
            "tools",
        );
        check("[target.'cfg(unix)'.dependencies]\nt = { package=\"tool-runtime\" }", None, "t");
        check("[target.x.dependencies.t]\npackage = \"tool-runtime\"", None, "t");
    }

    #[test]
    fn the_workspace_may_name_it() {
        let workspace =
            "[workspace.dependencies]\ntools = { package = \"tool-runtime\" }\nserde = \"1\"";
        check("[dependencies]\ntools.workspace = true", Some(workspace), "tools");
        check("[dependencies]\ntools = { workspace = true }", Some(workspace), "tools");
        check("[dependencies.tools]\nworkspace = true", Some(workspace), "tools");
        check("[dependencies]\nserde.workspace = true", Some(workspace), "Absent");
        check("[dependencies]\ntools.workspace = true", None, "Unknown");
    }

    #[test]
    fn comments_strings_and_values_of_several_lines_are_read_as_toml_means_them() {
        check(
            "[dependencies]\n# rt = { package = \"tool-runtime\", path = \"..\" }\nrt = { package = \"tool-runtime\" } # here",
            None,
            "rt",
        );
        check("[dependencies]\nrt = { package = 'tool-runtime' }", None, "rt");
        check(
            "[dependencies]\nrt = { version = \"1\", features = [\n  \"http\", # all\n], package = \"tool-runtime\" }",
            None,
            "rt",
        );
        let workspace = "[workspace.dependencies]\ntool-runtime = \"1\"";
        check("[dependencies]\n\"tool-runtime\".workspace = true", Some(workspace), "tool_runtime");
        check("[dependencies]\n1x = { package = \"tool-runtime\" }", None, "Unknown");
        check("dependencies.tool-runtime.version = \"1\"", None, "Unknown");
        check(
            "[package]\ndescription = \"\"\"it's\n# no comment\"\"\"\n[dependencies]\ntool-runtime = \"1\"",
            None,
            "tool_runtime",
        );
    }

    #[test]
    fn other_tables_declare_no_dependency() {
        check("[dependencies]\nserde = \"1\"", None, "Absent");
        check("[features]\ntool-runtime = []", None, "Unknown");
        check("[workspace.dependencies]\ntool-runtime = \"1\"", None, "Unknown");
        check("[package]\nname = \"tool-runtime\"", None, "Unknown");
    }

    #[test]
    fn a_package_may_name_its_workspace_instead_of_lying_in_it() {
        let folder = env::temp_dir().join(format!("tool-derive-manifest-{}", std::process::id()));
        let (root, member) = (folder.join("root"), folder.join("member"));
        fs::create_dir_all(&root).expect("a folder");
        fs::create_dir_all(&member).expect("a folder");
        let shared =
            "[workspace]\n[workspace.dependencies]\ntools = { package = \"tool-runtime\" }";
        fs::write(root.join("Cargo.toml"), shared).expect("a file");
        let path = member.join("Cargo.toml");
        for named in [
            "[package]\nname = \"a\"\nworkspace = \"../root\" # beside it\n",
            "package.workspace = '../root'\n",
        ] {
            let text = format!("{named}[dependencies]\ntools.workspace = true");
            let dependency = RuntimeDependency::from_manifest(&text, || workspace(&path, &text));
            assert_eq!(dependency, RuntimeDependency::Named("tools".to_owned()), "{text}");
        }
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
