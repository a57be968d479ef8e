//! Follows a page of the waiting calls with server-sent events (HTML standard): an event for each change of its tickets.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures::stream;
use serde::Serialize;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::inbox::{self, InboxPage, InboxQuery};
use crate::endpoints::call::events::{StreamPermit, event_stream, write_event};
use crate::request::access_records;
use crate::request::admission::AuthorizedCaller;
use crate::request::time_limit::within_time_limit;
use crate::response::Answer;
use crate::state::app::SharedApp;

/// The time between two looks at the store: other processes decide about calls too.
const INTERVAL: Duration = Duration::from_secs(2);

/// The time after which a stream ends: its client connects again, and is authenticated again.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// The time after which a client whose stream has ended connects again, in milliseconds.
const RETRY: &str = "retry: 3000\n\n";

/// A stream of changes.
struct ChangeStream {
    app: SharedApp,
    authorized: AuthorizedCaller,
    query: InboxQuery,
    /// The tickets of the last event; `None` before the first one.
    last_tickets: Option<WaitingTickets>,
    /// The page that was read before the stream began, so that a client knows at once whether it may follow.
    first: Option<InboxPage>,
    ends_at: Instant,
    /// When something was sent last.
    sent_at: Instant,
    _permit: StreamPermit,
}

/// The data of an event.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct WaitingTickets {
    tickets: Vec<Uuid>,
    /// The cursor of the next page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Uuid>,
}

/// A look at the store.
enum Look {
    Page(InboxPage),
    /// The caller reads as much as it may; the next look comes in time.
    Skipped,
    /// The stream ends: a client that connects again is told why.
    End,
}

/// Answers with the changes of a page, which has been read once.
pub(super) fn follow(
    app: &SharedApp,
    authorized: AuthorizedCaller,
    query: InboxQuery,
    first: InboxPage,
    permit: StreamPermit,
) -> Answer {
    let now = Instant::now();
    let changes = ChangeStream {
        app: app.clone(),
        authorized,
        query,
        last_tickets: None,
        first: Some(first),
        ends_at: now + LIFETIME,
        sent_at: now,
        _permit: permit,
    };
    event_stream(Body::from_stream(stream::unfold(changes, ChangeStream::advance)))
}

impl ChangeStream {
    async fn advance(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let text = self.next().await?;
        self.sent_at = Instant::now();
        Some((Ok(text.into()), self))
    }

    /// Waits for the next event; `None` at the end of the stream.
    async fn next(&mut self) -> Option<String> {
        loop {
            let look = match self.first.take() {
                Some(page) => Look::Page(page),
                None => self.look().await,
            };
            let waiting = match look {
                Look::Page(page) => {
                    Some(WaitingTickets { tickets: page.tickets(), next: page.next() })
                }
                Look::Skipped => None,
                Look::End => return None,
            };
            if let Some(waiting) = waiting.filter(|it| self.last_tickets.as_ref() != Some(it)) {
                let retry = if self.last_tickets.is_none() { RETRY } else { "" };
                let data = serde_json::to_string(&waiting).ok()?;
                self.last_tickets = Some(waiting);
                return Some(format!("{retry}{}", write_event("waiting", None, &data)));
            }
            if self.sent_at.elapsed() >= self.app.config.limits.keep_alive {
                return Some(": no change\n\n".to_owned());
            }
        }
    }

    /// Reads the page again after a while.
    async fn look(&self) -> Look {
        let at = Instant::now() + INTERVAL;
        if at >= self.ends_at {
            return Look::End;
        }
        tokio::select! {
            biased;
            () = self.app.config.drain.begun() => return Look::End,
            () = sleep_until(at) => {}
        }
        let Ok(_permit) = access_records::acquire_read(&self.app, self.authorized.principal())
        else {
            return Look::Skipped;
        };
        let page = inbox::read(&self.app, &self.authorized, self.query);
        within_time_limit(&self.app, page).await.map_or(Look::End, Look::Page)
    }
}
