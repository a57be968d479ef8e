//! Tools that nothing is wrong with, tried as their authors would.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tool_runtime::prelude::*;
use tool_runtime::testing::{RecordedEffects, ToolTrial, TrialCheck, assert_tool, context};

use super::only;

/// The titles that the host searches.
struct Index(Vec<String>);

/// Searches the published content of a site.
#[ai_tool(effect = "read", version = "1.0.0")]
async fn search_content(
    index: &Index,
    /// Words to look for.
    query: &str,
    /// Most hits to return.
    #[arg(default = 10, range(1..=50))]
    limit: usize,
) -> Vec<String> {
    index.0.iter().filter(|title| title.contains(query)).take(limit).cloned().collect()
}

#[test]
fn a_function_is_tried_in_one_line() {
    assert_tool!(search_content, state = Index(vec!["green tea".to_owned()]));
}

/// The content of a site.
pub(super) struct Content {
    titles: Vec<String>,
}

/// Finds content.
#[ai_toolkit]
impl Content {
    /// Searches the content.
    #[ai_tool(effect = "read")]
    fn search(
        &self,
        /// Words to look for.
        query: &str,
    ) -> usize {
        self.titles.iter().filter(|title| title.contains(query)).count()
    }
}

#[test]
fn a_method_is_tried_with_its_toolkit() {
    let content = || Content { titles: Vec::new() };
    assert_tool!(Content::search, toolkit = content());
    assert_tool!("content.search", toolkit = content(), cases = 8);
}

/// Keeps a contact.
#[ai_tool(effect = "write", idempotent)]
fn keep_contact(
    book: &Book,
    dry_run: &DryRun,
    /// Who.
    #[arg(pii)]
    name: String,
    /// The key to the door.
    #[arg(secret)]
    key: String,
) -> bool {
    if dry_run.is_active() {
        return false;
    }
    book.lock().expect("no thread panicked").insert(name, key);
    true
}

type Book = Mutex<BTreeMap<String, String>>;

#[test]
fn a_write_is_tried_with_what_counts_its_effects() {
    let (book, pages) = shared_book();
    assert_tool!(keep_contact, shared_state = book, effects = pages);
}

#[test]
fn nothing_is_left_unchecked_of_a_write_whose_effects_are_counted() {
    let (book, pages) = shared_book();
    let trial = ToolTrial::for_tool::<KeepContactTool>().shared_state(book).effects(pages);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots");
    let report = trial.snapshots_in(folder).check();
    assert!(report.is_ok() && report.notes().is_empty(), "{report}");
}

fn shared_book() -> (Arc<Book>, impl Fn() -> usize) {
    let book: Arc<Book> = Arc::default();
    let pages = Arc::clone(&book);
    (book, move || pages.lock().expect("no thread panicked").len())
}

#[tokio::test]
async fn a_trial_can_be_awaited() {
    let trial = ToolTrial::for_tool::<SearchContentTool>().state(Index(Vec::new()));
    let cx = context().user_id("ada").build().expect("a context");
    let report = trial.context(cx).cases(20).run().await;
    assert!(report.is_ok(), "{report}");
    assert_eq!(report.cases(), 20);
}

/// A folder that is removed at the end of the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn tried_in(folder: &Path) -> tool_runtime::testing::TrialReport {
    let trial = ToolTrial::for_tool::<SearchContentTool>().state(Index(Vec::new())).cases(1);
    trial.snapshots_in(folder).check()
}

#[test]
fn a_contract_that_was_changed_is_shown_as_a_difference() {
    let folder = Folder::new("snapshots-changed");
    let file = folder.0.join("search_content.json");
    fs::create_dir_all(&folder.0).expect("a folder");
    fs::copy(committed(), &file).expect("the committed contract");
    assert!(tried_in(&folder.0).is_ok(), "{}", tried_in(&folder.0));
    let text = fs::read_to_string(&file)
        .expect("a contract")
        .replace("\"maximum\": 50", "\"maximum\": 90");
    fs::write(&file, text).expect("a changed contract");
    let parts =
        ["UPDATE_SNAPSHOTS=1", "-          \"maximum\": 90", "+          \"maximum\": 50", "@@"];
    only(&tried_in(&folder.0), TrialCheck::Snapshot, &parts);
}

fn committed() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/search_content.json")
}

#[test]
fn a_recording_counts_together_with_its_clones() {
    let recording = RecordedEffects::new();
    recording.clone().record();
    assert_eq!(tool_runtime::testing::EffectCounter::count(&recording), 1);
}
