//! Crashes at every byte, failing disks, and files that other programs touch.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use tool_runtime_core::store::{StoreError, StoreErrorKind};
use tool_runtime_schema::canonical::Digest;

use super::line_index::LineIndex;
use super::writer::DiskFailure;
use super::{JsonLinesLedger, files};
use crate::ledger::stores::temp_folder::{TempFolder, entries};
use crate::ledger::{ChainEntry, LedgerStore};

/// Makes a ledger with these entries in a new file.
fn written(folder: &TempFolder, entries: &[ChainEntry]) -> PathBuf {
    let path = folder.file("calls.jsonl");
    open(&path).append(entries).unwrap();
    path
}

fn open(path: &Path) -> JsonLinesLedger {
    JsonLinesLedger::options().sync(false).open(path).unwrap()
}

fn all(ledger: &mut JsonLinesLedger) -> Vec<ChainEntry> {
    ledger.read(0, 1_000).unwrap()
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    format!("{}{ending}", path.display()).into()
}

/// Appends bytes to a file, as another program would.
fn add(path: &Path, bytes: &[u8]) {
    File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[track_caller]
fn check_refused<T>(result: Result<T, StoreError>, kind: StoreErrorKind, text: &str) {
    let error = result.err().expect("it should be refused");
    assert_eq!(error.kind(), kind, "{error}");
    assert!(error.log().contains(text), "{error}");
}

#[test]
fn a_line_is_as_it_is_documented() {
    let folder = TempFolder::new();
    let (leaf, mac) = (Digest::from_bytes([0x0a; 32]), [0xf1; 32]);
    let entry = |seq, body| ChainEntry::from_parts(seq, body, leaf, "2025-\"07\"", mac);
    let mut ledger = open(&folder.file("calls.jsonl"));
    ledger
        .append(&[entry(0, Some("{\"a\":1.50}")), entry(1, Some("{\n}")), entry(2, None)])
        .unwrap();
    let head = |seq| {
        let (leaf, mac) = ("0a".repeat(32), "f1".repeat(32));
        format!(r#"{{"seq":{seq},"leaf":"{leaf}","key":"2025-\"07\"","mac":"{mac}","#)
    };
    let endings = [r#""record":{"a":1.50}}"#, r#""text":"{\n}"}"#, r#""record":null}"#];
    let lines = (0..).zip(endings).map(|(seq, ending)| format!("{}{ending}\n", head(seq)));
    let text = fs::read_to_string(folder.file("calls.jsonl")).unwrap();
    assert_eq!(text, lines.collect::<String>());
}

#[test]
fn everything_is_there_when_the_file_is_opened_again() {
    let (folder, entries) = (TempFolder::new(), entries(5));
    let path = written(&folder, &entries[..3]);
    let mut ledger = open(&path);
    assert_eq!((ledger.count().unwrap(), ledger.torn_bytes()), (3, 0));
    ledger.append(&entries[3..]).unwrap();
    drop(ledger);
    assert_eq!(all(&mut open(&path)), entries);
    assert!(!beside(&path, ".torn").exists());
}

#[test]
fn a_last_line_that_is_torn_anywhere_is_set_aside() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries);
    let whole = fs::read(&path).unwrap();
    let two = whole.len() - whole.split_inclusive(|byte| *byte == b'\n').next_back().unwrap().len();
    for end in two..whole.len() {
        let path = folder.file(&format!("torn-at-{end}.jsonl"));
        fs::write(&path, &whole[..end]).unwrap();
        let mut ledger = open(&path);
        assert_eq!(ledger.torn_bytes(), (end - two) as u64, "torn at {end}");
        assert_eq!(all(&mut ledger), entries[..2], "torn at {end}");
        ledger.append(&entries[2..]).unwrap();
        drop(ledger);
        assert_eq!(fs::read(&path).unwrap(), whole, "torn at {end}");
        let aside = fs::read(beside(&path, ".torn")).unwrap_or_default();
        let expected = [&whole[two..end], b"\n"].concat();
        assert!(if end == two { aside.is_empty() } else { aside == expected }, "torn at {end}");
    }
}

#[test]
fn a_torn_line_set_aside_before_stays() {
    let (folder, entries) = (TempFolder::new(), entries(1));
    let path = written(&folder, &entries);
    let (first, second) = (r#"{"seq":1,"leaf":"0"#, r#"{"seq":1"#);
    for torn in [first, second] {
        add(&path, torn.as_bytes());
        assert_eq!(open(&path).torn_bytes(), torn.len() as u64);
    }
    let aside = fs::read_to_string(beside(&path, ".torn")).unwrap();
    assert_eq!(aside, format!("{first}\n{second}\n"));
    assert_eq!(all(&mut open(&path)), entries);
}

#[test]
fn zeros_with_other_bytes_behind_them_are_damage_that_is_named_and_left_where_it_is() {
    // Much follows the hole, so that it is not read at once.
    let (folder, entries) = (TempFolder::new(), entries(1_000));
    let path = written(&folder, &entries);
    let whole = fs::read(&path).unwrap();
    let third = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
    for hole in [third + 5..third + 6, third + 5..third + 50, third - 1..third] {
        let mut bytes = whole.clone();
        bytes[hole.clone()].fill(0);
        fs::write(&path, &bytes).unwrap();
        // The line break of line 2 is one of its bytes.
        let text = format!("line {} contains zero bytes", if hole.start < third { 2 } else { 3 });
        check_refused(JsonLinesLedger::open(&path), StoreErrorKind::Damaged, &text);
        let mut reader = JsonLinesLedger::read_only(&path).unwrap();
        check_refused(reader.read(0, 10), StoreErrorKind::Damaged, "is not a ledger's");
        assert_eq!(reader.torn_bytes(), 0);
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(!beside(&path, ".torn").exists());
    }
}

#[test]
fn zeros_up_to_the_end_are_what_the_disk_never_got() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries);
    let whole = fs::read(&path).unwrap();
    for (torn, zeros) in [(0, 1), (0, 5_000), (30, 1), (30, 100_000)] {
        let tail = [&whole[..torn], &vec![0; zeros]].concat();
        fs::write(&path, [&*whole, &tail].concat()).unwrap();
        let ledger = open(&path);
        assert_eq!(ledger.torn_bytes(), (torn + zeros) as u64);
        drop(ledger);
        assert_eq!(fs::read(&path).unwrap(), whole);
    }
}

