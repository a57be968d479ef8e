//! Asks git for a lock that is missing in the working tree.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Returns the current commit if it has a lock at this path, or else the last commit before it that
/// wrote one: `HEAD`, or an abbreviated hash.
///
/// Without git, outside of a repository, before the first commit and beyond the history that a shallow
/// or partial clone has there is none, as far as is known.
pub(super) fn last_with_lock(path: &Path) -> Option<String> {
    let (folder, lock) = within_existing_folder(path)?;
    let lists = git(&folder, &["ls-tree", "--name-only", "HEAD"], &lock);
    if lists.is_some_and(|listed| !listed.trim().is_empty()) {
        return Some("HEAD".to_owned());
    }
    let log = [
        "log",
        "--max-count=1",
        "--format=%h",
        "--abbrev=12",
        // A commit that added or changed the lock has it, also a merge and the first commit.
        "--diff-filter=AM",
        "--full-history",
        "-m",
        "--root",
        // Settings of the user change nothing.
        "--no-renames",
        "--no-follow",
        "--no-show-signature",
        "--no-ext-diff",
        "--no-patch",
        "--no-color",
        "HEAD",
    ];
    let commits = git(&folder, &log, &lock)?;
    // A merge is listed once for each parent.
    commits.lines().next().map(str::to_owned).filter(|commit| !commit.is_empty())
}

/// Returns the nearest folder of a path that exists, and the rest of the path: a commit that removes
/// the only file of a folder removes the folder too.
fn within_existing_folder(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let here = Path::new(".");
    path.ancestors().skip(1).find_map(|ancestor| {
        let folder = if ancestor == Path::new("") { here } else { ancestor };
        let relative_path = path.strip_prefix(ancestor).ok()?;
        folder.is_dir().then(|| (folder.to_owned(), relative_path.to_owned()))
    })
}

/// Runs a command of git about a path below a folder; returns its output if it succeeds.
fn git(folder: &Path, arguments: &[&str], path: &Path) -> Option<String> {
    let mut git = Command::new("git");
    // Set in git's hooks; the repository is the one of the folder.
    for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        git.env_remove(variable);
    }
    let output = git
        // A partial clone may lack trees; nothing is fetched.
        .env("GIT_NO_LAZY_FETCH", "1")
        .args(arguments)
        .arg("--")
        .arg(path)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
}
