//! Tests of the `trace` program on the storefront's records.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, new each time.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{name}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder is removed");
    }
    fs::create_dir_all(&folder).expect("a new folder");
    folder
}

/// Plays the storefront in a folder, and returns its transcript.
#[track_caller]
fn play(folder: &Path, options: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_storefront"));
    let played = program.current_dir(folder).args(options).env_remove("STOREFRONT_KEY").output();
    let played = played.expect("it starts");
    assert!(played.status.success(), "{}", String::from_utf8_lossy(&played.stderr));
    String::from_utf8(played.stdout).expect("UTF-8")
}

fn look(folder: &Path, options: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_trace"));
    let looked = program.current_dir(folder).args(options).env_remove("STOREFRONT_KEY").output();
    looked.expect("it starts")
}

/// Inspects the records, and returns the output.
#[track_caller]
fn check(folder: &Path, options: &[&str], code: i32) -> String {
    let looked = look(folder, options);
    let (printed, said) = (text(looked.stdout), text(looked.stderr));
    assert_eq!(looked.status.code(), Some(code), "{printed}{said}");
    printed
}

/// Runs with invalid options, and returns the error.
#[track_caller]
fn misuse(folder: &Path, options: &[&str]) -> String {
    let looked = look(folder, options);
    assert_eq!(looked.status.code(), Some(2), "{}", text(looked.stdout));
    text(looked.stderr)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("UTF-8")
}

/// Returns the ids of the requests of a transcript, in order.
fn requests(transcript: &str) -> Vec<&str> {
    let ids = transcript.lines().filter_map(|line| line.strip_prefix("request "));
    ids.filter_map(|line| line.split(',').next()).collect()
}

const LEDGER: [&str; 2] = ["--ledger", "shop.jsonl"];

#[test]
fn every_request_is_a_trace_that_fits_the_terminal() {
    let folder = folder("timeline");
    let transcript = play(&folder, &["--yes", "--ledger", "shop.jsonl"]);
    let printed = check(&folder, &LEDGER, 0);
    let shown: Vec<_> = printed.lines().filter_map(|line| line.strip_prefix("trace ")).collect();
    assert_eq!(shown, requests(&transcript));
    assert!(printed.lines().all(|line| line.chars().count() <= 100), "{printed}");
    for part in ["from the cache", "given before", "2 attempts", "allowed by demo", "PRICE_CHANGED"]
    {
        assert!(printed.contains(part), "{part}: {printed}");
    }
    for personal in ["Erika", "Unter den Linden", "Ivan"] {
        assert!(!printed.contains(personal), "{printed}");
    }
    let one = check(&folder, &[&LEDGER[..], &["--trace", shown[1]]].concat(), 0);
    assert_eq!(one.lines().filter(|line| line.starts_with("trace ")).count(), 1, "{one}");
    assert!(one.contains("5 calls"), "{one}");
}

#[test]
fn a_read_of_goods_sold_since_drifts_and_the_order_is_skipped() {
    let folder = folder("drifted");
    let transcript = play(&folder, &["--yes", "--db", "shop.db"]);
    let [first, second, order, ..] = requests(&transcript)[..] else { panic!("{transcript}") };
    let replay = ["--ledger", "shop.db", "--replay", "--trace"];
    let printed = check(&folder, &[&replay[..], &[first]].concat(), 1);
    assert!(printed.contains("drifted  the current output differs:"), "{printed}");
    assert!(printed.contains("      replace /price: null\n"), "{printed}");
    let printed = check(&folder, &[&replay[..], &[second]].concat(), 1);
    assert!(printed.contains("drifted  an output then, OUT_OF_STOCK now"), "{printed}");
    let printed = check(&folder, &[&replay[..], &[order]].concat(), 0);
    assert!(printed.contains("1 call: 1 skipped"), "{printed}");
}

