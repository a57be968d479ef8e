//! The client, whose errors tell the order's outcome as far as it is known.

use std::io;
use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tool_runtime::prelude::*;
use tool_runtime::serde_json;
use tool_runtime::trace::TraceHeaders;

use super::{Claim, MAX_BODY_LENGTH, Order, PATH, Receipt, Refused, Reply, Request};

/// Places orders.
#[derive(Debug)]
pub(crate) struct OrderClient {
    service: SocketAddr,
}

/// The error of placing an order.
#[derive(Debug, ToolFailure)]
pub(crate) enum OrderError {
    /// Nothing was sent.
    #[failure(
        UNAVAILABLE,
        message = "the order service cannot be reached",
        retry_after = "2s",
        endpoint = "orders"
    )]
    Unreachable(io::Error),
    /// The order was sent, and its outcome is not known.
    #[failure(
        UPSTREAM_ERROR,
        message = "the order service took the request and did not answer; the order may stand",
        endpoint = "orders"
    )]
    Unanswered(io::Error),
    /// The service could not read the order.
    #[failure(UPSTREAM_ERROR, hide, endpoint = "orders")]
    Unreadable,
    /// The key belongs to another order.
    #[failure(INVALID_ARGUMENT, message = "another order was placed for the same request")]
    KeyReused,
    /// Another run has taken over the call.
    #[failure(CONFLICT, message = "this order is being placed elsewhere")]
    LeaseLost,
}

impl From<Refused> for OrderError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Unreadable => Self::Unreadable,
            Refused::KeyReused => Self::KeyReused,
            Refused::LeaseLost => Self::LeaseLost,
        }
    }
}

impl OrderClient {
    pub(crate) fn new(service: SocketAddr) -> Self {
        Self { service }
    }

    /// Places an order once. The claim determines if a repeat is safe.
    pub(crate) async fn place(
        &self,
        order: Order,
        claim: Claim,
        headers: &TraceHeaders,
    ) -> Result<Receipt, OrderError> {
        let placed = self.ask(&Request::Place { order, claim }, headers).await?;
        placed.ok_or(OrderError::Unreadable)
    }

    /// Finds the order that was accepted under a key.
    pub(crate) async fn find(
        &self,
        key: &str,
        headers: &TraceHeaders,
    ) -> Result<Option<Receipt>, OrderError> {
        self.ask(&Request::Find { key: key.to_owned() }, headers).await
    }

    async fn ask(
        &self,
        request: &Request,
        headers: &TraceHeaders,
    ) -> Result<Option<Receipt>, OrderError> {
        let stream = TcpStream::connect(self.service).await.map_err(OrderError::Unreachable)?;
        match self.exchange(stream, request, headers).await.map_err(OrderError::Unanswered)? {
            Reply::Taken(receipt) => Ok(Some(receipt)),
            Reply::NotTaken => Ok(None),
            Reply::Refused(why) => Err(why.into()),
        }
    }

    /// Sends a request, with the headers that continue the call's trace.
    async fn exchange(
        &self,
        stream: TcpStream,
        request: &Request,
        headers: &TraceHeaders,
    ) -> io::Result<Reply> {
        let mut sent = hyper::Request::post(PATH)
            .header(HOST, self.service.to_string())
            .header(CONTENT_TYPE, "application/json");
        for (name, value) in headers.iter() {
            sent = sent.header(name, value);
        }
        let body = Full::new(Bytes::from(serde_json::to_vec(request)?));
        let sent = sent.body(body).map_err(io::Error::other)?;
        let shaken = http1::handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        let (mut sender, connection) = shaken;
        // It ends when its sender is dropped; the sender also gets its errors.
        tokio::spawn(connection);
        let answer = sender.send_request(sent).await.map_err(io::Error::other)?;
        let body = Limited::new(answer.into_body(), MAX_BODY_LENGTH).collect().await;
        Ok(serde_json::from_slice(&body.map_err(io::Error::other)?.to_bytes())?)
    }
}
