//! The host's authorizer decides each access, and each decision is recorded first.

use std::error::Error;

use super::*;
use crate::evidence::{
    AccessAction, AccessOutcome, EvidenceAuthorizer, EvidenceRequest, EvidenceVerdict,
    SnapshotQuery,
};

const DENY: EvidenceVerdict = EvidenceVerdict::Deny;

fn guarded(store: &MemoryStore, authorizer: impl EvidenceAuthorizer) -> (Vault, Log) {
    let log = Log::default();
    let vault = Vault::new(store.clone(), ring()).with_access_log(log.clone());
    (vault.with_authorizer(authorizer), log)
}

/// Keeps a snapshot for each of these tools, in this order; returns their ids.
async fn kept(store: &MemoryStore, tools: &[&str]) -> Vec<SnapshotId> {
    let cx = ToolContext::builder(TENANT, "trace-1").run_id("run-1").build().expect("a context");
    let (vault, mut ids) = (vault(store.clone()), Vec::new());
    for (second, tool) in (0..).zip(tools) {
        let at = UnixMillis::new(START.get() + second * 1_000);
        let snapshot = Snapshot::for_call(&cx, *tool, "1.0.0", at);
        ids.push(vault.keep(snapshot, &contents()).await.expect("it is kept").id());
    }
    ids
}

fn outcomes(log: &Log) -> Vec<(AccessAction, Option<SnapshotId>, AccessOutcome)> {
    log.take().into_iter().map(|it| (it.action, it.snapshot, it.outcome)).collect()
}

