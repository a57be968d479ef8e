//! The service: takes orders on a port of its own, and loses its connection when told to.
//!
//! It keeps a file of the requests that it took, and reads it again when it starts.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::mem::take;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::timeout;
use tool_runtime::serde_json;

use super::{Claim, LONGEST_LINE, Order, Receipt, Refused, Reply, Request};

/// A running order service; dropped, it stops.
#[derive(Debug)]
pub(crate) struct OrderService {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
    listening: JoinHandle<()>,
}

/// The orders that were taken.
#[derive(Debug)]
struct Book {
    /// Each request that was taken, in a line of its own.
    file: File,
    orders: Vec<Order>,
    claims: HashMap<String, Claimed>,
    lose_next_answer: bool,
}

#[derive(Debug)]
struct Claimed {
    number: usize,
    fence: Option<u64>,
}

/// How long a client may take to send its line and to read the answer.
const PATIENCE: Duration = Duration::from_secs(2);

impl OrderService {
    /// Starts on a free port of this machine, with the orders that are in this file.
    pub(crate) async fn start(file: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let (address, book) = (listener.local_addr()?, Arc::new(Mutex::new(Book::open(file)?)));
        let listening = tokio::spawn(listen(listener, Arc::clone(&book)));
        Ok(Self { address, book, listening })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the orders that it took, in their order.
    pub(crate) fn orders(&self) -> Vec<Order> {
        lock(&self.book).orders.clone()
    }

    /// Lets the next order be taken and its answer be lost, as a broken connection would.
    pub(crate) fn lose_next_answer(&self) {
        lock(&self.book).lose_next_answer = true;
    }
}

impl Drop for OrderService {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// Serves one connection after the other, which bounds them.
async fn listen(listener: TcpListener, book: Arc<Mutex<Book>>) {
    while let Ok((stream, _)) = listener.accept().await {
        // A client that breaks off, or is too slow, is its own loss.
        let _ = timeout(PATIENCE, serve(stream, Arc::clone(&book))).await;
    }
}

async fn serve(mut stream: TcpStream, book: Arc<Mutex<Book>>) -> io::Result<()> {
    let mut line = String::new();
    BufReader::new((&mut stream).take(LONGEST_LINE)).read_line(&mut line).await?;
    let answered = spawn_blocking(move || lock(&book).answer(&line)).await;
    let Some(reply) = answered.map_err(io::Error::other)?? else { return Ok(()) };
    let mut reply = serde_json::to_vec(&reply)?;
    reply.push(b'\n');
    stream.write_all(&reply).await
}

impl Book {
    /// Opens the file, and takes the requests in it again.
    fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut lines = String::new();
        file.read_to_string(&mut lines)?;
        let (orders, claims) = (Vec::new(), HashMap::new());
        let mut book = Self { file, orders, claims, lose_next_answer: false };
        for line in lines.lines() {
            if let Request::Place { order, claim } = serde_json::from_str(line)? {
                book.take(order, claim);
            }
        }
        Ok(book)
    }

    /// Answers a line; none if the answer gets lost.
    fn answer(&mut self, line: &str) -> io::Result<Option<Reply>> {
        let (order, claim) = match serde_json::from_str(line) {
            Ok(Request::Place { order, claim }) => (order, claim),
            Ok(Request::Find { key }) => return Ok(Some(self.find(&key))),
            Err(_) => return Ok(Some(Reply::Refused(Refused::Unreadable))),
        };
        let reply = self.take(order, claim);
        if let Reply::Taken(_) = reply {
            writeln!(self.file, "{}", line.trim_end())?;
        }
        Ok((!take(&mut self.lose_next_answer)).then_some(reply))
    }

    fn find(&self, key: &str) -> Reply {
        self.claims.get(key).map_or(Reply::NotTaken, |claimed| taken(claimed.number, true))
    }

    /// Takes an order, unless its key says that it stands already.
    fn take(&mut self, order: Order, claim: Claim) -> Reply {
        let Some(key) = claim.key else { return taken(self.add(order), false) };
        let Some(claimed) = self.claims.get_mut(&key) else {
            let number = self.add(order);
            self.claims.insert(key, Claimed { number, fence: claim.fence });
            return taken(number, false);
        };
        if claim.fence < claimed.fence {
            return Reply::Refused(Refused::Overtaken);
        }
        if self.orders[claimed.number] != order {
            return Reply::Refused(Refused::KeyReused);
        }
        claimed.fence = claim.fence;
        taken(claimed.number, true)
    }

    fn add(&mut self, order: Order) -> usize {
        self.orders.push(order);
        self.orders.len() - 1
    }
}

fn taken(number: usize, repeated: bool) -> Reply {
    Reply::Taken(Receipt { order_id: format!("order-{}", number + 1), repeated })
}

fn lock(book: &Mutex<Book>) -> MutexGuard<'_, Book> {
    book.lock().unwrap_or_else(PoisonError::into_inner)
}