#[test]
fn a_whole_record_without_its_line_break_is_not_moved_for_what_stands_behind_it() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries);
    let whole = fs::read(&path).unwrap();
    let record = &whole[..whole.len() - 1];
    for behind in [&b"\0"[..], b"x", b"\0\0\0", b"\0x", b"{\"seq\":3"] {
        let bytes = [record, behind].concat();
        fs::write(&path, &bytes).unwrap();
        check_refused(JsonLinesLedger::open(&path), StoreErrorKind::Damaged, "line 3 (from byte");
        check_refused(
            JsonLinesLedger::read_only(&path),
            StoreErrorKind::Damaged,
            "line 3 (from byte",
        );
        assert_eq!(fs::read(&path).unwrap(), bytes);
        assert!(!beside(&path, ".torn").exists());
    }
}

#[test]
fn a_group_that_the_disk_does_not_take_leaves_nothing_and_is_tried_again() {
    let (folder, entries) = (TempFolder::new(), entries(4));
    let path = written(&folder, &entries[..1]);
    let before = fs::read(&path).unwrap();
    let mut ledger = open(&path);
    let failures = (0..=600).step_by(7).map(DiskFailure::Write).chain([DiskFailure::Sync]);
    for failure in failures {
        ledger.writer.as_mut().unwrap().disk_failure = Some(failure);
        ledger.append(&entries[1..]).expect_err("the disk fails");
        assert_eq!(fs::read(&path).unwrap(), before, "{failure:?}");
        assert_eq!(all(&mut ledger), entries[..1], "{failure:?}");
    }
    ledger.writer.as_mut().unwrap().disk_failure = None;
    ledger.append(&entries[1..]).unwrap();
    assert_eq!(all(&mut ledger), entries);
}

#[test]
fn a_full_disk_is_told_from_others() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let mut ledger = open(&written(&folder, &entries[..1]));
    ledger.writer.as_mut().unwrap().disk_failure = Some(DiskFailure::Write(9));
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Full, "calls.jsonl");
    ledger.writer.as_mut().unwrap().disk_failure = Some(DiskFailure::Sync);
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Unavailable, "calls.jsonl");
}

#[test]
fn a_failed_append_is_rolled_back_before_the_next_group() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries[..1]);
    let mut ledger = open(&path);
    let file = std::mem::replace(&mut ledger.file, File::open(&path).unwrap());
    for _ in 0..2 {
        ledger.append(&entries[1..]).expect_err("the file cannot be written, nor cut");
    }
    add(&path, b"half of a line that was written");
    ledger.file = file;
    ledger.append(&entries[1..]).unwrap();
    drop(ledger);
    let mut ledger = open(&path);
    assert_eq!((all(&mut ledger), ledger.torn_bytes()), (entries, 0));
}

