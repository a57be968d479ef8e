//! A client that calls, waits, breaks rules, and checks every answer.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tool_tests::rng::SeededRng;

use tokio::time::{Instant, sleep};

use super::act::Act;
use super::request::{Call, Request};
use super::tally::Tally;
use super::wire::{Answer, Wire};

/// The number of recent keyed writes that may be repeated.
const REMEMBERED: usize = 64;

/// The state that all clients share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) tally: Tally,
    /// The number of the last request, which names its trace.
    number: AtomicU64,
    written: Mutex<VecDeque<Call>>,
}

/// One of many clients.
#[derive(Debug)]
pub(super) struct Client {
    port: u16,
    rng: SeededRng,
    shared: Arc<Shared>,
    /// The connection that is kept open between requests.
    wire: Option<Wire>,
}

impl Shared {
    pub(super) fn number(&self) -> u64 {
        self.number.fetch_add(1, Ordering::Relaxed)
    }

    fn remember(&self, call: Call) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.push_back(call);
        if written.len() > REMEMBERED {
            written.pop_front();
        }
    }

    fn one_of_the_last(&self, rng: &mut SeededRng) -> Option<Call> {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        let at = rng.below(u64::try_from(written.len()).unwrap_or_default());
        written.get(usize::try_from(at).unwrap_or_default()).cloned()
    }
}

impl Client {
    pub(super) fn new(port: u16, seed: u64, shared: Arc<Shared>) -> Self {
        Self { port, rng: SeededRng::new(seed), shared, wire: None }
    }

    /// Acts until this time, and finishes the last action.
    pub(super) async fn run(mut self, until: Instant) {
        while Instant::now() < until {
            let act = Act::roll(&mut self.rng);
            self.shared.tally.begins(act);
            if act.breaks_off() {
                self.break_off(act).await;
            } else {
                self.ask(act).await;
            }
            sleep(Duration::from_millis(self.rng.below(20))).await;
        }
    }

    async fn ask(&mut self, act: Act) {
        let number = self.shared.number();
        let request = match act {
            // Another client may have repeated it before it was sent here.
            Act::Note => self.note(number).answered(&[200, 409]),
            Act::NoteAgain => self.note_again(number).answered(&[200, 409]),
            _ => act.request(number, &mut self.rng),
        };
        match self.exchange(&request).await {
            Ok(answer) => {
                if let Err(wrong) = request.expected.judge(&answer) {
                    self.shared.tally.wrong(act, wrong);
                }
            }
            Err(error) => self.shared.tally.unanswered(act, &error),
        }
    }

    /// Sends a request and reads its answer, on the connection that is open or on a new one.
    async fn exchange(&mut self, request: &Request) -> io::Result<Answer> {
        let mut wire = match self.wire.take() {
            Some(wire) => wire,
            None => Wire::connect(self.port).await?,
        };
        wire.send(&request.bytes).await?;
        let answer = wire.answer().await?;
        // After an unread body was rejected, the server may close the connection.
        let was_read = !matches!(answer.status, 400 | 401 | 404 | 405 | 413 | 415);
        if answer.stays_open && was_read && !self.rng.one_in(50) {
            self.wire = Some(wire);
        }
        Ok(answer)
    }

    fn note(&mut self, number: u64) -> Call {
        let input = format!(r#"{{"text":"note {number}","ms":{}}}"#, self.rng.below(40));
        let call = Call { key: Some(format!("key-{number}")), ..Call::of(number, "note", input) };
        self.shared.remember(call.clone());
        call
    }

    /// Repeats one of the last writes under its key, which may still be running.
    fn note_again(&mut self, number: u64) -> Call {
        let again = self.shared.one_of_the_last(&mut self.rng);
        again.map_or_else(|| self.note(number), |call| Call { number, ..call })
    }

    /// Performs an action without an answer, or does not wait for it.
    async fn break_off(&mut self, act: Act) {
        let result = match Wire::connect(self.port).await {
            Ok(wire) => self.misbehave(act, wire).await,
            Err(error) => Err(error),
        };
        if let Err(error) = result {
            self.shared.tally.unanswered(act, &error);
        }
    }

    async fn misbehave(&mut self, act: Act, mut wire: Wire) -> io::Result<()> {
        let number = self.shared.number();
        let wait = || Call::of(number, "wait", r#"{"steps":10,"step_ms":20}"#);
        match act {
            Act::HalfAHead => return self.half(wire, &wait(), true).await,
            Act::HalfABody => return self.half(wire, &wait(), false).await,
            // The beginning of a TLS client's first message.
            Act::Garbage => {
                wire.send(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x00\xff\r\n\r\n").await?;
                return wire.ends().await;
            }
            Act::Drip => {
                for byte in wait().bytes().chunks(1).take(50) {
                    wire.send(byte).await?;
                    sleep(Duration::from_millis(20)).await;
                }
            }
            Act::HangUpInAWrite => {
                let note = self.note(number);
                wire.send(&note.bytes()).await?;
                self.pause(50).await;
            }
            Act::HangUpInAStream => {
                wire.send(&wait().streaming().bytes()).await?;
                wire.beginning().await?;
                self.pause(100).await;
            }
            Act::NeverRead => return self.never_read(wire).await,
            _ => {
                wire.send(&wait().bytes()).await?;
                self.pause(150).await;
            }
        }
        self.leave(wire);
        Ok(())
    }

    /// Sends a part of a call, and disconnects, or waits until the server closes the connection.
    async fn half(&mut self, mut wire: Wire, call: &Call, of_the_head: bool) -> io::Result<()> {
        let (bytes, head) = (call.bytes(), call.head(call.body().len()).len());
        let (from, to) = if of_the_head { (1, head - 1) } else { (head, bytes.len() - 1) };
        let span = u64::try_from(to - from).unwrap_or_default();
        let cut = from + usize::try_from(self.rng.below(span)).unwrap_or_default();
        wire.send(&bytes[..cut]).await?;
        if self.rng.one_in(4) {
            return wire.ends().await;
        }
        self.pause(30).await;
        self.leave(wire);
        Ok(())
    }

    /// Requests more data than the network buffers hold, and reads nothing.
    async fn never_read(&mut self, mut wire: Wire) -> io::Result<()> {
        for _ in 0..8 {
            let call = Call::of(self.shared.number(), "large", r#"{"bytes":1000000}"#);
            wire.send(&call.bytes()).await?;
        }
        self.pause(4_000).await;
        self.leave(wire);
        Ok(())
    }

    async fn pause(&mut self, most_ms: u64) {
        sleep(Duration::from_millis(self.rng.below(most_ms))).await;
    }

    fn leave(&mut self, wire: Wire) {
        if self.rng.one_in(2) {
            wire.reset();
        }
    }
}
