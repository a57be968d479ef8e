//! The conformance suites, directly and through a pooler.

use std::time::Duration;

use futures::future::join_all;
use tool_runtime::ledger::PostgresLedger;
use tool_runtime::testing::conformance;

use crate::server;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_keeps_every_promise() {
    for url in server::urls() {
        let store = server::store(&url).await;
        conformance::all(&store).await;
        conformance::quotas(&store).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn evidence_keeps_every_promise() {
    for url in server::urls() {
        conformance::evidence(&server::store(&url).await).await;
    }
}

/// The pooler gives two sessions to them all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_stores_behind_one_pooler_keep_every_promise() {
    for url in server::urls() {
        let options = server::options().max_connections(2).connect_timeout(Duration::from_secs(60));
        let stores = join_all((0..40).map(|_| options.clone().connect(&url))).await;
        let stores: Vec<_> = stores.into_iter().map(|it| it.expect("the store opens")).collect();
        join_all(stores.iter().map(|store| conformance::grants(store))).await;
        // One after the other, since each suite sweeps the tickets of all.
        for store in stores.iter().take(4) {
            conformance::tickets(store).await;
        }
    }
}

/// Directly: a pooler of an older version would give a connection the statements of another client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_with_prepared_statements_keeps_every_promise() {
    let Some(url) = server::url() else { return };
    let options = server::options().prepared_statements(true);
    conformance::all(&options.connect(&url).await.expect("a store")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_shared_ledger_keeps_every_promise() {
    for url in server::urls() {
        let handle = tokio::runtime::Handle::current();
        let suite = tokio::task::spawn_blocking(move || {
            conformance::shared_ledgers(|| {
                let store = handle.block_on(server::store(&url));
                ["a", "b"].map(|name| PostgresLedger::open(&store, name).expect("it opens"))
            });
        });
        suite.await.expect("every promise is kept");
    }
}