#[test]
fn a_crash_while_contents_are_given_up_leaves_the_ledger_as_it_was() {
    let (folder, entries) = (TempFolder::new(), entries(4));
    let path = written(&folder, &entries);
    let before = fs::read(&path).unwrap();
    open(&path).erase(2).unwrap();
    let after = fs::read(&path).unwrap();
    for end in 0..=after.len() {
        fs::write(&path, &before).unwrap();
        fs::write(beside(&path, ".new"), &after[..end]).unwrap();
        let mut ledger = open(&path);
        assert_eq!(all(&mut ledger), entries, "crashed after {end} bytes");
        assert!(!beside(&path, ".new").exists(), "crashed after {end} bytes");
    }
    fs::write(beside(&path, ".new"), &after).unwrap();
    fs::rename(beside(&path, ".new"), &path).unwrap();
    let found = all(&mut open(&path));
    assert_eq!(found.iter().filter(|entry| entry.body().is_none()).count(), 2);
}

#[test]
fn contents_that_cannot_be_given_up_stay_and_the_ledger_goes_on() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries[..2]);
    let mut ledger = open(&path);
    fs::create_dir(beside(&path, ".new")).unwrap();
    ledger.erase(1).expect_err("the new file cannot be made");
    assert_eq!(all(&mut ledger), entries[..2]);
    ledger.append(&entries[2..]).unwrap();
    fs::remove_dir(beside(&path, ".new")).unwrap();
    assert_eq!(ledger.erase(2).unwrap(), 2);
    assert_eq!(all(&mut ledger)[2..], entries[2..]);
}

#[test]
fn contents_that_were_given_up_are_nowhere_in_the_folder() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries);
    assert_eq!(open(&path).erase(2).unwrap(), 2);
    let mut texts = fs::read_dir(&folder.0)
        .unwrap()
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
    assert!(!texts.any(|text| text.contains(r#""number":1}"#)));
}

#[test]
fn a_second_writer_is_told_of_the_first() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let path = written(&folder, &entries[..1]);
    let mut first = open(&path);
    let text = format!("process {} writes this ledger", std::process::id());
    check_refused(JsonLinesLedger::open(&path), StoreErrorKind::Unavailable, &text);
    first.erase(1).unwrap();
    check_refused(JsonLinesLedger::open(&path), StoreErrorKind::Unavailable, &text);
    first.append(&entries[1..]).unwrap();
    drop(first);
    assert_eq!(open(&path).count().unwrap(), 2);
}

#[cfg(unix)]
#[test]
fn a_second_writer_by_another_name_is_found_out() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let path = written(&folder, &entries);
    let link = folder.file("link.jsonl");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let mut first = open(&link);
    check_refused(
        JsonLinesLedger::open(&path),
        StoreErrorKind::Unavailable,
        "a ledger has one writer",
    );
    first.erase(1).unwrap();
    assert!(link.is_symlink(), "contents are given up in the file, not in its link");
}

#[test]
fn a_reader_needs_no_lock_and_changes_nothing() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries[..2]);
    let mut writer = open(&path);
    add(&path, b"{\"seq\":2,");
    let before = fs::read(&path).unwrap();
    let mut reader = JsonLinesLedger::read_only(&path).unwrap();
    assert_eq!((all(&mut reader), reader.torn_bytes()), (entries[..2].to_vec(), 9));
    check_refused(reader.append(&entries[2..]), StoreErrorKind::ReadOnly, "open it to write");
    check_refused(reader.erase(1), StoreErrorKind::ReadOnly, "open it to write");
    assert_eq!(fs::read(&path).unwrap(), before);

    fs::write(&path, &before[..before.len() - 9]).unwrap();
    writer.erase(1).unwrap();
    writer.append(&entries[2..]).unwrap();
    assert_eq!(all(&mut reader), entries[..2], "a reader sees the file as it was opened");
    assert_eq!(all(&mut JsonLinesLedger::read_only(&path).unwrap()).len(), 3);
}

#[test]
fn a_reader_makes_no_file() {
    let folder = TempFolder::new();
    let absent = JsonLinesLedger::read_only(folder.file("absent.jsonl"));
    check_refused(absent, StoreErrorKind::Unavailable, "absent.jsonl");
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_file_that_was_moved_away_takes_no_more() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let path = written(&folder, &entries[..1]);
    let (mut ledger, moved) = (open(&path), folder.file("calls.1.jsonl"));
    fs::rename(&path, &moved).unwrap();
    let text = "no longer at its path";
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Unavailable, text);
    fs::copy(&moved, &path).unwrap();
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Unavailable, text);
    check_refused(ledger.erase(1), StoreErrorKind::Unavailable, text);
    fs::rename(&moved, &path).unwrap();
    ledger.append(&entries[1..]).unwrap();
}

