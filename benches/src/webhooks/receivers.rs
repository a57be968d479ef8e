//! Receivers of webhooks: a steady one, one that fails, one that is slow, and one whose answers the sender misses.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use serde::Deserialize;
use tokio::net::TcpListener;
use tool_tests::rng::SeededRng;

use crate::rates::text;

pub(super) const RECEIVERS: [&str; 4] = ["steady", "failing", "slow", "unheard"];

/// The longest time that the slow receiver takes, in milliseconds: half of its answers come too late.
const SLOWEST_MS: u64 = 2 * super::sender::TIMEOUT_MS;

/// A server with all receivers.
pub(super) struct Receivers {
    url: String,
    receipts: Arc<Mutex<Receipts>>,
    _executor: tokio::runtime::Runtime,
}

/// The requests that the receivers have got.
#[derive(Debug)]
pub(super) struct Receipts {
    rng: SeededRng,
    /// By receiver, ticket, type and id: the requests under this id that the receiver has taken.
    taken: BTreeMap<(String, String, String, String), u32>,
    /// By receiver and id: the body.
    bodies: BTreeMap<(String, String), Bytes>,
    /// By receiver: all requests, and those that it has failed.
    requests: BTreeMap<String, [usize; 2]>,
    pub(super) altered: usize,
}

#[derive(Deserialize)]
struct ReceivedEvent {
    #[serde(rename = "type")]
    event_type: String,
    data: ReceivedData,
}

#[derive(Deserialize)]
struct ReceivedData {
    ticket_id: String,
}

/// The treatment of a request.
enum Treatment {
    Take,
    Fail,
    /// The sender may not wait for as long, and then does not learn that the event was taken.
    TakeLate(Duration),
}

impl Receivers {
    pub(super) fn start() -> Result<Self, String> {
        let executor = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(text)?;
        let receipts = Arc::new(Mutex::new(Receipts {
            rng: SeededRng::new(5),
            taken: BTreeMap::new(),
            bodies: BTreeMap::new(),
            requests: BTreeMap::new(),
            altered: 0,
        }));
        let app = Router::new().route("/{receiver}", post(receive)).with_state(receipts.clone());
        let listener = executor.block_on(TcpListener::bind("127.0.0.1:0")).map_err(text)?;
        let url = format!("http://{}", listener.local_addr().map_err(text)?);
        executor.spawn(async move { axum::serve(listener, app).await });
        Ok(Self { url, receipts, _executor: executor })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn receipts(&self) -> MutexGuard<'_, Receipts> {
        self.receipts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Receipts {
    /// Returns how many events the receivers have got, each once.
    pub(super) fn deliveries(&self) -> usize {
        self.taken.len()
    }

    /// Returns how many requests had an id that their receiver had taken before.
    pub(super) fn repeated(&self) -> u32 {
        self.taken.values().map(|requests| requests - 1).sum()
    }

    /// Returns all requests of a receiver, those that it has failed, and the events that it has got.
    pub(super) fn counts(&self, receiver: &str) -> [usize; 3] {
        let [requests, failed] = self.requests.get(receiver).copied().unwrap_or_default();
        let delivered = self.taken.keys().filter(|(name, ..)| name == receiver).count();
        [requests, failed, delivered]
    }

    /// Returns the ids under which a receiver has got events of a type about a ticket.
    pub(super) fn ids<'r>(
        &'r self,
        receiver: &str,
        ticket: &str,
        event_type: &str,
    ) -> impl Iterator<Item = &'r str> + use<'r> {
        let first = (receiver.to_owned(), ticket.to_owned(), event_type.to_owned(), String::new());
        let same = first.clone();
        let ids = self.taken.range(first..).map(|(key, _)| key);
        ids.take_while(move |key| (&key.0, &key.1, &key.2) == (&same.0, &same.1, &same.2))
            .map(|key| key.3.as_str())
    }

    fn take(&mut self, receiver: String, id: String, body: &Bytes) -> Treatment {
        let treatment = match receiver.as_str() {
            "failing" if self.rng.one_in(2) => Treatment::Fail,
            "slow" => Treatment::TakeLate(Duration::from_millis(self.rng.below(SLOWEST_MS))),
            "unheard" if self.rng.one_in(3) => {
                Treatment::TakeLate(Duration::from_millis(SLOWEST_MS))
            }
            _ => Treatment::Take,
        };
        let [requests, failed] = self.requests.entry(receiver.clone()).or_default();
        *requests += 1;
        let Ok(event) = serde_json::from_slice::<ReceivedEvent>(body) else {
            self.altered += 1;
            return Treatment::Fail;
        };
        let first_body = self.bodies.entry((receiver.clone(), id.clone())).or_insert(body.clone());
        self.altered += usize::from(first_body != body);
        if matches!(treatment, Treatment::Fail) {
            *failed += 1;
        } else {
            let key = (receiver, event.data.ticket_id, event.event_type, id);
            *self.taken.entry(key).or_default() += 1;
        }
        treatment
    }
}

async fn receive(
    State(receipts): State<Arc<Mutex<Receipts>>>,
    Path(receiver): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> StatusCode {
    let id = headers.get("webhook-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    let treatment = {
        let mut receipts = receipts.lock().unwrap_or_else(PoisonError::into_inner);
        receipts.take(receiver, id.to_owned(), &body)
    };
    match treatment {
        Treatment::Take => StatusCode::NO_CONTENT,
        Treatment::Fail => StatusCode::INTERNAL_SERVER_ERROR,
        Treatment::TakeLate(time) => {
            tokio::time::sleep(time).await;
            StatusCode::NO_CONTENT
        }
    }
}
