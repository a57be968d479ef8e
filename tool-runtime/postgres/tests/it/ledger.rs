//! The ledger that replicas share: one truth for searches and for verification.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio_postgres::Client;
use tool_runtime::ledger::{
    CHECKPOINT_CHAIN, ChainFaultKind, CheckpointFile, Ledger, LedgerBuilder, LedgerQuery,
    LedgerStore as _, PostgresLedger, RecordPosition, RecordStatus, RecordedCall, RecordedCallKind,
    VerifiedChain, VerifyError, WriterChain, WriterState, audit, verify,
};
use tool_runtime::policy::KeyRing;
use tool_runtime::prelude::*;
use tool_runtime::store::{PostgresStore, StoreErrorKind};
use tool_runtime::{ToolOutput, Uuid};

use crate::server;

/// Gives back a number, and fails for 13.
#[ai_tool(effect = "read")]
fn echo(
    /// The number.
    number: u32,
) -> Result<u32, &'static str> {
    if number == 13 { Err("not this one") } else { Ok(number) }
}

fn ring() -> KeyRing {
    KeyRing::new("2026-11", &[7; 32]).expect("a ring")
}

/// One schema with a ledger, and replicas that write it.
struct House {
    url: String,
    schema: String,
}

/// One replica: its ledger, and a runtime that records in it.
struct Replica {
    ledger: Ledger,
    runtime: Runtime,
}

impl House {
    fn new(url: String) -> Self {
        Self { url, schema: server::schema() }
    }

    async fn store(&self) -> PostgresStore {
        let options = PostgresStore::options().schema(&self.schema);
        options.connect(&self.url).await.expect("a store")
    }

    async fn replica(&self, name: &str) -> Replica {
        self.replica_with(name, Ledger::builder(ring())).await
    }

    async fn replica_with(&self, name: &str, builder: LedgerBuilder) -> Replica {
        let store = PostgresLedger::open(&self.store().await, name).expect("it opens");
        let ledger = builder.open(store).expect("it opens");
        let runtime = Runtime::builder().tool::<EchoTool>().ledger(&ledger);
        Replica { ledger, runtime: runtime.build().expect("a runtime") }
    }

    async fn client(&self) -> Client {
        let client = server::client(&self.url).await;
        let settings = format!("SET search_path = {}; SET tool_runtime.tenant = '*'", self.schema);
        client.batch_execute(&settings).await.expect("it is set");
        client
    }

    async fn execute(&self, sql: &str) -> u64 {
        self.client().await.execute(sql, &[]).await.expect("it is executed")
    }

    async fn verify(&self) -> Result<VerifiedChain, VerifyError> {
        let mut store = PostgresLedger::read_only(&self.store().await).expect("it opens");
        verify(&mut store, &ring(), &[])
    }
}