#[tokio::test]
async fn a_snapshot_that_is_denied_looks_like_one_that_there_is_not() {
    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    let (vault, log) = guarded(&store, |_: &EvidenceRequest<'_>| DENY);
    let absent = SnapshotId::at(START);
    for id in [id, absent] {
        assert_eq!(vault.find(TENANT, id, &access()).await.expect("an answer"), None);
        let error = vault.read(TENANT, id, &access()).await.expect_err("nothing is shown");
        let text = "the tenant has no snapshot with this id";
        assert_eq!((error.to_string().as_str(), error.snapshot()), (text, None));
        assert!(error.source().is_none());
    }
    let page = vault.list(&SnapshotQuery::new(TENANT), None, 10, &access()).await.expect("a list");
    assert_eq!((page.snapshots, page.next), (vec![], None));
    let not_found = AccessOutcome::Failed(EvidenceErrorKind::NotFound);
    let expected = [
        (AccessAction::Find, Some(id), AccessOutcome::Denied),
        (AccessAction::Read, Some(id), AccessOutcome::Denied),
        (AccessAction::Find, Some(absent), not_found),
        (AccessAction::Read, Some(absent), not_found),
        (AccessAction::List, None, AccessOutcome::Denied),
    ];
    assert_eq!(outcomes(&log), expected, "the log has what the reader is not told");
}

#[tokio::test]
async fn a_verdict_says_how_much_of_a_snapshot_is_shown() {
    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    let (redacted, log) = guarded(&store, |_: &EvidenceRequest<'_>| EvidenceVerdict::AllowRedacted);
    let opened = redacted.read(TENANT, id, &access()).await.expect("it is shown");
    assert!(opened.redacted && opened.contents.is_empty());
    assert_eq!(opened.snapshot.sealed().len(), 2, "it says what is withheld");
    let found = redacted.find(TENANT, id, &access()).await.expect("an answer");
    assert_eq!(found, Some(opened.snapshot));
    let expected = [
        (AccessAction::Read, Some(id), AccessOutcome::Redacted),
        (AccessAction::Find, Some(id), AccessOutcome::Done),
    ];
    assert_eq!(outcomes(&log), expected);

    let (open, log) = guarded(&store, |_: &EvidenceRequest<'_>| EvidenceVerdict::Allow);
    let opened = open.read(TENANT, id, &access()).await.expect("it opens");
    assert_eq!((opened.redacted, opened.contents), (false, contents()));
    assert_eq!(outcomes(&log), [(AccessAction::Read, Some(id), AccessOutcome::Done)]);
}

#[tokio::test]
async fn the_authorizer_knows_the_reader_the_action_and_the_snapshot() {
    let store = MemoryStore::new();
    let ids = kept(&store, &["quote", "pay"]).await;
    let rule = |request: &EvidenceRequest<'_>| {
        let access = request.access();
        let is_auditor = access.has_scope("auditor") && access.user() == Some("jane");
        let is_quote = request.snapshot().is_some_and(|it| it.tool() == "quote");
        let is_asked = request.tenant() == TENANT
            && request.action() == AccessAction::Find
            && request.snapshot().is_some_and(|it| it.id() == request.id());
        let allowed = is_auditor && is_quote && is_asked && access.reason() == "complaint 4711";
        if allowed { EvidenceVerdict::Allow } else { DENY }
    };
    let (vault, _) = guarded(&store, rule);
    let auditor = access().with_user("jane").with_scopes(["auditor"]);
    let found = async |id, access: &Access| {
        vault.find(TENANT, id, access).await.expect("an answer").is_some()
    };
    assert!(found(ids[0], &auditor).await);
    assert!(!found(ids[1], &auditor).await, "another tool");
    assert!(!found(ids[0], &access().with_user("jane")).await, "another role");
    assert!(!found(ids[0], &access().with_scopes(["auditor"])).await, "another user");
    let read = vault.read(TENANT, ids[0], &auditor).await;
    assert_eq!(read.expect_err("another action").kind(), EvidenceErrorKind::NotFound);
}

#[tokio::test]
async fn an_access_that_is_bound_to_a_tenant_sees_no_other_one_whatever_the_authorizer_says() {
    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    let (vault, log) = guarded(&store, |_: &EvidenceRequest<'_>| EvidenceVerdict::Allow);
    let other = access().with_tenant(OTHER);
    for (tenant, access) in [(TENANT, &other), (OTHER, &other), (OTHER, &access())] {
        assert_eq!(vault.find(tenant, id, access).await.expect("an answer"), None);
        let error = vault.read(tenant, id, access).await.expect_err("nothing is shown");
        assert_eq!(error.kind(), EvidenceErrorKind::NotFound);
        let page = vault.list(&SnapshotQuery::new(tenant), None, 10, access).await.expect("a list");
        assert_eq!(page.snapshots, []);
    }
    assert_eq!(outcomes(&log).len(), 9);
    let bound = access().with_tenant(TENANT);
    assert!(vault.find(TENANT, id, &bound).await.expect("an answer").is_some());
}

#[tokio::test]
async fn an_authorizer_that_fails_denies_and_is_recorded() {
    struct Failing(bool);

    #[async_trait]
    impl EvidenceAuthorizer for Failing {
        async fn authorize(
            &self,
            _: &EvidenceRequest<'_>,
        ) -> Result<EvidenceVerdict, Box<dyn Error + Send + Sync>> {
            assert!(!self.0, "it panics");
            Err("the directory is down".into())
        }
    }

    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    for panics in [false, true] {
        let (vault, log) = guarded(&store, Failing(panics));
        let kind = EvidenceErrorKind::AuthorizerFailed;
        for id in [id, SnapshotId::at(START)] {
            let error = vault.find(TENANT, id, &access()).await.expect_err("it is denied");
            let source = error.source().map(ToString::to_string).expect("the authorizer's");
            assert_eq!((error.kind(), source.contains("directory")), (kind, !panics));
            check_shut(&vault, TENANT, id, kind).await;
        }
        let query = SnapshotQuery::new(TENANT);
        let error = vault.list(&query, None, 10, &access()).await.expect_err("it is denied");
        assert_eq!(error.kind(), kind);
        let failed = |(_, _, outcome)| outcome == AccessOutcome::Failed(kind);
        assert!(outcomes(&log).into_iter().all(failed));
    }
}

#[tokio::test]
async fn a_decision_that_cannot_be_recorded_shows_nothing() {
    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    for verdict in [DENY, EvidenceVerdict::AllowRedacted, EvidenceVerdict::Allow] {
        let (vault, log) = guarded(&store, move |_: &EvidenceRequest<'_>| verdict);
        log.shut.store(true, Ordering::SeqCst);
        let (query, access) = (SnapshotQuery::new(TENANT), access());
        let errors = [
            vault.find(TENANT, id, &access).await.map(drop),
            vault.list(&query, None, 10, &access).await.map(drop),
            vault.read(TENANT, id, &access).await.map(drop),
        ];
        for error in errors {
            let error = error.expect_err("it is not recorded");
            assert_eq!(error.kind(), EvidenceErrorKind::Unrecorded);
        }
    }
}

#[tokio::test]
async fn a_damaged_snapshot_is_shown_as_damaged_to_readers_who_may_know_of_it() {
    let store = MemoryStore::new();
    let id = kept(&store, &["quote"]).await[0];
    let mut stored = store.find_snapshot(TENANT, id).await.expect("a store").expect("it is kept");
    stored.checksum = vec![1; 37];
    store.sweep_snapshots(UnixMillis::new(u64::MAX), 10).await.expect("a store");
    assert!(store.put_snapshot(stored).await.expect("a store"));
    let known = |request: &EvidenceRequest<'_>| match request.snapshot() {
        Some(_) => EvidenceVerdict::Allow,
        None => DENY,
    };
    let (vault, _) = guarded(&store, known);
    assert_eq!(vault.find(TENANT, id, &access()).await.expect("an answer"), None);
    check_shut(&vault, TENANT, id, EvidenceErrorKind::NotFound).await;
    let query = SnapshotQuery::new(TENANT);
    let page = vault.list(&query, None, 10, &access()).await.expect("it is left out");
    assert_eq!(page.snapshots, []);

    let (vault, _) = guarded(&store, |_: &EvidenceRequest<'_>| EvidenceVerdict::AllowRedacted);
    let altered = EvidenceErrorKind::Altered;
    check_shut(&vault, TENANT, id, altered).await;
    let found = vault.find(TENANT, id, &access()).await.expect_err("it is altered");
    let listed = vault.list(&query, None, 10, &access()).await.expect_err("it is altered");
    assert_eq!([found.kind(), listed.kind()], [altered; 2]);
    assert_eq!(listed.snapshot(), Some(id));
}

#[tokio::test]
async fn a_list_leaves_out_what_is_denied_and_fills_its_pages_with_the_rest() {
    let store = MemoryStore::new();
    let tools = ["pay", "quote", "pay", "quote", "quote", "pay"];
    let ids = kept(&store, &tools).await;
    let quotes = |request: &EvidenceRequest<'_>| match request.snapshot() {
        Some(snapshot) if snapshot.tool() == "quote" => EvidenceVerdict::Allow,
        _ => DENY,
    };
    let (vault, log) = guarded(&store, quotes);
    let query = SnapshotQuery::new(TENANT);
    let first = vault.list(&query, None, 2, &access()).await.expect("a list");
    let shown = |page: &crate::evidence::SnapshotPage| {
        page.snapshots.iter().map(Snapshot::id).collect::<Vec<_>>()
    };
    assert_eq!((shown(&first), first.next), (vec![ids[1], ids[3]], Some(ids[3])));
    let rest = vault.list(&query, first.next, 2, &access()).await.expect("a list");
    assert_eq!((shown(&rest), rest.next), (vec![ids[4]], None));
    let records = log.take();
    let of = |it: &AccessRecord| (it.snapshot, it.last_snapshot, it.outcome);
    let expected = [(Some(ids[1]), Some(ids[3])), (Some(ids[4]), None)];
    let expected = expected.map(|(first, last)| (first, last, AccessOutcome::Done));
    assert_eq!(records.iter().map(of).collect::<Vec<_>>(), expected);
}

#[tokio::test]
async fn a_list_looks_at_a_bounded_number_and_names_no_denied_id() {
    let store = MemoryStore::new();
    let mut tools = vec!["pay"; 1_100];
    tools.push("quote");
    let ids = kept(&store, &tools).await;
    let quotes = |request: &EvidenceRequest<'_>| match request.snapshot() {
        Some(snapshot) if snapshot.tool() == "quote" => EvidenceVerdict::Allow,
        _ => DENY,
    };
    let (vault, _) = guarded(&store, quotes);
    let query = SnapshotQuery::new(TENANT);
    let empty = vault.list(&query, None, 10, &access()).await.expect("a list");
    let next = empty.next.expect("there is more to look at");
    assert!(empty.snapshots.is_empty() && !ids.contains(&next), "{next}");
    assert!(next > ids[900] && next < ids[1_000], "it is where the list has ended: {next}");
    assert_eq!(next.to_string().parse(), Ok(next), "a cursor is written as an id");
    let last = vault.list(&query, Some(next), 10, &access()).await.expect("a list");
    assert_eq!((last.snapshots[0].id(), last.next), (ids[1_100], None));
}

#[tokio::test]
async fn a_list_is_of_a_tool_or_a_call() {
    let store = MemoryStore::new();
    let ids = kept(&store, &["pay", "quote", "pay"]).await;
    let vault = vault(store);
    let shown = async |query: SnapshotQuery| {
        let page = vault.list(&query, None, 10, &access()).await.expect("a list");
        page.snapshots.iter().map(Snapshot::id).collect::<Vec<_>>()
    };
    let query = || SnapshotQuery::new(TENANT);
    assert_eq!(shown(query().with_tool("pay")).await, [ids[0], ids[2]]);
    let found = vault.find(TENANT, ids[1], &access()).await.expect("a store").expect("it is kept");
    let of_call = query().with_invocation(found.invocation_id());
    assert_eq!(shown(of_call.clone()).await, ids, "one call in this test");
    assert_eq!(shown(of_call.with_tool("quote")).await, [ids[1]]);
    assert_eq!(shown(query().with_invocation(Uuid::from_u128(9))).await, []);
}
