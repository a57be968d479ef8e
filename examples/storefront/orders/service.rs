//! The service: accepts orders on its own port, and loses its connection on demand.
//!
//! It keeps a file of the accepted requests, and reads it when it starts.

use std::collections::HashMap;
use std::convert::identity;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::mem::take;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::HeaderMap;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tool_runtime::contracts::trace_context::{TRACEPARENT, TRACESTATE, TraceContext};
use tool_runtime::serde_json;

use super::{Claim, MAX_BODY_LENGTH, Order, Receipt, Refused, Reply, Request};

/// A running order service, which stops when dropped.
#[derive(Debug)]
pub(crate) struct OrderService {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
    listening: JoinHandle<()>,
}

/// The accepted orders.
#[derive(Debug)]
struct Book {
    /// The accepted requests, one per line.
    file: File,
    orders: Vec<Order>,
    /// The trace of each order; `None` if its request had no trace.
    traces: Vec<Option<String>>,
    claims: HashMap<String, Claimed>,
    lose_next_answer: bool,
}

/// A line of the file.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    #[serde(flatten)]
    request: Request,
    /// The `traceparent` of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<String>,
}

#[derive(Debug)]
struct Claimed {
    number: usize,
    fence: Option<u64>,
}

/// The longest time for a client to send its request and read the answer.
const PATIENCE: Duration = Duration::from_secs(2);

impl OrderService {
    /// Starts on a free local port, with the orders in this file.
    pub(crate) async fn start(file: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (address, book) = (listener.local_addr()?, Arc::new(Mutex::new(Book::open(file)?)));
        let listening = tokio::spawn(listen(listener, Arc::clone(&book)));
        Ok(Self { address, book, listening })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the accepted orders, oldest first.
    pub(crate) fn orders(&self) -> Vec<Order> {
        lock(&self.book).orders.clone()
    }

    /// Returns the `traceparent` of each order, oldest first.
    pub(crate) fn traces(&self) -> Vec<Option<String>> {
        lock(&self.book).traces.clone()
    }

    /// Drops the answer to the next order, like a broken connection.
    pub(crate) fn lose_next_answer(&self) {
        lock(&self.book).lose_next_answer = true;
    }
}

impl Drop for OrderService {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Serves one connection at a time, which bounds their number.
async fn listen(listener: TcpListener, book: Arc<Mutex<Book>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let answering = service_fn(|request| answer(request, Arc::clone(&book)));
        let mut connection = http1::Builder::new();
        let serving =
            connection.keep_alive(false).serve_connection(TokioIo::new(stream), answering);
        // A client that disconnects, or is too slow, gets no answer.
        let _ = timeout(PATIENCE, serving).await;
    }
}

/// Answers a request; an error closes the connection.
async fn answer(
    request: hyper::Request<Incoming>,
    book: Arc<Mutex<Book>>,
) -> io::Result<hyper::Response<Full<Bytes>>> {
    let trace = trace_of(request.headers());
    let body = Limited::new(request.into_body(), MAX_BODY_LENGTH).collect().await;
    let body = body.map_err(io::Error::other)?.to_bytes();
    let answered = spawn_blocking(move || lock(&book).answer(&body, trace)).await;
    let reply = answered.map_err(io::Error::other).and_then(identity)?;
    let reply = reply.ok_or_else(|| io::Error::other("the answer gets lost"))?;
    Ok(hyper::Response::new(Full::new(Bytes::from(serde_json::to_vec(&reply)?))))
}

/// Reads the `traceparent` of a request.
fn trace_of(headers: &HeaderMap) -> Option<String> {
    let of = |name: &str| headers.get_all(name).into_iter();
    let context = TraceContext::from_headers(of(TRACEPARENT), of(TRACESTATE)).ok()?;
    Some(context.parent().to_string())
}

impl Book {
    /// Opens the file, and accepts the requests in it again.
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut lines = String::new();
        file.read_to_string(&mut lines)?;
        let (orders, traces, claims) = (Vec::new(), Vec::new(), HashMap::new());
        let mut book = Self { file, orders, traces, claims, lose_next_answer: false };
        for line in lines.lines() {
            let Line { request, trace } = serde_json::from_str(line)?;
            if let Request::Place { order, claim } = request {
                book.take(order, claim, trace);
            }
        }
        Ok(book)
    }

    /// Answers a request's body; `None` if the answer gets lost.
    fn answer(&mut self, body: &[u8], trace: Option<String>) -> io::Result<Option<Reply>> {
        let (order, claim) = match serde_json::from_slice(body) {
            Ok(Request::Place { order, claim }) => (order, claim),
            Ok(Request::Find { key }) => return Ok(Some(self.find(&key))),
            Err(_) => return Ok(Some(Reply::Refused(Refused::Unreadable))),
        };
        let request = Request::Place { order: order.clone(), claim: claim.clone() };
        let reply = self.take(order, claim, trace.clone());
        if let Reply::Taken(_) = reply {
            writeln!(self.file, "{}", serde_json::to_string(&Line { request, trace })?)?;
        }
        Ok((!take(&mut self.lose_next_answer)).then_some(reply))
    }

    fn find(&self, key: &str) -> Reply {
        self.claims.get(key).map_or(Reply::NotTaken, |claimed| taken(claimed.number, true))
    }

    /// Accepts an order, unless one exists under its key.
    fn take(&mut self, order: Order, claim: Claim, trace: Option<String>) -> Reply {
        let Some(key) = claim.key else { return taken(self.add(order, trace), false) };
        let Some(claimed) = self.claims.get_mut(&key) else {
            let number = self.add(order, trace);
            self.claims.insert(key, Claimed { number, fence: claim.fence });
            return taken(number, false);
        };
        if claim.fence < claimed.fence {
            return Reply::Refused(Refused::LeaseLost);
        }
        if self.orders[claimed.number] != order {
            return Reply::Refused(Refused::KeyReused);
        }
        claimed.fence = claim.fence;
        taken(claimed.number, true)
    }

    fn add(&mut self, order: Order, trace: Option<String>) -> usize {
        self.orders.push(order);
        self.traces.push(trace);
        self.orders.len() - 1
    }
}

fn taken(number: usize, repeated: bool) -> Reply {
    Reply::Taken(Receipt { order_id: format!("order-{}", number + 1), repeated })
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
