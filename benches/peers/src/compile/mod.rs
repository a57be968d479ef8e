//! The compile time of a crate full of tools: the project's macros compared with rmcp's.
//!
//! Two crates with the same tools are written, their dependencies are built, and then the crates
//! themselves are built repeatedly and alternately, so that both see the same machine.

mod build;
mod crates;
mod shapes;

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

use build::{Crate, Took};

/// The number of repetitions of each build.
const ROUNDS: usize = 5;

/// Prints the table and the line; the arguments are a number of tools and a folder.
pub(crate) fn figure(words: &[&str]) -> Result<(), String> {
    let tools = match words.first() {
        None => 200,
        Some(text) => text.parse().map_err(|error| format!("{text}: {error}"))?,
    };
    let kept = words.get(1).map(PathBuf::from);
    let folder = kept
        .clone()
        .unwrap_or_else(|| env::temp_dir().join(format!("tool-peers-compile-{}", process::id())));
    let timed = time_both(tools, &folder);
    if kept.is_none() {
        // The system cleans up a folder that cannot be removed.
        let _ = fs::remove_dir_all(&folder);
    }
    let [ours, rmcp] = timed?;
    print(tools, &ours, &rmcp);
    Ok(())
}

/// The times of one crate.
struct Times {
    dependencies: Took,
    checked: Vec<Took>,
    clean: Vec<Took>,
    touched: Vec<Took>,
}

fn time_both(tools: usize, folder: &Path) -> Result<[Times; 2], String> {
    let mut both = [
        Crate::write(folder.join("ours"), crates::ours(tools))?,
        Crate::write(folder.join("rmcp"), crates::rmcp(tools))?,
    ];
    let mut times = Vec::new();
    for it in &mut both {
        it.fetch()?;
        let dependencies = it.build()?;
        it.holds(tools)?;
        it.check()?;
        let [checked, clean, touched] = [const { Vec::new() }; 3];
        times.push(Times { dependencies, checked, clean, touched });
    }
    for round in 0..ROUNDS {
        for (it, times) in both.iter_mut().zip(&mut times) {
            it.clean()?;
            times.checked.push(it.check()?);
            times.clean.push(it.build()?);
            it.touch(round)?;
            times.touched.push(it.build()?);
        }
    }
    times.try_into().map_err(|_| "two crates were timed".to_owned())
}

fn print(tools: usize, ours: &Times, rmcp: &Times) {
    println!("{tools} tools, dev profile, best (median) of {ROUNDS} rounds, in seconds");
    println!("{:<34}{:>16}{:>16}{:>8}", "", "tool-runtime", "rmcp 3.11.0", "ratio");
    let line = |name: &str, of: fn(&Times) -> &[Took]| {
        let wall = Best::print(name, of(ours), of(rmcp), |took| took.wall);
        let processor = Best::print("  processor time", of(ours), of(rmcp), |took| took.processor);
        (wall, processor)
    };
    let (check, check_cpu) = line("cargo check, the crate", |times| &times.checked);
    let (clean, clean_cpu) = line("cargo build, the crate", |times| &times.clean);
    let (touch, touch_cpu) = line("cargo build, one module changed", |times| &times.touched);
    let once = |times: &Times| format!("{:.1}", times.dependencies.processor.as_secs_f64());
    let (ours, rmcp) = (once(ours), once(rmcp));
    println!("{:<34}{ours:>16}{rmcp:>16}", "all, once, processor time");
    println!(
        "compile: {clean} ratio_clean={:.3} {touch} ratio_touch={:.3} ratio_check={:.3} \
         ratio_clean_cpu={:.3} ratio_touch_cpu={:.3} ratio_check_cpu={:.3}",
        clean.ratio(),
        touch.ratio(),
        check.ratio(),
        clean_cpu.ratio(),
        touch_cpu.ratio(),
        check_cpu.ratio(),
        clean = clean.named("clean"),
        touch = touch.named("touch"),
    );
}

/// The best of both crates' builds, in seconds.
struct Best {
    ours: f64,
    rmcp: f64,
}

impl Best {
    /// Prints a row of the table.
    fn print(name: &str, ours: &[Took], rmcp: &[Took], of: fn(&Took) -> Duration) -> Self {
        let (ours, rmcp) = (Spread::of(ours, of), Spread::of(rmcp, of));
        let cell = |it: &Spread| format!("{:.2} ({:.2})", it.best, it.median);
        let best = Self { ours: ours.best, rmcp: rmcp.best };
        println!("{name:<34}{:>16}{:>16}{:>8.3}", cell(&ours), cell(&rmcp), best.ratio());
        best
    }

    fn ratio(&self) -> f64 {
        self.ours / self.rmcp
    }

    fn named(&self, name: &str) -> String {
        format!("ours_{name}={:.2}s rmcp_{name}={:.2}s", self.ours, self.rmcp)
    }
}

/// The best and the median of several builds, in seconds.
struct Spread {
    best: f64,
    median: f64,
}

impl Spread {
    fn of(builds: &[Took], what: fn(&Took) -> Duration) -> Self {
        let mut seconds: Vec<f64> = builds.iter().map(|took| what(took).as_secs_f64()).collect();
        seconds.sort_by(f64::total_cmp);
        let at = |index: usize| seconds.get(index).copied().unwrap_or(f64::NAN);
        Self { best: at(0), median: at(seconds.len() / 2) }
    }
}