impl Replica {
    async fn call(&self, tenant: u128, trace: &str, number: u32) -> ToolOutput {
        let cx = ToolContext::builder(Uuid::from_u128(tenant), trace).run_id("run-1");
        let cx = cx.build().expect("a context");
        let mut call = self.runtime.call("echo", format!(r#"{{"number":{number}}}"#), &cx);
        call.execute().await.clone()
    }

    async fn pages(&self, query: &LedgerQuery) -> Vec<(RecordPosition, RecordedCall)> {
        self.ledger.flush().await.expect("it is flushed");
        let (mut records, mut query) = (Vec::new(), query.clone());
        loop {
            let page = self.ledger.find(query.clone()).await.expect("a page");
            records.extend(page.records);
            match page.next {
                Some(next) => query = query.after(next),
                None => return records,
            }
        }
    }

    async fn close(self) {
        self.ledger.close().await.expect("it is closed");
    }
}

fn states(writers: &[WriterChain]) -> Vec<(&str, WriterState)> {
    let mut states: Vec<_> = writers.iter().map(|chain| (&*chain.writer, chain.state)).collect();
    states.sort_by_key(|(writer, _)| *writer);
    states
}

fn kind(verified: Result<VerifiedChain, VerifyError>) -> (ChainFaultKind, Option<Uuid>, u64) {
    match verified {
        Err(VerifyError::Fault(fault)) => (fault.fault.kind(), fault.chain, fault.fault.seq()),
        other => panic!("expected a fault: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_each_replica_is_found_from_each_and_verified() {
    for url in server::urls() {
        let house = House::new(url);
        let replicas = [house.replica("a").await, house.replica("b").await];
        for number in 0..40 {
            let replica = &replicas[number as usize % 2];
            let trace = if number < 30 { "trace-1" } else { "trace-2" };
            replica.call(u128::from(number % 3), trace, number).await;
        }
        for replica in &replicas {
            replica.ledger.flush().await.expect("it is flushed");
        }
        for replica in &replicas {
            let of_trace = LedgerQuery::new().trace("trace-1");
            for limit in [1, 7, 100] {
                let records = replica.pages(&of_trace.clone().limit(limit)).await;
                assert_eq!(records.len(), 30, "{limit} a page");
                assert!(records.is_sorted_by_key(|(position, _)| *position));
                assert!(records.is_sorted_by_key(|(_, call)| call.at.clone()));
                let chains: BTreeSet<_> = records.iter().map(|(it, _)| it.chain()).collect();
                assert_eq!(chains.len(), 2);
            }
            let tenant = Uuid::from_u128(1);
            let count = async |query: LedgerQuery| replica.pages(&query).await.len();
            assert_eq!(count(of_trace.clone().tenant(tenant)).await, 10);
            assert_eq!(count(LedgerQuery::new().tenant(tenant)).await, 13);
            assert_eq!(count(LedgerQuery::new().status(RecordStatus::Error)).await, 1);
            assert_eq!(count(LedgerQuery::new().tool("echo")).await, 40);
            assert_eq!(count(LedgerQuery::new().tool("other")).await, 0);
            assert_eq!(count(LedgerQuery::new().kind(RecordedCallKind::Run)).await, 40);
        }
        // A part of what a search reads, by time.
        let all_records = replicas[1].pages(&LedgerQuery::new()).await;
        let middle = all_records[20].1.at.parse().expect("a time");
        let (before, since) = (LedgerQuery::new().until(middle), LedgerQuery::new().since(middle));
        let halves = (replicas[0].pages(&before).await, replicas[0].pages(&since).await);
        assert_eq!(halves.0.len() + halves.1.len(), 40);
        assert!(halves.0.iter().all(|(_, call)| call.at < all_records[20].1.at));

        let verified = replicas[0].ledger.verify(&[]).await.expect("it is as it was written");
        let writing = [("a", WriterState::Writing), ("b", WriterState::Writing)];
        assert_eq!(states(verified.writers()), writing);
        let [a, b] = replicas;
        a.close().await;
        let listed = b.ledger.writers().await.expect("a list");
        assert_eq!(states(&listed), [("a", WriterState::Closed), ("b", WriterState::Writing)]);
        b.close().await;
        let verified = house.verify().await.expect("it is as it was written");
        let closed = [("a", WriterState::Closed), ("b", WriterState::Closed)];
        assert_eq!(states(verified.writers()), closed);
        let records: u64 = verified.writers().iter().map(|chain| chain.size).sum();
        // Each has a beginning, a checkpoint and an end besides its calls.
        assert_eq!(records, 40 + 2 * 3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_writer_that_ended_without_closing_is_found_and_named() {
    let Some(url) = server::url() else { return };
    let house = House::new(url);
    let killed = house.replica("killed").await;
    killed.call(1, "trace-1", 1).await;
    killed.ledger.flush().await.expect("it is flushed");
    // As if it had been killed two minutes ago: nothing shows that it lives, unless it appends.
    let silence = "
        CREATE FUNCTION silence() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN NEW.seen_at := OLD.seen_at; RETURN NEW; END $$;
        UPDATE ledger_chains SET seen_at = seen_at - 120000 WHERE writer = 'killed';
        CREATE TRIGGER silence BEFORE UPDATE ON ledger_chains FOR EACH ROW
            WHEN (OLD.writer = 'killed' AND NEW.size = OLD.size) EXECUTE FUNCTION silence()";
    house.client().await.batch_execute(silence).await.expect("it is silent");
    let other = house.replica("other").await;
    let listed = other.ledger.writers().await.expect("a list");
    let lost = [("killed", WriterState::Lost), ("other", WriterState::Writing)];
    assert_eq!(states(&listed), lost);
    let named =
        "SELECT count(*) FROM ledger_links WHERE chain = '00000000-0000-0000-0000-000000000000'
        AND convert_from(body, 'UTF8') LIKE '%\"writer\":\"killed\",\"state\":\"lost\"%'";
    let named: i64 = house.client().await.query_one(named, &[]).await.expect("a row").get(0);
    assert_eq!(named, 1, "once");
    assert_eq!(states(house.verify().await.expect("it is whole").writers()), lost);
    // It was frozen: what it records afterwards is on the record, and it is no longer lost.
    killed.call(1, "trace-1", 2).await;
    killed.ledger.flush().await.expect("it is flushed");
    let listed = other.ledger.writers().await.expect("a list");
    let alive = [("killed", WriterState::Writing), ("other", WriterState::Writing)];
    assert_eq!(states(&listed), alive);
    assert_eq!(other.pages(&LedgerQuery::new().trace("trace-1")).await.len(), 2);
}

/// The condition on the chain of the writer `b`.
const OF_B: &str = "chain = (SELECT id FROM ledger_chains WHERE writer = 'b')";

/// Changes the records of a house with two closed writers, and verifies it.
async fn changed(url: &str, change: &str) -> Result<VerifiedChain, VerifyError> {
    let house = House::new(url.to_owned());
    for name in ["a", "b"] {
        let replica = house.replica(name).await;
        for number in 0..5 {
            replica.call(1, "trace-1", number).await;
        }
        replica.close().await;
    }
    house.verify().await.expect("it is as it was written");
    assert!(house.execute(change).await > 0, "{change}");
    house.verify().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_any_chain_is_found() {
    use ChainFaultKind::{Altered, Removed, Truncated};
    let Some(url) = server::url() else { return };
    let of_b =
        |set: &str, more: &str| format!("UPDATE ledger_records SET {set} WHERE {OF_B} AND {more}");
    let found = kind(
        changed(
            &url,
            &of_b("body = replace(convert_from(body, 'UTF8'), 'run-1', 'run-2')::bytea", "seq = 2"),
        )
        .await,
    );
    assert_eq!((found.0, found.2), (Altered, 2));
    let found =
        kind(changed(&url, &format!("DELETE FROM ledger_records WHERE {OF_B} AND seq = 3")).await);
    assert_eq!((found.0, found.2), (Removed, 3));
    // The end of a chain, which the chain of checkpoints covers.
    let cut = format!(
        "WITH cut AS (DELETE FROM ledger_records WHERE {OF_B} AND seq >= 4)
         DELETE FROM ledger_links WHERE {OF_B} AND seq >= 4"
    );
    let found = kind(changed(&url, &cut).await);
    assert_eq!((found.0, found.2), (Truncated, 4));
    // The same, with the head that the chain had when it was shorter put back, and covered again.
    let house = House::new(url.clone());
    let (a, b) = (house.replica("a").await, house.replica("b").await);
    a.call(1, "trace-1", 1).await;
    let short = a.ledger.checkpoint().await.expect("a checkpoint");
    let client = house.client().await;
    let row = "SELECT size, head FROM ledger_chains WHERE writer = 'a'";
    a.ledger.flush().await.expect("it is flushed");
    let row = client.query_one(row, &[]).await.expect("a row");
    let (size, head): (i64, Vec<u8>) = (row.get(0), row.get(1));
    a.call(1, "trace-1", 2).await;
    a.close().await;
    let chain = "chain = (SELECT id FROM ledger_chains WHERE writer = 'a')";
    for table in ["ledger_records", "ledger_links"] {
        assert!(
            house.execute(&format!("DELETE FROM {table} WHERE {chain} AND seq >= {size}")).await
                > 0
        );
    }
    let back = "UPDATE ledger_chains SET size = $1, head = $2, covered = 0 WHERE writer = 'a'";
    client.execute(back, &[&size, &head]).await.expect("it is put back");
    b.ledger.checkpoint().await.expect("it covers the short chain");
    assert_eq!(kind(b.ledger.verify(&[short]).await).0, Truncated);
    // A chain as a whole.
    let removed = format!(
        "WITH records AS (DELETE FROM ledger_records WHERE {OF_B}), links AS (DELETE FROM ledger_links WHERE {OF_B})
         DELETE FROM ledger_chains WHERE writer = 'b'"
    );
    assert_eq!(kind(changed(&url, &removed).await).0, Truncated);
    // The chain of checkpoints itself.
    let forged = format!(
        "UPDATE ledger_links SET body = replace(convert_from(body, 'UTF8'), '\"state\":\"closed\"', '\"state\":\"lost\"')::bytea
         WHERE chain = '{CHECKPOINT_CHAIN}' AND position('closed' IN convert_from(body, 'UTF8')) > 0"
    );
    let found = kind(changed(&url, &forged).await);
    assert_eq!((found.0, found.1), (Altered, Some(CHECKPOINT_CHAIN)));

    // Records that searches would show or miss.
    let damaged = async |change: &str, text: &str| match changed(&url, change).await {
        Err(VerifyError::Store(error)) => {
            assert_eq!(error.kind(), StoreErrorKind::Damaged);
            assert!(error.log().contains(text), "{}", error.log());
        }
        other => panic!("expected damage: {other:?}"),
    };
    damaged(&of_b("tool = 'other'", "seq = 2"), "the columns of record 2").await;
    damaged(&of_b("tenant = NULL", "seq = 2"), "the columns of record 2").await;
    let inserted = format!(
        "INSERT INTO ledger_records (at, chain, seq, tenant, trace, tool, failed, body)
         SELECT at, chain, 1000, tenant, trace, tool, failed, body FROM ledger_records WHERE {OF_B} AND seq = 2"
    );
    damaged(&inserted, "is not linked to it").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_exported_checkpoint_covers_all_chains_and_shows_an_old_copy() {
    let Some(url) = server::url() else { return };
    let house = House::new(url);
    let folder = std::env::temp_dir().join(format!("ledger-sink-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).expect("a folder");
    let sink = || CheckpointFile::open(folder.join("checkpoints")).expect("a file");
    let a = house.replica("a").await;
    let b = house.replica_with("b", Ledger::builder(ring()).checkpoint_sink(sink())).await;
    a.call(1, "trace-1", 1).await;
    a.close().await;
    b.call(1, "trace-1", 2).await;
    let exported = b.ledger.checkpoint().await.expect("a checkpoint");
    let verified = b.ledger.verify(std::slice::from_ref(&exported)).await.expect("it is whole");
    assert_eq!(verified.newest_confirmed_checkpoint(), Some(&exported));
    b.close().await;
    let mut store = PostgresLedger::read_only(&house.store().await).expect("it opens");
    let audited = audit(&mut store, &[exported.tree_head()]).expect("it is proven");
    assert!(audited.size > audited.proven && audited.proven > 3, "{audited:?}");

    // The chain of checkpoints is cut off behind what was exported, and its row as well.
    let cut = format!(
        "WITH links AS (DELETE FROM ledger_links WHERE chain = '{CHECKPOINT_CHAIN}' AND seq >= 1)
         UPDATE ledger_chains SET size = 1 WHERE id = '{CHECKPOINT_CHAIN}'"
    );
    house.execute(&cut).await;
    let store = PostgresLedger::open(&house.store().await, "b").expect("it opens");
    let refused = Ledger::builder(ring()).checkpoint_sink(sink()).open(store);
    let error = refused.expect_err("it is an old copy");
    assert_eq!(error.kind(), StoreErrorKind::Damaged);
    assert!(error.log().contains("does not agree with an exported checkpoint"), "{}", error.log());
    let mut store = PostgresLedger::read_only(&house.store().await).expect("it opens");
    let found = kind(verify(&mut store, &ring(), &[exported]));
    assert_eq!((found.0, found.1), (ChainFaultKind::Truncated, Some(CHECKPOINT_CHAIN)));
    std::fs::remove_dir_all(&folder).expect("it is removed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expired_contents_are_dropped_with_their_day_and_the_chains_stay_whole() {
    const DAY_MS: i64 = 86_400_000;
    let Some(url) = server::url() else { return };
    let house = House::new(url);
    let replica = house.replica("a").await;
    for number in 0..6 {
        replica.call(1, "trace-1", number).await;
    }
    replica.ledger.flush().await.expect("it is flushed");
    // The first records are ten days old.
    let client = house.client().await;
    let today: i64 =
        client.query_one("SELECT now_ms() / 86400000", &[]).await.expect("a row").get(0);
    let old = today - 10;
    let partition = format!(
        "CREATE TABLE ledger_records_{old} PARTITION OF ledger_records FOR VALUES FROM ({}) TO ({})",
        old * DAY_MS,
        (old + 1) * DAY_MS
    );
    client.batch_execute(&partition).await.expect("a partition");
    for table in ["ledger_records", "ledger_links"] {
        let moved = format!("UPDATE {table} SET at = {} + seq WHERE seq < 4", old * DAY_MS);
        assert!(house.execute(&moved).await > 0);
    }
    let week = chrono::Utc::now() - Duration::from_secs(7 * 24 * 60 * 60);
    let erased = replica.ledger.erase_before(week).await.expect("they are erased");
    assert!(erased >= 4, "{erased}");
    assert_eq!(replica.ledger.erase_before(week).await.expect("none is left"), 0);
    let tables = format!("SELECT to_regclass('ledger_records_{old}') IS NULL");
    assert!(client.query_one(&tables, &[]).await.expect("a row").get::<_, bool>(0));
    assert_eq!(replica.pages(&LedgerQuery::new().trace("trace-1")).await.len(), 3);
    let verified = replica.ledger.verify(&[]).await.expect("their hashes stay");
    assert_eq!(verified.writers()[0].size, 7);
    // The record of the erasure outlives its own day.
    for days in 1..3 {
        let moved = format!(
            "UPDATE ledger_links SET at = at - {days} * 864000000 WHERE chain = '{CHECKPOINT_CHAIN}'"
        );
        assert!(house.execute(&moved).await > 0);
        replica.ledger.erase_before(week).await.expect("nothing is left");
        replica.ledger.verify(&[]).await.expect("their hashes stay");
    }
    // A body that is missing without a record of it is still a fault.
    let chain = verified.writers()[0].id;
    house.execute(&format!("DELETE FROM ledger_records WHERE chain = '{chain}' AND seq = 5")).await;
    assert_eq!(kind(replica.ledger.verify(&[]).await), (ChainFaultKind::Removed, Some(chain), 5));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_role_that_only_writes_can_neither_change_nor_delete_a_record() {
    let Some(url) = server::url() else { return };
    let house = House::new(url.clone());
    let owner = house.replica("owner").await;
    owner.call(1, "trace-1", 1).await;
    owner.close().await;
    let role = format!("role_{}", Uuid::now_v7().simple());
    let schema = &house.schema;
    server::execute(
        &url,
        &format!(
            "CREATE ROLE {role} LOGIN;
             GRANT USAGE ON SCHEMA {schema} TO {role};
             GRANT SELECT, INSERT ON {schema}.ledger_links, {schema}.ledger_records TO {role};
             GRANT SELECT, INSERT, UPDATE ON {schema}.ledger_chains TO {role};
             GRANT SELECT ON {schema}.migrations TO {role};
             REVOKE EXECUTE ON FUNCTION {schema}.drop_ledger_partitions FROM PUBLIC"
        ),
    )
    .await;
    let at_user = url.split_once("://").and_then(|(_, rest)| rest.split_once('@'));
    let (_, host) = at_user.expect("the URL has a user");
    let house = House { url: format!("postgres://{role}@{host}"), schema: house.schema.clone() };
    let replica = house.replica("writer").await;
    replica.call(1, "trace-1", 2).await;
    assert_eq!(replica.pages(&LedgerQuery::new().trace("trace-1")).await.len(), 2);
    replica.ledger.verify(&[]).await.expect("it is whole");
    let client = house.client().await;
    for forbidden in [
        "UPDATE ledger_records SET tool = 'x'",
        "DELETE FROM ledger_records",
        "DELETE FROM ledger_links",
        "SELECT drop_ledger_partitions('1000', 9223372036854775807)",
    ] {
        let refused = client.execute(forbidden, &[]).await.expect_err("it is refused");
        assert_eq!(refused.code().map(|code| code.code().to_owned()).as_deref(), Some("42501"));
    }
    let day = chrono::Utc::now() - Duration::from_secs(24 * 60 * 60);
    assert_eq!(replica.ledger.erase_before(day).await.expect("nothing is due"), 0);
    replica.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chain_is_written_by_its_writer_alone_and_a_reader_writes_none() {
    let Some(url) = server::url() else { return };
    let house = House::new(url);
    let replica = house.replica("a").await;
    replica.call(1, "trace-1", 1).await;
    replica.ledger.flush().await.expect("it is flushed");
    let mut store = PostgresLedger::read_only(&house.store().await).expect("it opens");
    let shared = store.shared().expect("it is shared");
    let chain = shared.chains(None, 10).expect("a list")[0].id;
    let entries = shared.read_chain(chain, 0, 10).expect("its entries");
    assert_eq!(shared.count_chain(chain).expect("a number"), entries.len() as u64);
    let refused = store.append(&entries).expect_err("it is read-only");
    assert_eq!(refused.kind(), StoreErrorKind::ReadOnly);
    let mut other = PostgresLedger::open(&house.store().await, "b").expect("it opens");
    other.append(&entries[..2]).expect("a chain of its own");
    let refused = other.append(&entries[..1]).expect_err("its number is taken");
    assert_eq!(refused.kind(), StoreErrorKind::Damaged);
    assert_eq!(other.count().expect("a number"), 2);
    assert_eq!(other.read(1, 10).expect("an entry"), &entries[1..2]);
}
