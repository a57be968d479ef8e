//! Asks git for a lock that is missing in the working tree.

use std::path::Path;
use std::process::{Command, Stdio};

/// Returns whether the current commit has a lock at this path.
///
/// Without git, outside of a repository and before the first commit it has none, as far as is known.
pub(super) fn has_lock(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut git = Command::new("git");
    // Set in git's hooks; the repository is the one of the folder.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let listed = git
        // A partial clone has the trees that it needs; nothing is fetched.
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(["ls-tree", "--name-only", "HEAD", "--"])
        .arg(name)
        .current_dir(folder.unwrap_or(Path::new(".")))
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    listed.is_ok_and(|listed| listed.status.success() && !listed.stdout.is_empty())
}