#[test]
fn a_shop_that_is_as_it_was_answers_the_same_and_the_replay_is_on_the_record() {
    let folder = folder("same");
    let transcript = play(&folder, &["--yes", "--ledger", "shop.jsonl"]);
    let second = requests(&transcript)[1];
    let who = ["--replay", "--by", "jane", "--reason", "complaint 4711", "--trace", second];
    let printed = check(&folder, &[&LEDGER[..], &who].concat(), 0);
    assert!(printed.contains("5 calls: 5 same"), "{printed}");
    let written = fs::read_to_string(folder.join("shop.jsonl")).expect("a ledger");
    assert!(written.contains(r#""by":"jane","reason":"complaint 4711""#));
    let again = check(&folder, &[&LEDGER[..], &["--trace", second]].concat(), 0);
    assert!(again.contains("5 calls of replays not shown"), "{again}");
    check(&folder, &[&LEDGER[..], &["--verify"]].concat(), 0);
}

#[test]
fn a_record_that_was_changed_is_found() {
    let folder = folder("changed");
    play(&folder, &["--yes", "--ledger", "shop.jsonl"]);
    let file = folder.join("shop.jsonl");
    let written = fs::read_to_string(&file).expect("a ledger");
    fs::write(&file, written.replacen("PRICE_CHANGED", "OUT_OF_STOCK", 1)).expect("it is changed");
    let printed = check(&folder, &[&LEDGER[..], &["--verify"]].concat(), 1);
    assert!(printed.contains("is NOT as it was written: record "), "{printed}");
}

#[test]
fn records_that_were_cut_off_are_missed_by_whoever_has_a_checkpoint() {
    let folder = folder("cut-off");
    play(&folder, &["--yes", "--ledger", "shop.jsonl"]);
    check(&folder, &[&LEDGER[..], &["--export-checkpoint", "signed.json"]].concat(), 0);
    let compared = [&LEDGER[..], &["--verify", "--checkpoint", "signed.json"]].concat();
    check(&folder, &compared, 0);
    let file = folder.join("shop.jsonl");
    let written = fs::read_to_string(&file).expect("a ledger");
    let kept: String = written.lines().take(10).flat_map(|line| [line, "\n"]).collect();
    fs::write(&file, kept).expect("it is cut");
    check(&folder, &[&LEDGER[..], &["--verify"]].concat(), 0);
    let printed = check(&folder, &compared, 1);
    assert!(printed.contains("is NOT as it was written"), "{printed}");
}

#[test]
fn a_call_that_somebody_allowed_later_is_on_its_own_trace() {
    let folder = folder("ticket");
    play(&folder, &["--defer", "--db", "shop.db"]);
    play(&folder, &["--db", "shop.db", "--resume", "shop.ticket", "--approve", "jane"]);
    let printed = check(&folder, &["--ledger", "shop.db"], 0);
    assert_eq!(printed.matches("\ntrace ").count(), 1, "{printed}");
    let lines: Vec<_> = printed.lines().collect();
    let names_its_ticket = |pair: &[&str]| {
        pair[0].ends_with("waits for approval") && pair[1].trim_start().starts_with("ticket ")
    };
    assert!(lines.windows(2).any(names_its_ticket), "{printed}");
    assert!(printed.contains("allowed by jane at +"), "{printed}");
}

#[test]
fn an_unusable_option_or_file_is_refused_with_a_reason() {
    let folder = folder("misuse");
    play(&folder, &["--yes", "--ledger", "shop.jsonl"]);
    let cases: [(&[&str], &str); 5] = [
        (&[], "--ledger is missing"),
        (&["--ledger", "none.jsonl"], "none.jsonl: "),
        (&["--ledger", "shop.jsonl", "--db", "none.db"], "none.db: "),
        (&["--ledger", "shop.jsonl", "--trace", "none"], "no call of the trace none"),
        (&["--ledger", "shop.jsonl", "--verify", "--checkpoint", "shop.jsonl"], "no checkpoint"),
    ];
    for (options, expected) in cases {
        let said = misuse(&folder, options);
        assert!(said.starts_with("trace: ") && said.contains(expected), "{said}");
    }
    fs::remove_file(folder.join("shop.key")).expect("a key");
    let said = misuse(&folder, &["--ledger", "shop.jsonl", "--verify"]);
    assert!(said.contains("there is no key: expected the file shop.key"), "{said}");
    assert!(!folder.join("shop.key").exists());
    let printed = check(&folder, &["--help"], 0);
    assert!(printed.contains("usage: trace --ledger FILE"), "{printed}");
}

#[cfg(unix)]
#[test]
fn the_key_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder("key");
    play(&folder, &["--yes", "--db", "shop.db"]);
    let mode = fs::metadata(folder.join("shop.key")).expect("a key").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
