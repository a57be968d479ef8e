//! Asks git for a lock that is missing in the working tree.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the last commit up to the current one that wrote a lock at this path, abbreviated.
///
/// Without git, outside of a repository, before the first commit and beyond the history of a shallow
/// clone there is none, as far as is known.
pub(super) fn last_with_lock(path: &Path) -> Option<String> {
    let name = path.file_name()?;
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut git = Command::new("git");
    // Set in git's hooks; the repository is the one of the folder.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let listed = git
        // A partial clone may lack trees; nothing is fetched.
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["log", "--max-count=1", "--format=%h", "--abbrev=12", "--full-history"])
        // A commit that added or changed the lock has it; settings of the user change nothing.
        .args(["--diff-filter=AM", "--no-renames", "--no-follow", "--no-show-signature"])
        .args(["--no-ext-diff", "--no-patch", "--no-color", "HEAD", "--"])
        .arg(name)
        .current_dir(folder.unwrap_or(Path::new(".")))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let commit = String::from_utf8(listed.stdout).ok().filter(|_| listed.status.success())?;
    let commit = commit.trim();
    (!commit.is_empty()).then(|| commit.to_owned())
}
