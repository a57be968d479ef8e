//! Checkpoints that leave the ledger by themselves: an older copy of it, or an empty one, is refused.

use std::fs;
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tool_runtime::ledger::{
    ChainFaultKind, CheckpointFile, CheckpointSink, ExportedCheckpoint, JsonLinesLedger, Ledger,
    LedgerBuilder, LedgerStore, NoteSigner, NoteVerifier, SqliteLedger, VerifyError, audit, verify,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::{SqliteStore, StoreError, StoreErrorKind};

use super::{TestLedger, ring};
use crate::sqlite::Folder;

/// Gives back a number.
#[ai_tool(effect = "read")]
async fn echo(
    /// The number.
    n: u64,
) -> u64 {
    n
}

async fn make_calls(ledger: &Ledger, calls: u64) {
    let runtime = Runtime::builder().tool::<EchoTool>().ledger(ledger).build().unwrap();
    let cx = ToolContext::builder(Uuid::from_u128(1), "trace-1").run_id("run-1").build().unwrap();
    for n in 0..calls {
        runtime.call("echo", format!(r#"{{"n":{n}}}"#), &cx).execute().await;
    }
    ledger.flush().await.unwrap();
}

fn builder(folder: &Path) -> LedgerBuilder {
    let sink = CheckpointFile::open(folder.join("ledger.checkpoints")).unwrap();
    Ledger::builder(ring()).checkpoint_every(7).checkpoint_sink(sink)
}

/// A kind of ledger: its file, and how to open it.
type Kind = (&'static str, fn(LedgerBuilder, &Path) -> Result<Ledger, StoreError>);

const KINDS: [Kind; 2] = [
    ("ledger.jsonl", |builder, path| {
        builder.open(JsonLinesLedger::options().sync(false).open(path).unwrap())
    }),
    ("ledger.db", |builder, path| {
        let options = SqliteStore::options().sync_commits(false);
        builder.open(SqliteLedger::open_with(path, &options).unwrap())
    }),
];

#[track_caller]
fn check_refused(opened: Result<Ledger, StoreError>, sizes: [u64; 2]) {
    let error = opened.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Damaged, "{error:?}");
    let log = error.log();
    for size in sizes {
        assert!(log.contains(&format!("{size} records with the root")), "{size}: {log}");
    }
}

#[tokio::test]
async fn a_ledger_that_was_rolled_back_or_emptied_is_not_opened() {
    for (name, open) in KINDS {
        let folder = Folder::new();
        let (path, older) = (folder.0.join(name), folder.0.join("older"));
        let ledger = open(builder(&folder.0), &path).unwrap();
        make_calls(&ledger, 20).await;
        ledger.close().await.unwrap();
        fs::copy(&path, &older).unwrap();
        let size = |path: &Path| {
            let mut jsonl;
            let mut rows;
            let store: &mut dyn LedgerStore = if name == "ledger.db" {
                rows = SqliteLedger::read_only(path).unwrap();
                &mut rows
            } else {
                jsonl = JsonLinesLedger::read_only(path).unwrap();
                &mut jsonl
            };
            verify(store, &ring(), &[]).unwrap().size()
        };
        let ledger = open(builder(&folder.0), &path).unwrap();
        make_calls(&ledger, 20).await;
        ledger.close().await.unwrap();
        let (whole, cut) = (size(&path), size(&older));
        assert!(cut < whole);
        let newest = fs::read(&path).unwrap();

        fs::copy(&older, &path).unwrap();
        check_refused(open(builder(&folder.0), &path), [cut, whole]);
        fs::remove_file(&path).unwrap();
        check_refused(open(builder(&folder.0), &path), [0, whole]);
        // Another ledger of the same key, which reaches further.
        fs::remove_file(&path).unwrap();
        let other = open(Ledger::builder(ring()), &path).unwrap();
        make_calls(&other, 60).await;
        other.close().await.unwrap();
        let refused = open(builder(&folder.0), &path).unwrap_err();
        assert!(refused.log().contains("does not agree"), "{refused:?}");

        fs::write(&path, &newest).unwrap();
        let ledger = open(builder(&folder.0), &path).unwrap();
        let verified = ledger.verify(&[]).await.unwrap();
        assert!(
            verified.newest_confirmed_checkpoint().unwrap().size() >= whole,
            "it says from where it speaks"
        );
    }
}

#[tokio::test]
async fn an_older_copy_that_was_continued_is_not_opened() {
    let folder = Folder::new();
    let (name, open) = KINDS[0];
    let (path, older) = (folder.0.join(name), folder.0.join("older"));
    let ledger = open(builder(&folder.0), &path).unwrap();
    make_calls(&ledger, 20).await;
    ledger.close().await.unwrap();
    fs::copy(&path, &older).unwrap();
    let ledger = open(builder(&folder.0), &path).unwrap();
    make_calls(&ledger, 20).await;
    ledger.close().await.unwrap();
    // Continued without the sink, until it is longer than it was.
    fs::copy(&older, &path).unwrap();
    let ledger = open(Ledger::builder(ring()), &path).unwrap();
    make_calls(&ledger, 60).await;
    ledger.close().await.unwrap();
    let error = open(builder(&folder.0), &path).unwrap_err();
    assert!(error.log().contains("does not agree"), "{error:?}");
}

#[tokio::test]
async fn a_ledger_that_goes_further_than_its_newest_export_is_opened() {
    let folder = Folder::new();
    let (name, open) = KINDS[1];
    let path = folder.0.join(name);
    let ledger = open(builder(&folder.0), &path).unwrap();
    make_calls(&ledger, 10).await;
    ledger.close().await.unwrap();
    let exports = fs::read(folder.0.join("ledger.checkpoints")).unwrap();
    let ledger = open(Ledger::builder(ring()).checkpoint_every(5), &path).unwrap();
    make_calls(&ledger, 3_000).await;
    ledger.close().await.unwrap();
    // A crash cut off the end of the file: the checkpoint before it counts.
    let torn = [&*exports, br#"{"size":99"#].concat();
    fs::write(folder.0.join("ledger.checkpoints"), torn).unwrap();
    let ledger = open(builder(&folder.0), &path).unwrap();
    make_calls(&ledger, 1).await;
    ledger.close().await.unwrap();
    let ledger = open(builder(&folder.0), &path).unwrap();
    assert!(
        ledger.verify(&[]).await.unwrap().newest_confirmed_checkpoint().unwrap().size() > 3_000
    );
}

#[tokio::test]
async fn checkpoints_are_exported_by_records_by_time_and_at_both_ends() {
    let (exported, heard) = mpsc::channel();
    let sink = move |it: &ExportedCheckpoint| -> Result<(), StoreError> {
        let _ = exported.send(it.checkpoint.size());
        Ok(())
    };
    let hour = Duration::from_secs(3_600);
    let store = TestLedger::default();
    let builder = Ledger::builder(ring()).checkpoint_every(10).export_every(hour);
    let ledger = builder.checkpoint_sink(sink.clone()).open(store.clone()).unwrap();
    assert_eq!(heard.recv().unwrap(), 1, "when it is opened");
    make_calls(&ledger, 12).await;
    assert!(heard.recv().unwrap() > 10, "after so many records");
    ledger.close().await.unwrap();
    let last = heard.try_iter().last().unwrap();
    assert_eq!(last, u64::try_from(store.records().len()).unwrap(), "all of it, when it is closed");

    let builder = Ledger::builder(ring()).export_every(Duration::from_millis(1));
    let ledger = builder.checkpoint_sink(sink).open(store.clone()).unwrap();
    make_calls(&ledger, 1).await;
    while heard.recv().unwrap() < last + 2 {}
    ledger.close().await.unwrap();
}

/// A sink that fails until the test repairs it.
#[derive(Clone, Default)]
struct Broken(Arc<Mutex<(bool, Vec<u64>)>>);

impl CheckpointSink for Broken {
    fn export(&mut self, exported: &ExportedCheckpoint) -> Result<(), StoreError> {
        let mut state = self.0.lock().unwrap();
        if !state.0 {
            return Err(StoreError::new(StoreErrorKind::Unavailable, "the bucket is gone"));
        }
        state.1.push(exported.checkpoint.size());
        Ok(())
    }

    fn newest(&mut self) -> Result<Option<tool_runtime::ledger::Checkpoint>, StoreError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_sink_that_fails_is_counted_and_tried_again_and_loses_no_record() {
    let (sink, store) = (Broken::default(), TestLedger::default());
    let builder = Ledger::builder(ring()).checkpoint_every(3).checkpoint_sink(sink.clone());
    let ledger = builder.open(store.clone()).unwrap();
    make_calls(&ledger, 20).await;
    while ledger.status().export_failures == 0 {
        tokio::task::yield_now().await;
    }
    let status = ledger.status();
    assert_eq!((status.written, status.exported), (20, 0));
    assert!(status.export_error.unwrap().log().contains("the bucket is gone"));
    sink.0.lock().unwrap().0 = true;
    ledger.close().await.unwrap();
    assert_eq!(sink.0.lock().unwrap().1.last(), Some(&ledger.status().exported));
    assert_eq!(ledger.status().exported, u64::try_from(store.records().len()).unwrap());
}

#[tokio::test]
async fn an_expected_checkpoint_serves_where_the_sink_cannot_give_it_back() {
    let store = TestLedger::default();
    let ledger = Ledger::builder(ring()).open(store.clone()).unwrap();
    make_calls(&ledger, 5).await;
    let exported = ledger.checkpoint().await.unwrap();
    ledger.close().await.unwrap();
    Ledger::builder(ring()).expecting(exported.clone()).open(store).unwrap();
    let emptied = Ledger::builder(ring()).expecting(exported.clone()).open(TestLedger::default());
    check_refused(emptied, [0, exported.size()]);
    let other = KeyRing::new("2026-11", &[8; 32]).unwrap();
    let forged =
        Ledger::builder(other).expecting(exported).open(TestLedger::default()).unwrap_err();
    assert_eq!(forged.kind(), StoreErrorKind::Damaged);
}

#[tokio::test]
async fn an_auditor_verifies_a_copy_without_the_key_that_writes() {
    let folder = Folder::new();
    let path = folder.0.join("ledger.jsonl");
    let signer = NoteSigner::from_seed("ledger.example.com/tools", &[9; 32]).unwrap();
    let verifier: NoteVerifier = signer.verifier().to_string().parse().unwrap();
    let notes = Arc::new(Mutex::new(Vec::new()));
    let its = notes.clone();
    let sink = move |it: &ExportedCheckpoint| -> Result<(), StoreError> {
        its.lock().unwrap().push(it.note.clone().unwrap());
        Ok(())
    };
    let builder = Ledger::builder(ring()).note_signer(signer).checkpoint_sink(sink);
    let ledger = builder.open(JsonLinesLedger::options().sync(false).open(&path).unwrap()).unwrap();
    make_calls(&ledger, 20).await;
    ledger.close().await.unwrap();

    let heads: Vec<_> =
        notes.lock().unwrap().iter().map(|note| verifier.verify(note).unwrap()).collect();
    let audited = audit(&mut JsonLinesLedger::read_only(&path).unwrap(), &heads).unwrap();
    assert_eq!(audited.proven, audited.size, "the last note covers all");
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = whole.lines().collect();
    for (altered, kind) in [
        (whole.replacen(r#""n":6"#, r#""n":9"#, 1), ChainFaultKind::Altered),
        (lines[..lines.len() - 1].join("\n") + "\n", ChainFaultKind::Truncated),
    ] {
        fs::write(&path, altered).unwrap();
        match audit(&mut JsonLinesLedger::read_only(&path).unwrap(), &heads) {
            Err(VerifyError::Fault(fault)) => assert_eq!(fault.fault.kind(), kind, "{fault}"),
            other => panic!("a fault should have been found: {other:?}"),
        }
    }
    // With the key of the ledger one can write another chain, and not its note.
    fs::remove_file(&path).unwrap();
    let forged = Ledger::builder(ring());
    let forged = forged.open(JsonLinesLedger::options().sync(false).open(&path).unwrap()).unwrap();
    make_calls(&forged, 30).await;
    forged.close().await.unwrap();
    assert!(audit(&mut JsonLinesLedger::read_only(&path).unwrap(), &heads).is_err());
}
