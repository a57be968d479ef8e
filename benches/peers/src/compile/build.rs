//! A generated crate on disk, and the duration of its builds.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// The files of a crate to write.
#[derive(Debug)]
pub(super) struct Files {
    /// The package's name.
    pub(super) name: &'static str,
    /// `Cargo.toml`.
    pub(super) manifest: String,
    /// `src/main.rs`, and its modules.
    pub(super) sources: Vec<(String, String)>,
}

/// A crate on disk.
#[derive(Debug)]
pub(super) struct Crate {
    folder: PathBuf,
    name: &'static str,
    /// The module that is changed, with its generated text.
    touched: (PathBuf, String),
}

/// The duration of a build.
#[derive(Debug, Clone, Copy)]
pub(super) struct Took {
    /// Elapsed time.
    pub(super) wall: Duration,
    /// Processor time of cargo and its child processes; zero if the system does not report it.
    pub(super) processor: Duration,
}

/// The placeholder of the number that a change replaces.
pub(super) const TOUCHED: &str = "/* touched */ 0";

impl Crate {
    /// Writes the crate, with the dependency versions of the peers' own workspace.
    pub(super) fn write(folder: PathBuf, files: Files) -> Result<Self, String> {
        let said = |error: std::io::Error| format!("{}: {error}", folder.display());
        let sources = folder.join("src");
        fs::create_dir_all(&sources).map_err(said)?;
        fs::write(folder.join("Cargo.toml"), &files.manifest).map_err(said)?;
        let lock = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock");
        fs::copy(lock, folder.join("Cargo.lock")).map_err(said)?;
        let mut touched = None;
        for (name, text) in files.sources {
            let path = sources.join(name);
            fs::write(&path, &text).map_err(said)?;
            if text.contains(TOUCHED) {
                touched = Some((path, text));
            }
        }
        let touched = touched.ok_or("no module can be touched")?;
        Ok(Self { folder, name: files.name, touched })
    }

    /// Fetches the crate's dependencies, so that no build waits for them.
    pub(super) fn fetch(&self) -> Result<(), String> {
        self.cargo(&["fetch"]).map(drop)
    }

    /// Builds the crate and its missing dependencies.
    pub(super) fn build(&self) -> Result<Took, String> {
        self.timed("build")
    }

    /// Checks the crate, which generates no code.
    pub(super) fn check(&self) -> Result<Took, String> {
        self.timed("check")
    }

    fn timed(&self, how: &str) -> Result<Took, String> {
        let (wall, processor) = (Instant::now(), processor());
        self.cargo(&[how, "--offline"])?;
        Ok(Took { wall: wall.elapsed(), processor: self::processor().saturating_sub(processor) })
    }

    /// Removes the build of the crate itself, but not of its dependencies.
    pub(super) fn clean(&self) -> Result<(), String> {
        self.cargo(&["clean", "--offline", "--package", self.name]).map(drop)
    }

    /// Changes a number in a function's body in one module.
    pub(super) fn touch(&self, round: usize) -> Result<(), String> {
        let (path, text) = &self.touched;
        let text = text.replacen(TOUCHED, &(round + 1).to_string(), 1);
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Runs the crate, and checks the number of tools that it prints.
    pub(super) fn holds(&self, tools: usize) -> Result<(), String> {
        let printed = self.cargo(&["run", "--offline"])?;
        match printed.trim().parse::<usize>() {
            Ok(found) if found == tools => Ok(()),
            _ => Err(format!("{} has {printed} tools, not {tools}", self.name)),
        }
    }

    fn cargo(&self, words: &[&str]) -> Result<String, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
        let output = Command::new(cargo)
            .args(words)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join("target"))
            .env("CARGO_INCREMENTAL", "1")
            .output()
            .map_err(|error| format!("cargo does not start: {error}"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let told = String::from_utf8_lossy(&output.stderr);
        Err(format!("cargo {} in {}:\n{told}", words.join(" "), self.folder.display()))
    }
}

/// Returns the processor time of all finished child processes and their children.
fn processor() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets, the state is the first field, and the children's times are 14
    // and 15.
    let after = text.rsplit_once(") ").map_or("", |(_, after)| after);
    let words = after.split(' ').skip(13).take(2);
    let hundredths: u64 = words.filter_map(|word| word.parse::<u64>().ok()).sum();
    Duration::from_millis(hundredths * 10)
}
