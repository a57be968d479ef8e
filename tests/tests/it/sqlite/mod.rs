//! The store in a file: its data, the files that it rejects, and several processes.

mod behaviour;
mod crash;
mod damage;
mod files;
mod log;
mod race;
mod sealed;
mod sessions;
mod time;
mod transactions;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Fence, ScopedKey, Settlement, SqliteStore, StoreError,
    StoreErrorKind, StoredAnswer, UnixMillis,
};

const START: UnixMillis = UnixMillis::new(1_800_000_000_000);
const LEASE: Duration = Duration::from_secs(60);

/// Names what a child process of a test does, and where.
const ROLE: &str = "TOOL_TESTS_ROLE";
const FOLDER: &str = "TOOL_TESTS_FOLDER";

/// A folder that is removed at the end of its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tool-tests-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("tools.db")
    }

    pub(crate) fn open(&self) -> SqliteStore {
        SqliteStore::open(self.file()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs this program again, to play a part in another process: the test of that name.
fn child(program: PathBuf, role: &str, folder: &Folder) -> Command {
    let mut command = Command::new(program);
    command
        .args(["--exact", role, "--nocapture"])
        .env(ROLE, role)
        .env(FOLDER, &folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command
}

pub(crate) fn spawn(role: &str, folder: &Folder) -> Child {
    child(std::env::current_exe().unwrap(), role, folder).spawn().unwrap()
}

/// Returns the folder in a process that was started for this role.
pub(crate) fn played(role: &str) -> Option<PathBuf> {
    let plays = std::env::var_os(ROLE).is_some_and(|played| played == role);
    plays.then(|| PathBuf::from(std::env::var_os(FOLDER).unwrap()))
}

fn key(name: &str) -> ScopedKey {
    ScopedKey::new(Uuid::nil(), "user:42", "orders.place", name)
}

fn request(name: &str) -> ClaimRequest {
    ClaimRequest::new(key(name), Digest::compute("test", b"arguments"), START, LEASE)
}

fn answered(text: &str) -> Settlement {
    Settlement::Answered {
        answer: StoredAnswer::succeeded(text.as_bytes().to_vec(), b"{}".to_vec()),
        keep_until: START.after(LEASE),
    }
}

#[track_caller]
fn fence(claimed: &ClaimOutcome) -> Fence {
    match claimed {
        ClaimOutcome::Acquired(fence) | ClaimOutcome::TakenOver(fence) => *fence,
        other => panic!("the key was not claimed: {other:?}"),
    }
}

#[track_caller]
fn check_refused<T: std::fmt::Debug>(
    result: Result<T, StoreError>,
    kind: StoreErrorKind,
    says: &str,
) {
    let error = result.expect_err("the store should have refused");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.log().contains(says), "{error}");
}
