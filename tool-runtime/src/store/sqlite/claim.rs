//! Claiming a key, and giving it back where the claimant has stopped waiting.

use rusqlite::{Connection, named_params};

use super::archive;
use super::checksum::RowKeys;
use super::columns::count;
use super::queue::Queue;
use super::row::{self, Found, KeyRow, fence_number};
use crate::store::{ClaimRequest, Claimed, Fence, KeyState, UnixMillis};

const GIVE_UP: &str = "DELETE FROM keys WHERE fence = :fence AND state = 0";

/// Counts no further than the share.
const UNKNOWN_OF_ASKER: &str = "
    SELECT count(*) FROM (
        SELECT 1 FROM keys WHERE tenant = :tenant AND asker = :asker AND state = 2 LIMIT :most)";

/// What a claim did to the file.
pub(super) struct Taken {
    claimed: Claimed,
    undo: Option<Undo>,
}

/// What makes the file again what it was before a claim.
enum Undo {
    /// Nobody had the key.
    GiveUp(Fence),
    /// It was as in this row.
    GiveBack(Fence, Box<KeyRow>, RowKeys),
}

/// A committed claim on its way to whoever asked.
pub(super) struct Held {
    claimed: Claimed,
    guard: Option<Guard>,
}

/// Undoes a claim when it is dropped, unless it is disarmed.
struct Guard {
    undo: Option<Undo>,
    queue: Queue,
}

/// Decides a claim, in the order that the trait gives.
pub(super) fn take(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
) -> rusqlite::Result<Taken> {
    let until = request.now.after(request.lease);
    let mut row = match row::look_up(connection, keys, &request.key)? {
        None => return start(connection, keys, request, until),
        Some(Found::Damaged(row)) => {
            row.mark(connection)?;
            return Ok(Taken::nothing(Claimed::Damaged(row.fence)));
        }
        Some(Found::Sound(row)) => row,
    };
    if row.fingerprint != request.fingerprint {
        return Ok(Taken::nothing(Claimed::Mismatch));
    }
    match row.state {
        KeyState::Answered { answer, .. } => Ok(Taken::nothing(Claimed::Settled(answer))),
        KeyState::Archived => Ok(Taken::nothing(Claimed::Archived)),
        KeyState::Unknown if !request.resolves => Ok(Taken::nothing(Claimed::Unknown(row.fence))),
        KeyState::Running { until: end } if end > request.now => {
            if end > until {
                row.state = KeyState::Running { until };
                row.update(connection, keys)?;
            }
            Ok(Taken::nothing(Claimed::Running { until: end.min(until) }))
        }
        KeyState::Unknown | KeyState::Running { .. } => {
            let fence = row::next_fence(connection)?;
            running(request, fence, until).replace(connection, keys)?;
            let undo = Undo::GiveBack(fence, Box::new(row), keys.clone());
            Ok(Taken { claimed: Claimed::TakenOver(fence), undo: Some(undo) })
        }
    }
}

/// Takes a key that has no row.
fn start(
    connection: &Connection,
    keys: &RowKeys,
    request: &ClaimRequest,
    until: UnixMillis,
) -> rusqlite::Result<Taken> {
    if let Some(archived) = archive::find(connection, &request.key)? {
        let is_same = archived.fingerprint == request.fingerprint;
        return Ok(Taken::nothing(if is_same { Claimed::Archived } else { Claimed::Mismatch }));
    }
    if let Some(most) = request.most_unknown {
        let unknown: i64 = connection.prepare_cached(UNKNOWN_OF_ASKER)?.query_row(
            named_params! {
                ":tenant": request.key.tenant.as_bytes(),
                ":asker": request.asker,
                ":most": count(most),
            },
            |row| row.get(0),
        )?;
        if unknown >= count(most) {
            return Ok(Taken::nothing(Claimed::ShareFull));
        }
    }
    let fence = row::next_fence(connection)?;
    running(request, fence, until).insert(connection, keys)?;
    Ok(Taken { claimed: Claimed::First(fence), undo: Some(Undo::GiveUp(fence)) })
}

fn running(request: &ClaimRequest, fence: Fence, until: UnixMillis) -> KeyRow {
    KeyRow {
        fence,
        key: request.key.clone(),
        asker: request.asker.clone(),
        fingerprint: request.fingerprint,
        since: None,
        state: KeyState::Running { until },
    }
}

impl Taken {
    /// The claimant did not get the key.
    fn nothing(claimed: Claimed) -> Self {
        Self { claimed, undo: None }
    }
}

impl Undo {
    /// Changes nothing if the key is not running under the claim's fence any more.
    fn run(self, connection: &Connection) -> rusqlite::Result<()> {
        match self {
            Self::GiveUp(fence) => {
                let parameters = named_params! { ":fence": fence_number(fence) };
                connection.prepare_cached(GIVE_UP)?.execute(parameters)?;
            }
            Self::GiveBack(fence, row, keys) => {
                let held = row::by_fence(connection, &keys, fence)?;
                if let Some(Found::Sound(held)) = held {
                    if held.key == row.key && matches!(held.state, KeyState::Running { .. }) {
                        row.replace(connection, &keys)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Held {
    pub(super) fn new(taken: Taken, queue: Queue) -> Self {
        let guard = taken.undo.map(|undo| Guard { undo: Some(undo), queue });
        Self { claimed: taken.claimed, guard }
    }

    /// Hands the claim over; from now on its owner answers for it.
    pub(super) fn receive(self) -> Claimed {
        if let Some(mut guard) = self.guard {
            guard.undo = None;
        }
        self.claimed
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(undo) = self.undo.take() {
            self.queue.post(move |connection| undo.run(connection));
        }
    }
}
