//! Counts instructions: the binary runs itself under callgrind, which counts only one function.

use std::env;
use std::hint::black_box;
use std::process::Command;

/// The number of repetitions of the measured work, by which the count is divided.
pub const REPEATS: u64 = 200;

/// Runs this binary with `arguments` under callgrind; returns the instructions of one repetition.
///
/// # Errors
/// Valgrind is not installed, or the run failed; the error says which and what to do.
pub fn count(arguments: &[&str]) -> Result<u64, String> {
    let repeated = ["--collect-atstart=no", "--toggle-collect=*instructions::repeated*"];
    Ok(total(&repeated, arguments)? / REPEATS)
}

/// Returns the instructions of one repetition on all threads: the difference between a run with `repeats` and one with
/// twice as many, over `repeats`. The number is the last argument of this binary.
///
/// # Errors
/// Those of [`count`].
pub fn count_all_threads(arguments: &[&str], repeats: u64) -> Result<u64, String> {
    let total = |repeats: u64| {
        let repeats = repeats.to_string();
        let arguments: Vec<&str> = arguments.iter().copied().chain([repeats.as_str()]).collect();
        total(&[], &arguments)
    };
    Ok(total(2 * repeats)?.saturating_sub(total(repeats)?) / repeats)
}

/// Returns all instructions that callgrind counts.
fn total(options: &[&str], arguments: &[&str]) -> Result<u64, String> {
    let binary = env::current_exe()
        .map_err(|error| format!("cannot find the path of this binary: {error}"))?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(options)
        .arg(binary)
        .args(arguments)
        .output();
    let output = run.map_err(|error| {
        format!("instructions are counted by valgrind, which does not start ({error}): install it")
    })?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{arguments:?} failed under valgrind:\n{text}"));
    }
    let counted = text.lines().find_map(|line| line.split("Collected :").nth(1));
    counted
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| format!("valgrind printed no count:\n{text}"))
}

/// Warms up, then repeats the work that callgrind counts.
///
/// # Panics
/// The work fails.
pub fn measure<T>(mut work: impl FnMut() -> Option<T>) {
    for _ in 0..20 {
        assert!(black_box(work()).is_some(), "the measured work fails");
    }
    repeated(&mut work);
}

#[inline(never)]
fn repeated<T>(work: &mut impl FnMut() -> Option<T>) {
    for _ in 0..REPEATS {
        drop(black_box(work()));
    }
}
