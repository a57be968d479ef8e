//! The verification of the ledger.

use askama::Template;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::SharedState;
use crate::api::{ApiError, LedgerVerification};
use crate::pages::{self, Layout, Timestamp};
use crate::person::Person;
use crate::text::visible;

/// The ledger, with the result of its verification.
#[derive(Template)]
#[template(path = "ledger.html")]
struct LedgerPage<'p> {
    layout: Layout<'p>,
    /// `None` before a person has had it verified.
    verified: Option<VerifiedRow>,
}

/// The result of a verification, or the reason for which there is none.
enum VerifiedRow {
    Intact { records: u64, checkpoints: u64, confirmed: Option<ConfirmedRow> },
    Damaged { message: String, seq: Option<u64>, chain: Option<String> },
    Refused(String),
}

/// A checkpoint outside of the ledger.
struct ConfirmedRow {
    records: u64,
    at: Option<Timestamp>,
    root: String,
}

/// Shows the form that verifies the ledger.
pub(crate) async fn show(person: Person) -> Response {
    pages::render(StatusCode::OK, &page(&person, None))
}

/// Verifies the ledger, and shows the result.
pub(crate) async fn verify(
    person: Person,
    State(shared): State<SharedState>,
    body: Bytes,
) -> Response {
    if !person.sent(&pages::form_fields(&body)) {
        return pages::stale_form(&person);
    }
    let (status, row) = match shared.api.verify_ledger(&person.caller()).await {
        Ok(verification) => (StatusCode::OK, row(verification)),
        Err(ApiError::Refused { status, message }) if status != StatusCode::UNAUTHORIZED => {
            (status, VerifiedRow::Refused(visible(&message).into_owned()))
        }
        Err(error) => return pages::refused(&shared, &person, None, &error),
    };
    pages::render(status, &page(&person, Some(row)))
}

fn page(person: &Person, verified: Option<VerifiedRow>) -> LedgerPage<'_> {
    LedgerPage { layout: Layout::new(person, person.request.texts.ledger), verified }
}

fn row(verification: LedgerVerification) -> VerifiedRow {
    let LedgerVerification { intact, records, checkpoints, confirmed, fault } = verification;
    if intact {
        let confirmed = confirmed.map(|checkpoint| ConfirmedRow {
            records: checkpoint.records,
            at: checkpoint.at.map(Timestamp),
            root: checkpoint.root,
        });
        let [records, checkpoints] = [records, checkpoints].map(Option::unwrap_or_default);
        return VerifiedRow::Intact { records, checkpoints, confirmed };
    }
    let (message, seq, chain) =
        fault.map(|fault| (fault.message, fault.seq, fault.chain)).unwrap_or_default();
    VerifiedRow::Damaged { message, seq, chain: chain.map(|chain| chain.to_string()) }
}
