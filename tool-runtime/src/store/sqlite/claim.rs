//! Claiming a key, and giving it back where nobody waits for it any more.

use rusqlite::{Connection, named_params};

use super::columns::{moment, whole};
use super::keys::{RUNNING, UNKNOWN, find};
use super::queue::Queue;
use crate::store::{ClaimRequest, Claimed, Fence, KeyRecord, KeyState, UnixMillis};

/// Takes a key that nobody has. The row's number, and with it the fence, is new.
const TAKE: &str = "
    INSERT INTO keys (tenant, principal, tool, key, fingerprint, state, until)
    VALUES (:tenant, :principal, :tool, :key, :fingerprint, 0, :until)
    ON CONFLICT (tenant, principal, tool, key) DO NOTHING";

/// Takes a key from whoever has it: the row is deleted and made anew, under a new number.
const TAKE_OVER: &str = "
    REPLACE INTO keys (tenant, principal, tool, key, fingerprint, state, until)
    VALUES (:tenant, :principal, :tool, :key, :fingerprint, 0, :until)";

const CUT: &str = "UPDATE keys SET until = :until WHERE fence = :fence";

const GIVE_UP: &str = "DELETE FROM keys WHERE fence = :fence AND state = 0";

const GIVE_BACK: &str = "
    UPDATE keys SET fence = :earlier, state = :state, until = :until
    WHERE fence = :fence AND state = 0";

/// What a claim did to the file.
pub(super) struct Taken {
    claimed: Claimed,
    undo: Option<Undo>,
}

/// What makes the file again what it was before a claim.
enum Undo {
    /// Nobody had the key.
    GiveUp(Fence),
    /// It was as in this record.
    GiveBack(Fence, KeyRecord),
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
pub(super) fn take(connection: &Connection, request: &ClaimRequest) -> rusqlite::Result<Taken> {
    let until = request.now.after(request.lease);
    if write(connection, TAKE, request, until)? > 0 {
        let fence = last_fence(connection);
        return Ok(Taken { claimed: Claimed::First(fence), undo: Some(Undo::GiveUp(fence)) });
    }
    let record = find(connection, &request.key)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    if record.fingerprint != request.fingerprint {
        return Ok(Taken::nothing(Claimed::Mismatch));
    }
    match record.state {
        KeyState::Answered { answer, .. } => Ok(Taken::nothing(Claimed::Settled(answer))),
        KeyState::Unknown if !request.resolves => {
            Ok(Taken::nothing(Claimed::Unknown(record.fence)))
        }
        KeyState::Running { until: end } if end > request.now => {
            if end > until {
                cut(connection, record.fence, until)?;
            }
            Ok(Taken::nothing(Claimed::Running { until: end.min(until) }))
        }
        KeyState::Unknown | KeyState::Running { .. } => {
            write(connection, TAKE_OVER, request, until)?;
            let fence = last_fence(connection);
            let undo = Some(Undo::GiveBack(fence, record));
            Ok(Taken { claimed: Claimed::TakenOver(fence), undo })
        }
    }
}

fn write(
    connection: &Connection,
    statement: &str,
    request: &ClaimRequest,
    until: UnixMillis,
) -> rusqlite::Result<usize> {
    connection.prepare_cached(statement)?.execute(named_params! {
        ":tenant": request.key.tenant.as_bytes(),
        ":principal": request.key.principal,
        ":tool": request.key.tool,
        ":key": request.key.key,
        ":fingerprint": request.fingerprint.as_bytes(),
        ":until": moment(until),
    })
}

fn cut(connection: &Connection, fence: Fence, until: UnixMillis) -> rusqlite::Result<()> {
    let parameters = named_params! { ":fence": whole(fence.get()), ":until": moment(until) };
    connection.prepare_cached(CUT)?.execute(parameters).map(drop)
}

fn last_fence(connection: &Connection) -> Fence {
    Fence::new(connection.last_insert_rowid().unsigned_abs())
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
                let parameters = named_params! { ":fence": whole(fence.get()) };
                connection.prepare_cached(GIVE_UP)?.execute(parameters)?;
            }
            Self::GiveBack(fence, record) => {
                let (state, until) = match record.state {
                    KeyState::Running { until } => (RUNNING, Some(moment(until))),
                    KeyState::Unknown | KeyState::Answered { .. } => (UNKNOWN, None),
                };
                connection.prepare_cached(GIVE_BACK)?.execute(named_params! {
                    ":fence": whole(fence.get()),
                    ":earlier": whole(record.fence.get()),
                    ":state": state,
                    ":until": until,
                })?;
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
