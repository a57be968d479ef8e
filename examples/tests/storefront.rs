//! Tests of the storefront's program: several processes in turn on the same files.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A folder for one test, new each time.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder is removed");
    }
    fs::create_dir_all(&folder).expect("a new folder");
    folder
}

/// Runs the program over the files of a folder, and returns its transcript.
#[track_caller]
fn run(folder: &PathBuf, options: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_storefront"));
    let ran = program.current_dir(folder).args(["--db", "shop.db"]).args(options).output();
    let ran = ran.expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("UTF-8")
}

const ONE_ORDER: &str = "The order service has 1 order.\n  D16290 for EUR 7";

#[test]
fn a_second_run_ends_with_the_order_of_the_first() {
    let folder = folder("second-run");
    let first = run(&folder, &["--yes"]);
    assert!(first.contains("(demo approves; no person was asked)"), "{first}");
    assert!(first.contains("(attempts: 2)") && first.contains("(cache hit: "), "{first}");
    let second = run(&folder, &["--yes"]);
    assert!(!second.contains("demo says yes"), "{second}");
    for transcript in [first, second] {
        assert!(transcript.contains("order_id: order-1\n"), "{transcript}");
        assert!(transcript.contains("(replayed: "), "{transcript}");
        assert!(transcript.contains(ONE_ORDER), "{transcript}");
    }
}

#[test]
fn a_ticket_waits_for_a_name_in_another_process() {
    let folder = folder("ticket");
    let deferred = run(&folder, &["--defer"]);
    assert!(deferred.contains("NEEDS_USER_CONFIRMATION"), "{deferred}");
    let unnamed = run(&folder, &["--resume", "shop.ticket"]);
    assert!(unnamed.contains("The order service has 0 orders."), "{unnamed}");
    let approve = ["--resume", "shop.ticket", "--approve", "jane"];
    let approved = run(&folder, &approve);
    assert!(approved.contains("(jane says yes)"), "{approved}");
    let used = run(&folder, &approve);
    assert!(used.contains("FORBIDDEN: the ticket was used before"), "{used}");
    for transcript in [approved, used] {
        assert!(transcript.contains(ONE_ORDER), "{transcript}");
    }
}
