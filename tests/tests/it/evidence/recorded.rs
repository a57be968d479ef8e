//! The ledger's records of snapshots are compared with the vault.

use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::evidence::{
    AccessAction, EvidenceErrorKind, EvidenceKeeper, EvidenceRequest, EvidenceStore,
    EvidenceVerdict, Replay, ReplayVerdict, SkipReason, Snapshot, SnapshotId, SnapshotQuery, Vault,
};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{MemoryStore, UnixMillis};

use super::{EvidenceSetup, TENANT, access, cx_of};
use crate::ledger::{recorded, ring};

/// Quotes a price.
#[ai_tool(effect = "read", ttl = "60s", evidence)]
async fn price(
    /// The article.
    sku: String,
) -> usize {
    sku.len()
}

/// One proven answer, and the store that its snapshot is in.
struct Shop {
    setup: EvidenceSetup,
    store: MemoryStore,
    runtime: Runtime,
    id: SnapshotId,
}

impl Shop {
    async fn new() -> Self {
        let mut setup = EvidenceSetup::new();
        let store = MemoryStore::new();
        setup.keeper = EvidenceKeeper::new(Vault::new(store.clone(), ring()), &setup.ledger);
        let builder = Runtime::builder().tool::<PriceTool>().policy(Policy::new());
        let builder = builder.ledger(&setup.ledger).evidence(setup.keeper.clone());
        let runtime = builder.build().unwrap();
        let mut call = runtime.call("price", r#"{"sku":"A-1"}"#, &cx_of(TENANT));
        assert!(call.execute().await.is_ok());
        let id = recorded(&setup.ledger).await[0].evidence.as_deref().unwrap().parse().unwrap();
        let shop = Self { setup, store, runtime, id };
        assert_eq!(shop.readings(shop.setup.keeper.vault()).await, [None; 3]);
        assert_eq!(shop.replayed(shop.setup.keeper.vault()).await, ReplayVerdict::Same);
        shop
    }

    /// Returns the error of each way of reading, if any.
    async fn readings(&self, vault: &Vault) -> [Option<EvidenceErrorKind>; 3] {
        let read = vault.read(TENANT, self.id, &access()).await.map(drop);
        let found = vault.find(TENANT, self.id, &access()).await.map(drop);
        let listing = vault.list(&SnapshotQuery::new(TENANT), None, 10, &access()).await.map(drop);
        [read, found, listing].map(|it| it.err().map(|error| error.kind()))
    }

    async fn replayed(&self, vault: &Vault) -> ReplayVerdict {
        let replay = Replay::new(&self.runtime, &self.setup.ledger, access()).vault(vault);
        let report = replay.run("trace-1").await.unwrap();
        report.calls()[0].verdict().clone()
    }

    /// Empties the store directly in its database.
    async fn delete(&self) {
        let swept = self.store.sweep_snapshots(UnixMillis::new(u64::MAX), 100).await.unwrap();
        assert_eq!(swept, 1);
    }

    async fn check(&self, kind: EvidenceErrorKind, reason: SkipReason) {
        let vault = self.setup.keeper.vault();
        assert_eq!(self.readings(vault).await, [Some(kind); 3]);
        assert_eq!(self.replayed(vault).await, ReplayVerdict::Skipped { reason });
    }
}

#[tokio::test]
async fn the_record_of_a_call_holds_the_keyed_digest_of_the_snapshot_that_it_left() {
    let shop = Shop::new().await;
    shop.runtime.call("price", r#"{"sku":"A-1"}"#, &cx_of(TENANT)).execute().await;
    let records = recorded(&shop.setup.ledger).await;
    let digest = records[0].evidence_digest.as_deref().unwrap();
    assert!(digest.starts_with("hmac-sha256:2026-11:"), "{digest}");
    let last = records.last().unwrap();
    assert_eq!((&last.evidence, &last.evidence_digest), (&records[0].evidence, &None), "cached");
}

#[tokio::test]
async fn evidence_that_the_ledger_names_and_the_store_does_not_have_is_missing() {
    let shop = Shop::new().await;
    shop.delete().await;
    shop.check(EvidenceErrorKind::Missing, SkipReason::EvidenceMissing).await;
    let error = shop.setup.keeper.vault().find(TENANT, shop.id, &access()).await.unwrap_err();
    assert_eq!(error.snapshot(), Some(shop.id));
    let never = SnapshotId::at(shop.id.created_at());
    assert_eq!(shop.setup.keeper.vault().find(TENANT, never, &access()).await.unwrap(), None);
}

#[tokio::test]
async fn evidence_that_is_older_than_the_retention_may_have_been_swept() {
    let shop = Shop::new().await;
    shop.delete().await;
    let vault = shop.setup.keeper.vault().clone().with_retention(Duration::ZERO);
    let readings = shop.readings(&vault).await;
    assert_eq!(readings, [Some(EvidenceErrorKind::NotFound), None, None]);
    assert_eq!(shop.replayed(&vault).await, ReplayVerdict::Same, "the ledger has the arguments");
    let vault = vault.with_retention(Duration::from_secs(3_600));
    assert_eq!(shop.readings(&vault).await, [Some(EvidenceErrorKind::Missing); 3]);
}

#[tokio::test]
async fn evidence_that_differs_from_the_ledger_s_record_is_found() {
    let shop = Shop::new().await;
    let kept = shop.setup.keeper.vault().read(TENANT, shop.id, &access()).await.unwrap();
    let mut facts: Value = serde_json::to_value(&kept.snapshot).unwrap();
    facts["version"] = json!("9.9.9");
    let other: Snapshot = serde_json::from_value(facts).unwrap();
    shop.delete().await;
    // With the keys of the vault, but not those of the ledger's writer.
    Vault::new(shop.store.clone(), ring()).keep(other, &kept.contents).await.unwrap();
    shop.check(EvidenceErrorKind::NotAsRecorded, SkipReason::EvidenceAltered).await;
}

#[tokio::test]
async fn evidence_without_its_checksum_is_not_replayed() {
    let shop = Shop::new().await;
    let mut stored = shop.store.find_snapshot(TENANT, shop.id).await.unwrap().unwrap();
    stored.checksum.clear();
    shop.delete().await;
    assert!(shop.store.put_snapshot(stored).await.unwrap());
    shop.check(EvidenceErrorKind::Altered, SkipReason::EvidenceAltered).await;
}

#[tokio::test]
async fn a_replay_opens_no_more_than_the_authorizer_allows() {
    let shop = Shop::new().await;
    let vault = shop.setup.keeper.vault();
    for (verdict, outcome) in [
        (EvidenceVerdict::Deny, "refused"),
        (EvidenceVerdict::AllowRedacted, "redacted"),
        (EvidenceVerdict::Allow, "done"),
    ] {
        let rule = move |request: &EvidenceRequest<'_>| {
            assert_eq!(request.action(), AccessAction::Replay);
            verdict
        };
        let vault = vault.clone().with_authorizer(rule);
        assert_eq!(
            shop.replayed(&vault).await,
            ReplayVerdict::Same,
            "the ledger has the arguments"
        );
        let last = shop.setup.accesses().pop();
        assert_eq!(last, Some(("read".to_owned(), outcome.to_owned())));
    }
}

#[tokio::test]
async fn a_missing_snapshot_is_told_of_to_readers_who_may_know_alone() {
    let shop = Shop::new().await;
    shop.delete().await;
    let vault = shop.setup.keeper.vault().clone();
    let denying = vault.clone().with_authorizer(|_: &EvidenceRequest<'_>| EvidenceVerdict::Deny);
    let readings = shop.readings(&denying).await;
    assert_eq!(readings, [Some(EvidenceErrorKind::NotFound), None, None]);
    let allowing = vault.with_authorizer(|_: &EvidenceRequest<'_>| EvidenceVerdict::AllowRedacted);
    assert_eq!(shop.readings(&allowing).await, [Some(EvidenceErrorKind::Missing); 3]);
    let query = SnapshotQuery::new(TENANT).with_tool("another");
    let listed = allowing.list(&query, None, 10, &access()).await.expect("it is of no such tool");
    assert_eq!(listed.snapshots, []);
}
