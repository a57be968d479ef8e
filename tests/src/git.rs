//! Repositories of git in temporary folders, for tests that merge branches.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

/// Returns whether git is installed.
#[must_use]
pub fn is_installed() -> bool {
    Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A repository that is removed after the test. Its first branch is `main`.
#[derive(Debug)]
pub struct Repository(PathBuf);

/// The result of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// git merged all files.
    Clean,
    /// At least one file has conflict markers.
    Conflicts,
}

impl Repository {
    /// Creates a repository with one commit of an empty file `README`.
    ///
    /// # Panics
    /// Panics if git is not installed or fails.
    #[must_use]
    pub fn create() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let unique = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("tools-git-{}-{unique}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        let repository = Self(folder);
        repository.run(&["init", "--quiet", "--initial-branch=main"]);
        fs::write(repository.at("README"), "").expect("a file");
        repository.commit();
        repository
    }

    /// Returns the path of a file.
    #[must_use]
    pub fn at(&self, file: &str) -> PathBuf {
        self.0.join(file)
    }

    /// Creates a branch of `main`, and checks it out.
    pub fn branch(&self, name: &str) {
        self.run(&["checkout", "--quiet", "-b", name, "main"]);
    }

    /// Checks out a branch.
    pub fn checkout(&self, name: &str) {
        self.run(&["checkout", "--quiet", name]);
    }

    /// Commits all files.
    pub fn commit(&self) {
        self.run(&["add", "--all"]);
        self.run(&["commit", "--quiet", "--allow-empty", "--message=change"]);
    }

    /// Merges a branch into the current one.
    #[must_use]
    pub fn merge(&self, branch: &str) -> Merge {
        let output = self.git(&["merge", "--quiet", "--no-edit", branch]);
        if output.status.success() { Merge::Clean } else { Merge::Conflicts }
    }

    /// Runs a command of git.
    ///
    /// # Panics
    /// Panics if the command fails.
    pub fn run(&self, arguments: &[&str]) {
        let _ = self.output(arguments);
    }

    /// Runs a command of git, and returns what it prints.
    ///
    /// # Panics
    /// Panics if the command fails.
    #[must_use]
    pub fn output(&self, arguments: &[&str]) -> String {
        let output = self.git(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn git(&self, arguments: &[&str]) -> Output {
        let nowhere = Path::new("/dev/null");
        Command::new("git")
            .args(["-c", "user.name=test", "-c", "user.email=test@example.com"])
            .args(["-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(&self.0)
            .env("GIT_CONFIG_GLOBAL", nowhere)
            .env("GIT_CONFIG_SYSTEM", nowhere)
            .env_remove("GIT_DIR")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("GIT_WORK_TREE")
            .output()
            .expect("git is installed")
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