#[test]
fn a_file_that_others_write_to_takes_no_more() {
    let (folder, entries) = (TempFolder::new(), entries(2));
    let path = written(&folder, &entries[..1]);
    let mut ledger = open(&path);
    add(&path, b"\n");
    let text = "another process writes to it";
    check_refused(ledger.append(&entries[1..]), StoreErrorKind::Damaged, text);
    check_refused(ledger.erase(1), StoreErrorKind::Damaged, text);
}

#[test]
fn a_file_that_is_no_ledger_is_refused_and_left_unchanged() {
    let folder = TempFolder::new();
    for (number, bytes) in
        [&b"a letter to a friend"[..], b"\0\0\0\0", b"\n", b"{\"level\":\"info\"}\n"]
            .into_iter()
            .enumerate()
    {
        let path = folder.file(&format!("{number}.txt"));
        fs::write(&path, bytes).unwrap();
        check_refused(JsonLinesLedger::open(&path), StoreErrorKind::Damaged, "begin like a ledger");
        check_refused(
            JsonLinesLedger::read_only(&path),
            StoreErrorKind::Damaged,
            "begin like a ledger",
        );
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_line_that_is_no_entry_is_named() {
    let (folder, entries) = (TempFolder::new(), entries(3));
    let path = written(&folder, &entries);
    let whole = fs::read_to_string(&path).unwrap();
    let altered = [
        whole.replacen(r#""seq":1"#, r#""seq":-1"#, 1),
        whole.replacen(r#"{"seq":1"#, r#"{"more":1,"seq":1"#, 1),
        whole.replacen(r#"{"seq":1"#, r#"{"text":"{}","seq":1"#, 1),
        whole.replacen(r#"{"seq":1"#, r#"{"seq":1,"seq":1"#, 1),
    ];
    for text in altered {
        assert_ne!(text, whole);
        fs::write(&path, &text).unwrap();
        let mut ledger = open(&path);
        check_refused(ledger.read(0, 10), StoreErrorKind::Damaged, "line 2 is not a ledger's");
        check_refused(ledger.erase(3), StoreErrorKind::Damaged, "line 2 is not a ledger's");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(!beside(&path, ".new").exists());
        assert_eq!(ledger.read(0, 1).unwrap(), entries[..1]);
    }
}

#[test]
fn pages_show_the_file_as_it_is_when_lines_were_moved_or_removed() {
    let (folder, entries) = (TempFolder::new(), entries(8));
    let path = written(&folder, &entries);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    for order in [vec![0, 1, 3, 4, 5, 6, 7], vec![0, 2, 1, 3, 4, 5, 6, 7], vec![0, 1, 2, 2, 3, 4]] {
        fs::write(&path, order.iter().map(|line| lines[*line]).collect::<String>()).unwrap();
        for limit in 1..9 {
            let (mut ledger, mut found, mut from) = (open(&path), Vec::new(), 0);
            while let page @ [.., last] = ledger.read(from, limit).unwrap().as_slice() {
                assert!(found.len() < 8, "pages of {limit} come to an end");
                found.extend(page.iter().map(|entry| usize::try_from(entry.seq()).unwrap()));
                from = last.seq() + 1;
            }
            assert_eq!(found, order, "pages of {limit}");
        }
    }
}

#[cfg(unix)]
#[test]
fn files_are_for_their_owner_alone_and_stay_as_they_were_set() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (folder, entries) = (TempFolder::new(), entries(2));
    let path = written(&folder, &entries);
    add(&path, br#"{"seq":2"#);
    let mut ledger = open(&path);
    for path in [&path, &beside(&path, ".lock"), &beside(&path, ".torn")] {
        assert_eq!(mode(path), 0o600, "{}", path.display());
    }
    ledger.erase(1).unwrap();
    assert_eq!(mode(&path), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    ledger.erase(2).unwrap();
    assert_eq!(mode(&path), 0o640);
}

#[test]
fn marks_are_bounded_and_lead_to_the_lines() {
    let mut line_index = LineIndex::empty();
    let lines = 1_024 * 8_192 * 2 + 5;
    for _ in 0..lines {
        line_index.add(10);
    }
    assert_eq!((line_index.lines, line_index.length), (lines, lines * 10));
    for line in [0, 1, 4_095, 4_096, 1_000_000, lines - 1, lines, u64::MAX] {
        let place = line_index.before(line);
        assert_eq!(place.offset, place.line * 10);
        assert!(place.line <= line && line.min(lines) - place.line < 4_096, "{line}: {place:?}");
    }
}

#[test]
fn a_folder_without_a_name_is_the_one_at_hand() {
    files::sync_folder(Path::new("calls.jsonl")).unwrap();
}
