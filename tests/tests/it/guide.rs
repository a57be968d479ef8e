//! The guide: every page is listed and compiled, reads well in both of its places, and every link is
//! valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the guide, inside the package, so that docs.rs shows it.
const GUIDE: &str = "tool-runtime/docs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of the Markdown files of a folder.
fn pages(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| is_page(name)).collect()
}

fn is_page(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "md")
}

/// Returns the pages of the guide with their texts.
fn guide() -> Vec<(String, String)> {
    let read = |name: String| (name.clone(), read(&root().join(GUIDE).join(name)));
    pages(GUIDE).into_iter().map(read).collect()
}

/// Returns the lines of the code blocks whose first line begins so, and `None` after each block.
fn code<'a>(text: &'a str, fence: &str) -> Vec<Option<&'a str>> {
    let (mut inside, mut wanted, mut found) = (false, false, Vec::new());
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
            found.extend((!inside && wanted).then_some(None));
            wanted = inside && line.starts_with(fence);
        } else if wanted {
            found.push(Some(line));
        }
    }
    found
}

/// Returns the lines outside code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_code = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    })
}

/// Splits the definition of a label, `[label]: target`.
fn definition(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("]: ")
}

/// Returns the targets of links outside code, except web links.
fn links(text: &str) -> Vec<String> {
    let inline = prose(text).flat_map(|line| line.split("](").skip(1));
    let inline = inline.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    let defined = prose(text).filter_map(definition).map(|(_, target)| target);
    inline.chain(defined).filter(|it| !it.contains("://")).map(str::to_owned).collect()
}

/// Returns the labels of links outside code, `[text][label]`.
fn labels(text: &str) -> BTreeSet<&str> {
    let rests = prose(text).flat_map(|line| line.split("][").skip(1));
    rests.filter_map(|rest| rest.split_once(']')).map(|(label, _)| label).collect()
}

/// Returns a heading's anchor, as GitHub makes it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -_".contains(*it));
    kept.flat_map(char::to_lowercase).map(|it| if it == ' ' { '-' } else { it }).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

/// Returns a description of a link's error, if there is one.
fn broken(file: &Path, link: &str) -> Option<String> {
    let (path, place) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() { file.into() } else { file.parent()?.join(path) };
    let found = target.exists() && (place.is_empty() || anchors(&read(&target)).contains(place));
    (!found).then(|| format!("{}: {link}", file.display()))
}

#[test]
fn every_page_is_in_the_list() {
    for folder in [GUIDE, "docs"] {
        let listed: BTreeSet<String> =
            links(&read(&root().join(folder).join("README.md"))).into_iter().collect();
        let is_missing = |it: &String| it != "README.md" && !listed.contains(it);
        let missing: Vec<_> = pages(folder).into_iter().filter(is_missing).collect();
        assert!(missing.is_empty(), "{folder}/README.md does not list {missing:?}");
    }
}

#[test]
fn every_page_is_compiled() {
    let module = read(&root().join("tool-runtime/src/guide.rs"));
    let words = module.split('"').filter(|word| is_page(word));
    let compiled: BTreeSet<_> = words.map(|it| it.trim_start_matches("../docs/")).collect();
    let compiled: BTreeSet<_> = compiled.into_iter().map(str::to_owned).collect();
    let expected: BTreeSet<_> = pages(GUIDE)
        .into_iter()
        .chain(["../../README.md", "../README.md"].map(Into::into))
        .collect();
    assert_eq!(expected, compiled, "the pages that there are, and those in guide.rs");
    for (page, text) in guide() {
        let ignored = |line: &str| line.starts_with("```") && line.contains("ignore");
        assert!(!text.lines().any(ignored), "{page} has code that is not compiled");
    }
    for page in pages("docs") {
        let text = read(&root().join("docs").join(&page));
        assert!(code(&text, "```rust").is_empty(), "the code of docs/{page} is not compiled");
    }
}

#[test]
fn no_line_of_the_guide_s_code_is_hidden_in_rustdoc_and_shown_in_the_repository() {
    for (page, text) in guide() {
        let code = code(&text, "```rust");
        let hidden: Vec<_> =
            code.iter().flatten().filter(|it| **it == "#" || it.starts_with("# ")).collect();
        assert!(hidden.is_empty(), "{page}: {hidden:#?}");
    }
}

#[test]
fn every_crate_that_a_page_uses_is_in_the_manifest_that_the_page_shows() {
    let known = ["crate", "self", "std", "super", "tool_runtime"];
    for (page, text) in guide() {
        let uses = code(&text, "```rust").into_iter().flatten();
        let uses = uses.filter_map(|line| line.trim_start().strip_prefix("use "));
        let crates = uses.filter_map(|path| path.split([':', ';', ' ']).next());
        let manifest = code(&text, "```toml");
        for name in crates.filter(|name| !known.contains(name)) {
            let entry = |line: &&str| {
                let key = line.split([' ', '.']).next().unwrap_or_default();
                key.replace('-', "_") == name
            };
            assert!(manifest.iter().flatten().any(entry), "{page} uses {name}");
        }
    }
}

