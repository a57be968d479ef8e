//! The conformance suites on files, with the rusqlite and the SQLite that the package is built with.

use std::fs;
use std::path::PathBuf;

use tool_runtime::ledger::SqliteLedger;
use tool_runtime::store::SqliteOptions;
use tool_runtime::testing::conformance;

/// A folder that is removed at the end of its test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("companions-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).expect("a new folder");
        Self(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Checks every promise of the store and of the ledger.
pub async fn run(options: SqliteOptions) {
    let folder = Folder::new("suite");
    // Syncing is slow, and not part of the suites.
    let options = options.sync_commits(false);
    let store = options.clone().open(folder.file("tools.db")).expect("a new store");
    conformance::all(&store).await;
    conformance::quotas(&store).await;
    conformance::evidence(&store).await;
    let mut files = (0..).map(|number| folder.file(&format!("ledger-{number}.db")));
    let mut file = move || files.next().expect("numbers do not end");
    conformance::ledgers(|| SqliteLedger::open_with(file(), &options).expect("a new ledger"));
}
