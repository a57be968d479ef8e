//! Connections that are lost, busy or the host's own.

use std::time::Duration;

use futures::future::join_all;
use rustix::process::{Pid, Signal, kill_process};
use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, IdempotencyStore as _, OutputStore as _, PostgresStore, ScopedKey,
    Settlement, StoreErrorKind, UnixMillis,
};
use tool_runtime::testing::conformance;

use crate::private_server::PrivateServer;
use crate::server;

const NOW: UnixMillis = UnixMillis::new(1_800_000_000_000);

fn request(name: &str) -> ClaimRequest {
    let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", name);
    ClaimRequest::new(key, Digest::compute("test", b"{}"), NOW, Duration::from_secs(30))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_the_server_ends_are_replaced() {
    let Some(url) = server::url() else { return };
    let (server, name) = (url, server::schema());
    let store = server::store(&format!("{server}?application_name={name}")).await;
    for round in 0..5 {
        let requests: Vec<_> = (0..8).map(|number| request(&format!("{round}/{number}"))).collect();
        let claims = join_all(requests.iter().map(|request| store.claim(request.clone())));
        let end = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '{name}'"
        );
        let (claims, ()) = tokio::join!(claims, server::execute(&server, &end));
        for (request, claim) in requests.iter().zip(claims) {
            match claim {
                Ok(ClaimOutcome::Acquired(_)) => {}
                Ok(other) => panic!("{other:?}"),
                Err(error) => {
                    assert_eq!(error.kind(), StoreErrorKind::Unavailable, "{error}");
                    // Its commit may have been executed; the key is free again.
                    loop {
                        match store.claim(request.clone()).await {
                            Ok(ClaimOutcome::Acquired(_)) => break,
                            Ok(ClaimOutcome::Running { .. }) | Err(_) => {
                                tokio::task::yield_now().await;
                            }
                            Ok(other) => panic!("{other:?}"),
                        }
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_waits_too_long_fails_and_leaves_no_trace() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = PostgresStore::options().schema(&schema).max_connections(1);
    let store =
        options.lock_timeout(Duration::from_millis(50)).connect(&url).await.expect("a store");
    let request = request("waits");
    let ClaimOutcome::Acquired(fence) = store.claim(request.clone()).await.expect("a claim") else {
        panic!("the key is free")
    };
    let other = server::client(&url).await;
    other
        .batch_execute(&format!(r#"BEGIN; SELECT FROM "{schema}".keys FOR UPDATE"#))
        .await
        .expect("locks");
    let until = NOW.after(Duration::from_secs(60));
    let error = store.renew(&request.key, fence, until).await.expect_err("a lock");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    assert!(error.log().contains("55P03"), "{error}");
    other.batch_execute("COMMIT").await.expect("it ends");
    assert!(store.renew(&request.key, fence, until).await.expect("the only connection works"));
    assert!(store.settle(&request.key, fence, Settlement::Released).await.expect("settled"));
}

#[tokio::test]
async fn a_ping_tells_whether_the_server_answers() {
    let Some(url) = server::url() else { return };
    let store = server::store(&url).await;
    store.ping().await.expect("the server answers");
    store.close();
    assert_eq!(store.ping().await.expect_err("closed").kind(), StoreErrorKind::Unavailable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operations_beyond_the_queue_are_refused_at_once() {
    let Some(url) = server::url() else { return };
    let store = server::options().max_queued(2).connect(&url).await.expect("a store");
    let requests: Vec<_> = (0..16).map(|number| request(&format!("{number}"))).collect();
    let claims = join_all(requests.into_iter().map(|request| store.claim(request))).await;
    let refused = claims.iter().filter(|claim| claim.is_err()).count();
    assert!(refused > 0 && refused <= 14, "{refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_shares_the_hosts_pool_and_leaves_nothing_in_its_sessions() {
    let Some(url) = server::url() else { return };
    let config = url.parse().expect("a URL");
    let manager = deadpool_postgres::Manager::new(config, tokio_postgres::NoTls);
    let pool = deadpool_postgres::Pool::builder(manager).max_size(1).build().expect("a pool");
    let store = server::options().open(pool.clone()).await.expect("the store opens");
    conformance::grants(&store).await;
    store.close();
    let session = pool.get().await.expect("the host's pool stays open");
    let settings = "SELECT coalesce(current_setting('tool_runtime.tenant', true), ''), current_setting('lock_timeout')";
    let row = session.query_one(settings, &[]).await.expect("settings");
    assert_eq!((row.get::<_, &str>(0), row.get::<_, &str>(1)), ("", "0"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_statement_that_runs_too_long_is_ended_by_the_server() {
    let Some(url) = server::url() else { return };
    let schema = server::schema();
    let options = PostgresStore::options().schema(&schema).max_connections(1);
    let options = options.lock_timeout(Duration::from_secs(60));
    let options = options.statement_timeout(Duration::from_millis(50));
    let store = options.connect(&url).await.expect("a store");
    let other = server::client(&url).await;
    let lock = format!(r#"BEGIN; LOCK TABLE "{schema}".outputs"#);
    other.batch_execute(&lock).await.expect("a lock");
    let error = store.sweep_outputs(NOW, 1).await.expect_err("a statement that takes too long");
    assert_eq!(error.kind(), StoreErrorKind::Unavailable);
    assert!(error.log().contains("57014"), "{error}");
    other.batch_execute("COMMIT").await.expect("it ends");
    assert_eq!(store.sweep_outputs(NOW, 1).await.expect("the only connection works"), 0);
}

/// The process of a session is stopped, so that the network is there and no answer comes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_does_not_answer_leaves_the_pool() {
    if server::url().is_none() {
        return;
    }
    let server = PrivateServer::start();
    let (client, _connection) = server.client().await;
    let options =
        server::options().max_connections(1).statement_timeout(Duration::from_millis(100));
    let store = options.connect(&server.url).await.expect("a store");
    assert_eq!(store.sweep_outputs(NOW, 1).await.expect("a connection"), 0);
    let other =
        "SELECT pid FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()";
    let sessions = client.query(other, &[]).await.expect("the sessions");
    let [session] = &sessions[..] else { panic!("the store has one connection: {sessions:?}") };
    let process = Pid::from_raw(session.get(0)).expect("a process");
    kill_process(process, Signal::STOP).expect("it is stopped");
    let error = store.sweep_outputs(NOW, 1).await.expect_err("no answer");
    assert!(error.log().contains("did not answer in time"), "{error}");
    assert_eq!(store.sweep_outputs(NOW, 1).await.expect("another connection"), 0);
    kill_process(process, Signal::CONT).expect("it goes on");
}