/// In the repository the last lines of a page define its labels as files; in rustdoc `links.txt`
/// (included before each page) defines them as modules.
#[test]
fn a_link_between_pages_leads_to_a_file_in_the_repository_and_to_a_module_in_rustdoc() {
    let mut modules = BTreeSet::new();
    for (page, text) in guide() {
        let labels = labels(&text);
        let defined: BTreeSet<_> = prose(&text).filter_map(definition).collect();
        let split = |label: &str| {
            let (page, place) = label.split_once('#').unwrap_or((label, ""));
            let place = if place.is_empty() { String::new() } else { format!("#{place}") };
            (page.to_owned(), place)
        };
        let expected = labels.iter().map(|label| {
            let (page, place) = split(label);
            (*label, format!("{page}.md{place}"))
        });
        let expected: Vec<_> = expected.collect();
        let expected = expected.iter().map(|(label, target)| (*label, &**target)).collect();
        assert_eq!(defined, expected, "{page}");
        let inline = prose(&text).flat_map(|line| line.split("](").skip(1));
        let files: Vec<_> =
            inline.filter(|it| !it.starts_with('#') && !it.contains("://")).collect();
        assert!(files.is_empty(), "{page} has links that are dead in rustdoc: {files:#?}");
        modules.extend(labels.into_iter().map(|label| {
            let (page, place) = split(label);
            format!("[{label}]: crate::guide::{}{place}\n", page.replace('-', "_"))
        }));
    }
    let expected: String = modules.into_iter().collect();
    let file = root().join(GUIDE).join("links.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&file, &expected).unwrap();
    }
    assert_eq!(read(&file), expected, "UPDATE_GOLDEN=1 writes it");
}

/// Returns the recorded messages of the compiler in a folder.
fn recorded_messages(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => recorded_messages(&path),
        Some(it) if it == "stderr" => read(&path),
        _ => String::new(),
    };
    entries.map(text).collect()
}

#[test]
fn the_page_of_compiler_messages_quotes_recorded_ones() {
    let page = read(&root().join(GUIDE).join("compile-errors.md"));
    let recorded = recorded_messages(&root().join("tests/messages/ui"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let quoted = rows.filter_map(|row| match row.strip_prefix('`') {
        Some(row) => row.split_once("``"),
        None => row.split_once('`'),
    });
    let quoted: Vec<_> = quoted.map(|(message, _)| message.trim()).collect();
    let is_recorded = |it: &&str| it.split('…').all(|part| recorded.contains(part));
    let unknown: Vec<_> = quoted.iter().filter(|it| !is_recorded(it)).collect();
    assert!(unknown.is_empty(), "no recorded message says {unknown:#?}");
    assert!(quoted.len() > 20, "{} messages were compared", quoted.len());
}

/// A registry resolves no relative link of a package that names no repository.
#[test]
fn a_packages_readme_links_to_docs_rs_alone_and_to_pages_of_the_guide_that_exist() {
    let page = "https://docs.rs/tool-runtime/latest/tool_runtime/guide/";
    for package in ["tool-contracts", "tool-derive", "tool-runtime"] {
        let text = read(&root().join(package).join("README.md"));
        assert_eq!(links(&text), Vec::<String>::new(), "{package}/README.md");
        for link in text.split(page).skip(1).filter_map(|rest| rest.split(')').next()) {
            let (module, place) = link.split_once("index.html").expect("an address of rustdoc");
            let module = module.trim_end_matches('/').replace('_', "-");
            let file = if module.is_empty() { "README.md".to_owned() } else { module + ".md" };
            let broken = broken(&root().join(GUIDE).join("README.md"), &format!("{file}{place}"));
            assert_eq!(broken, None, "{package}/README.md");
        }
    }
}

#[test]
fn every_link_leads_somewhere() {
    let folders = [".", "docs", GUIDE, "docs/rfc", "benches", "fuzz", "examples/storefront"];
    let files = folders.iter().flat_map(|folder| {
        pages(folder).into_iter().map(move |name| root().join(folder).join(name))
    });
    let mut count = 0;
    let wrong: Vec<_> = files
        .flat_map(|file| {
            let links = links(&read(&file));
            count += links.len();
            links.into_iter().filter_map(move |link| broken(&file, &link)).collect::<Vec<_>>()
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 30, "{count} links were looked at");
}
