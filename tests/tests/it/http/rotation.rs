//! Keys that are replaced while a server answers: callers with valid keys notice nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tokio::task::JoinHandle;
use tool_runtime::http::{self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal};
use tool_runtime::prelude::*;

use super::wire::{Running, Wire, patient, soon};

const HEADERS: &str = "content-type: application/json\r\nx-tenant-id: yantian\r\n\
                       x-site-id: main\r\nx-trace-id: trace-1\r\n";
const CALL: &str = r#"{"tool_name":"ping","input":{}}"#;

/// Answers.
#[ai_tool(effect = "read")]
async fn ping() -> bool {
    true
}

/// A service that calls repeatedly with one key, on its own connection.
struct Caller {
    answered: Arc<AtomicU32>,
    stop: Arc<AtomicBool>,
    task: JoinHandle<Vec<u16>>,
}

impl Caller {
    async fn start(server: &Running, key: &ApiKey) -> Self {
        let (answered, stop) = (Arc::<AtomicU32>::default(), Arc::<AtomicBool>::default());
        let (count, end) = (Arc::clone(&answered), Arc::clone(&stop));
        let (mut wire, key) = (server.connect().await, key.expose().to_owned());
        let task = tokio::spawn(async move {
            let mut others = Vec::new();
            while !end.load(Ordering::SeqCst) {
                let status = call(&mut wire, &key).await;
                others.extend(Some(status).filter(|status| *status != 200));
                count.fetch_add(1, Ordering::SeqCst);
            }
            others
        });
        Self { answered, stop, task }
    }

    /// Waits until some requests that began from now on are answered.
    async fn go_on(&self) {
        let enough = self.answered.load(Ordering::SeqCst) + 5;
        soon(async {
            while self.answered.load(Ordering::SeqCst) < enough {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }

    /// Returns the statuses other than 200.
    async fn end(self) -> Vec<u16> {
        self.stop.store(true, Ordering::SeqCst);
        soon(self.task).await.unwrap()
    }
}

async fn call(wire: &mut Wire<tokio::net::TcpStream>, key: &str) -> u16 {
    let headers = format!("{HEADERS}x-internal-api-key: {key}\r\n");
    wire.post("/tools/call", &headers, CALL).await.status
}

fn key() -> ApiKey {
    ApiKey::generate().unwrap()
}

fn set(keys: &[&ApiKey]) -> ApiKeySet {
    let principal = Principal::trusted("orchestrator");
    keys.iter().fold(ApiKeySet::new(), |set, key| set.with(key.hash(), principal.clone()).unwrap())
}

async fn served(keys: &ApiKeys) -> Running {
    let runtime = Runtime::builder().tool::<PingTool>().build().unwrap();
    let config = HttpConfig::new(Auth::new().api_keys(keys));
    Running::start(http::router(runtime, config), patient()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_fails_while_its_key_is_changed_and_the_former_key_fails_after() {
    let mut current = key();
    let keys = ApiKeys::new(set(&[&current]));
    let mut server = served(&keys).await;
    for round in 0..8 {
        let next = key();
        let before = Caller::start(&server, &current).await;
        before.go_on().await;
        keys.replace(set(&[&current, &next]));
        let after = Caller::start(&server, &next).await;
        before.go_on().await;
        after.go_on().await;
        let refused = before.end().await;
        assert!(refused.is_empty(), "round {round}: the former key, while both hold: {refused:?}");
        keys.replace(set(&[&next]));
        let mut wire = server.connect().await;
        assert_eq!(call(&mut wire, current.expose()).await, 401, "round {round}");
        after.go_on().await;
        let refused = after.end().await;
        assert!(refused.is_empty(), "round {round}: the new key: {refused:?}");
        current = next;
    }
    server.stop();
    server.ended().await;
}

#[tokio::test]
async fn a_connection_outlives_no_key_and_a_key_that_is_over_is_refused_on_it() {
    let (lasting, ending) = (key(), key());
    let principal = || Principal::trusted("orchestrator");
    let until = |moment| {
        let set = ApiKeySet::new().with(lasting.hash(), principal()).unwrap();
        set.with_until(ending.hash(), principal(), moment).unwrap()
    };
    let keys = ApiKeys::new(until(SystemTime::now() + Duration::from_secs(3_600)));
    let server = served(&keys).await;
    let mut wire = server.connect().await;
    assert_eq!(call(&mut wire, ending.expose()).await, 200);
    keys.replace(until(SystemTime::now() - Duration::from_secs(1)));
    assert_eq!(call(&mut wire, ending.expose()).await, 401, "it was good on this very connection");
    assert_eq!(call(&mut wire, lasting.expose()).await, 200);
}
