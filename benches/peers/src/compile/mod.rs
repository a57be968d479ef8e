//! What compiling a crate full of tools costs: the project's macros beside rmcp's.
//!
//! Two crates are written that hold the same tools, their dependencies are built, and then the
//! crates themselves are built again and again, in turn, so that both meet the same machine.

mod build;
mod crates;
mod shapes;

use std::path::PathBuf;
use std::time::Duration;
use std::{env, fs, process};

use build::{Crate, Took};

/// How often each build is repeated.
const ROUNDS: usize = 5;

/// Prints the table and the line; the words are a number of tools and a folder.
pub(crate) fn figure(words: &[&str]) -> Result<(), String> {
    let tools = match words.first() {
        None => 200,
        Some(text) => text.parse().map_err(|error| format!("{text}: {error}"))?,
    };
    let kept = words.get(1).map(PathBuf::from);
    let folder = kept
        .clone()
        .unwrap_or_else(|| env::temp_dir().join(format!("tool-peers-compile-{}", process::id())));
    let timed = time_both(tools, folder.clone());
    if kept.is_none() {
        // A folder that stays behind is the system's to clean.
        let _ = fs::remove_dir_all(&folder);
    }
    let [ours, rmcp] = timed?;
    print(tools, &ours, &rmcp);
    Ok(())
}

/// The times of one crate.
struct Times {
    dependencies: Took,
    clean: Vec<Took>,
    touched: Vec<Took>,
}

fn time_both(tools: usize, folder: PathBuf) -> Result<[Times; 2], String> {
    let mut both = [
        Crate::write(folder.join("ours"), crates::ours(tools))?,
        Crate::write(folder.join("rmcp"), crates::rmcp(tools))?,
    ];
    let mut times = Vec::new();
    for it in &mut both {
        it.fetch()?;
        let dependencies = it.build()?;
        it.holds(tools)?;
        times.push(Times { dependencies, clean: Vec::new(), touched: Vec::new() });
    }
    for round in 0..ROUNDS {
        for (it, times) in both.iter_mut().zip(&mut times) {
            it.clean()?;
            times.clean.push(it.build()?);
            it.touch(round)?;
            times.touched.push(it.build()?);
        }
    }
    times.try_into().map_err(|_| "two crates were timed".to_owned())
}

fn print(tools: usize, ours: &Times, rmcp: &Times) {
    println!("{tools} tools, cargo build, dev profile, best (median) of {ROUNDS} rounds");
    println!("{:<34}{:>18}{:>18}{:>8}", "seconds", "tool-runtime", "rmcp 3.9.0", "ratio");
    let line = |name: &str, ours: &[Took], rmcp: &[Took], of: fn(&Took) -> Duration| {
        let (ours, rmcp) = (Spread::of(ours, of), Spread::of(rmcp, of));
        let cell = |it: &Spread| format!("{:.2} ({:.2})", it.best, it.median);
        println!("{name:<34}{:>18}{:>18}{:>8.3}", cell(&ours), cell(&rmcp), ours.best / rmcp.best);
        (ours.best, rmcp.best)
    };
    let clean = line("the crate, clean", &ours.clean, &rmcp.clean, |took| took.wall);
    let clean_cpu = line("  of processor time", &ours.clean, &rmcp.clean, |took| took.processor);
    let touch = line("one module touched", &ours.touched, &rmcp.touched, |took| took.wall);
    let touch_cpu =
        line("  of processor time", &ours.touched, &rmcp.touched, |took| took.processor);
    let once = |times: &Times| format!("{:.1}", times.dependencies.processor.as_secs_f64());
    println!("{:<34}{:>18}{:>18}", "with dependencies, processor, once", once(ours), once(rmcp));
    println!(
        "compile: ours_clean={:.2}s rmcp_clean={:.2}s ratio_clean={:.3} ours_touch={:.2}s \
         rmcp_touch={:.2}s ratio_touch={:.3} ratio_clean_cpu={:.3} ratio_touch_cpu={:.3}",
        clean.0,
        clean.1,
        clean.0 / clean.1,
        touch.0,
        touch.1,
        touch.0 / touch.1,
        clean_cpu.0 / clean_cpu.1,
        touch_cpu.0 / touch_cpu.1,
    );
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
