//! The guide: every page is listed and compiled, and every link is valid.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Returns the targets of links outside code, except web links.
fn links(text: &str) -> Vec<String> {
    let mut in_code = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        in_code ^= fence;
        !in_code && !fence
    });
    let targets = prose.flat_map(|line| line.split("](").skip(1));
    let targets = targets.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
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
    let listed: BTreeSet<String> =
        links(&read(&root().join("docs/README.md"))).into_iter().collect();
    let missing: Vec<_> =
        pages("docs").into_iter().filter(|it| it != "README.md" && !listed.contains(it)).collect();
    assert!(missing.is_empty(), "docs/README.md does not list {missing:?}");
}

#[test]
fn every_page_is_compiled() {
    let guide = read(&root().join("tool-runtime/src/guide.rs"));
    let compiled: BTreeSet<String> =
        guide.split('"').filter(|word| is_page(word)).map(str::to_owned).collect();
    let pages = pages("docs").into_iter().map(|page| format!("docs/{page}"));
    let expected: BTreeSet<String> = pages.chain(["README.md".to_owned()]).collect();
    assert_eq!(expected, compiled, "the pages that there are, and those in guide.rs");
    for page in compiled {
        let text = read(&root().join(&page));
        let ignored = |line: &str| line.starts_with("```") && line.contains("ignore");
        assert!(!text.lines().any(ignored), "{page} has code that is not compiled");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let folders = [".", "docs", "docs/rfc", "benches", "fuzz", "examples/storefront"];
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
