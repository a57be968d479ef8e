//! Attachments in the cache, the ledger and the evidence.

use tool_runtime::evidence::{EvidenceKeeper, Vault};
use tool_runtime::ledger::{Ledger, Record};
use tool_runtime::prelude::*;
use tool_runtime::store::MemoryStore;

use super::{ProvenTool, SHA256, keyed, output_of};
use crate::ledger::{TestLedger, ring};
use crate::support::cx;

struct RecordedRuntime {
    runtime: Runtime,
    kept: TestLedger,
    ledger: Ledger,
}

fn recorded_runtime() -> RecordedRuntime {
    let kept = TestLedger::default();
    let ledger = Ledger::builder(ring()).open(kept.clone()).unwrap();
    let keeper = EvidenceKeeper::new(Vault::new(MemoryStore::new(), ring()), &ledger);
    let builder = Runtime::builder().tool::<ProvenTool>().ledger(&ledger).evidence(keeper);
    RecordedRuntime { runtime: builder.build().unwrap(), kept, ledger }
}

#[tokio::test]
async fn a_cached_answer_has_its_attachments() {
    let RecordedRuntime { runtime, .. } = recorded_runtime();
    let first = output_of(&runtime, "proven", "{}", &keyed("k")).await;
    let second = output_of(&runtime, "proven", "{}", &keyed("k")).await;
    assert!(second.json().contains(r#""cache_hit":true"#), "{}", second.json());
    assert_eq!(second.attachments(), first.attachments());
    assert_eq!(second.attachments()[0].as_text(), Some("hello"));
}

#[tokio::test]
async fn the_ledger_keeps_a_keyed_hash_of_each_attachment_and_no_content() {
    let RecordedRuntime { runtime, kept, ledger } = recorded_runtime();
    output_of(&runtime, "proven", "{}", &cx()).await;
    ledger.flush().await.unwrap();
    let records = kept.records();
    let hashes = records.iter().find_map(|record| match record {
        Record::Call(call) => Some(call.attachments.clone()),
        _ => None,
    });
    let hashes = hashes.expect("the call is recorded");
    assert_eq!(hashes.len(), 1);
    assert_ne!(hashes[0], SHA256, "an unkeyed hash of a short file confirms a guess");
    let text = format!("{records:?}");
    for canary in ["hello", "aGVsbG8=", "greeting.txt", SHA256] {
        assert!(!text.contains(canary), "{canary}: {text}");
    }
}

#[tokio::test]
async fn evidence_names_attachments_as_sources() {
    let RecordedRuntime { runtime, .. } = recorded_runtime();
    let output = output_of(&runtime, "proven", "{}", &cx()).await;
    let meta = output.meta();
    let sources = meta.evidence().expect("it is evidenced").sources();
    let attached: Vec<_> = sources.iter().filter(|source| source.kind() == "attachment").collect();
    assert_eq!(attached.len(), 1);
    assert_eq!(attached[0].name(), "greeting.txt");
    assert!(!attached[0].hash().contains(SHA256));
}
