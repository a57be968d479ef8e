//! The state machine of idempotency keys, which every store shares: a store reads a record, decides, and
//! writes what was decided in one transaction.

use super::{ClaimOutcome, ClaimRequest, Fence, KeyRecord, KeyState, Settlement, UnixMillis};

/// The effect of a claim on the record of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimDecision {
    /// The claimant does not get the key, and nothing is written. A backend with checksums marks a
    /// damaged record.
    NotClaimed(ClaimOutcome),
    /// The key is free, and its caller may get it: insert a running record with a new fence. If the
    /// request has a [quota](ClaimRequest::max_unknown) that is reached, insert nothing, and return
    /// [`QuotaExceeded`](ClaimOutcome::QuotaExceeded).
    Insert {
        /// The end of the lease.
        until: UnixMillis,
    },
    /// The claimant gets the key of an earlier owner: store a new fence, the new caller, no `since`, and
    /// a running state.
    TakeOver {
        /// The end of the lease.
        until: UnixMillis,
    },
    /// Another owner runs under the key, and its lease is too long, because the store's time went back:
    /// store this end, and return [`Running`](ClaimOutcome::Running) with it.
    ShortenLease {
        /// The end of the lease.
        until: UnixMillis,
    },
}

/// The effect of a settlement on the record of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettlementDecision {
    /// Nothing is written.
    Unchanged {
        /// True if the key is settled in this way already.
        is_settled: bool,
    },
    /// The record gets this state.
    Store {
        /// The new state.
        state: KeyState,
        /// The end of the last lease, if the outcome is unknown.
        since: Option<UnixMillis>,
    },
    /// The record is deleted.
    Delete,
}

impl ClaimRequest {
    /// Decides the claim of a key with this record, an archived one too; without one, the key is free.
    ///
    /// [`IdempotencyStore::claim`](super::IdempotencyStore::claim) defines the conditions and their
    /// order.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tool_runtime::canonical::Digest;
    /// use tool_runtime::store::{ClaimDecision, ClaimRequest, ScopedKey, UnixMillis};
    ///
    /// let key = ScopedKey::new(uuid::Uuid::nil(), "user:42", "book_seat", "key:1");
    /// let arguments = Digest::compute("example", b"12A");
    /// let lease = Duration::from_secs(30);
    /// let request = ClaimRequest::new(key, arguments, UnixMillis::new(1_000), lease);
    /// let until = UnixMillis::new(31_000);
    /// assert_eq!(request.decide(None), ClaimDecision::Insert { until });
    /// ```
    #[must_use]
    pub fn decide(&self, record: Option<&KeyRecord>) -> ClaimDecision {
        let latest = self.now.after(self.lease);
        let Some(record) = record else { return ClaimDecision::Insert { until: latest } };
        let not_claimed = ClaimDecision::NotClaimed;
        if record.damaged {
            return not_claimed(ClaimOutcome::Damaged(record.fence));
        }
        if record.fingerprint != self.fingerprint {
            return not_claimed(ClaimOutcome::Mismatch);
        }
        match &record.state {
            KeyState::Archived => not_claimed(ClaimOutcome::Archived),
            KeyState::Answered { answer, .. } => not_claimed(ClaimOutcome::Settled(answer.clone())),
            KeyState::Unknown if self.resolves => ClaimDecision::TakeOver { until: latest },
            KeyState::Unknown => not_claimed(ClaimOutcome::Unknown(record.fence)),
            KeyState::Running { until } if *until <= self.now => {
                ClaimDecision::TakeOver { until: latest }
            }
            KeyState::Running { until } if *until > latest => {
                ClaimDecision::ShortenLease { until: latest }
            }
            KeyState::Running { until } => not_claimed(ClaimOutcome::Running { until: *until }),
        }
    }
}

impl Settlement {
    /// Decides the settlement of a key with this record, an archived one too, by the owner of a fence.
    ///
    /// A damaged record is settled as an unknown outcome.
    /// [`IdempotencyStore::settle`](super::IdempotencyStore::settle) defines the rules.
    #[must_use]
    pub fn decide(&self, fence: Fence, record: Option<&KeyRecord>) -> SettlementDecision {
        let unchanged = |is_settled| SettlementDecision::Unchanged { is_settled };
        let Some(record) = record else { return unchanged(*self == Self::Released) };
        if record.fence != fence {
            return unchanged(false);
        }
        match (&record.state, self) {
            (KeyState::Answered { .. } | KeyState::Archived, Self::Unknown)
            | (KeyState::Answered { .. }, Self::Released)
            | (KeyState::Archived, Self::Answered { .. }) => unchanged(false),
            (
                KeyState::Answered { answer, keep_until },
                Self::Answered { answer: repeated, keep_until: until },
            ) => unchanged(answer == repeated && keep_until == until),
            (
                KeyState::Running { .. } | KeyState::Unknown,
                Self::Answered { answer, keep_until },
            ) => {
                let answer = answer.clone();
                let state = KeyState::Answered { answer, keep_until: *keep_until };
                SettlementDecision::Store { state, since: None }
            }
            (KeyState::Running { until }, Self::Unknown) => {
                SettlementDecision::Store { state: KeyState::Unknown, since: Some(*until) }
            }
            (KeyState::Unknown, Self::Unknown) => unchanged(true),
            (KeyState::Running { .. } | KeyState::Unknown | KeyState::Archived, Self::Released) => {
                SettlementDecision::Delete
            }
        }
    }
}

impl KeyRecord {
    /// Returns the end of the lease after a renewal until a time; none if the key is not running under
    /// this fence.
    #[must_use]
    pub fn lease_after_renewal(&self, fence: Fence, until: UnixMillis) -> Option<UnixMillis> {
        match self.state {
            KeyState::Running { until: end } if self.fence == fence => Some(end.max(until)),
            KeyState::Running { .. }
            | KeyState::Answered { .. }
            | KeyState::Unknown
            | KeyState::Archived => None,
        }
    }

    /// Makes an answered record unknown, because its answer is invalid; false, and nothing changes, if it
    /// has no answer.
    #[must_use]
    pub fn invalidate_answer(&mut self) -> bool {
        let KeyState::Answered { keep_until, .. } = self.state else { return false };
        self.since = Some(keep_until);
        self.state = KeyState::Unknown;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tool_runtime_schema::canonical::Digest;
    use uuid::Uuid;

    use super::*;
    use crate::store::{ScopedKey, StoredAnswer};

    const FENCE: Fence = Fence::new(7);
    const NOW: UnixMillis = UnixMillis::new(1_000);
    const LEASE: Duration = Duration::from_millis(30);
    const LATEST: UnixMillis = UnixMillis::new(1_030);

    fn arguments(seat: &str) -> Digest {
        Digest::compute("test", seat.as_bytes())
    }

    fn record(state: KeyState) -> KeyRecord {
        let key = ScopedKey::new(Uuid::nil(), "user:42", "book_seat", "key:1");
        KeyRecord::new(key, arguments("12A"), FENCE, state)
    }

    fn answer() -> StoredAnswer {
        StoredAnswer::succeeded(b"\"12A\"".to_vec(), b"{}".to_vec())
    }

    fn running(until: u64) -> KeyState {
        KeyState::Running { until: UnixMillis::new(until) }
    }

    fn answered() -> KeyState {
        KeyState::Answered { answer: answer(), keep_until: LATEST }
    }

    #[test]
    fn each_state_decides_a_claim_and_a_claim_that_resolves() {
        let refused = |outcome| {
            [ClaimDecision::NotClaimed(outcome), ClaimDecision::TakeOver { until: LATEST }]
        };
        let both = |decision: ClaimDecision| [decision.clone(), decision];
        let table = [
            (
                running(1_020),
                both(ClaimDecision::NotClaimed(ClaimOutcome::Running {
                    until: UnixMillis::new(1_020),
                })),
            ),
            (
                running(1_030),
                both(ClaimDecision::NotClaimed(ClaimOutcome::Running { until: LATEST })),
            ),
            (running(1_031), both(ClaimDecision::ShortenLease { until: LATEST })),
            (running(1_000), both(ClaimDecision::TakeOver { until: LATEST })),
            (answered(), both(ClaimDecision::NotClaimed(ClaimOutcome::Settled(answer())))),
            (KeyState::Unknown, refused(ClaimOutcome::Unknown(FENCE))),
            (KeyState::Archived, both(ClaimDecision::NotClaimed(ClaimOutcome::Archived))),
        ];
        for (state, expected) in table {
            let mut record = record(state.clone());
            let request = |seat| ClaimRequest::new(record.key.clone(), arguments(seat), NOW, LEASE);
            let decide = |resolves| request("12A").resolves(resolves).decide(Some(&record));
            assert_eq!([decide(false), decide(true)], expected, "{state:?}");
            let mismatch = request("14C").decide(Some(&record));
            assert_eq!(mismatch, ClaimDecision::NotClaimed(ClaimOutcome::Mismatch), "{state:?}");
            let request = request("12A");
            record.damaged = true;
            let damaged = ClaimDecision::NotClaimed(ClaimOutcome::Damaged(FENCE));
            assert_eq!(request.decide(Some(&record)), damaged, "{state:?}");
        }
    }

    #[test]
    fn each_state_decides_each_settlement() {
        let store = |state, since| SettlementDecision::Store { state, since };
        let unchanged = |is_settled| SettlementDecision::Unchanged { is_settled };
        let until = Some(UnixMillis::new(1_020));
        let (delete, unknown) = (SettlementDecision::Delete, KeyState::Unknown);
        let settlements = [
            Settlement::Answered { answer: answer(), keep_until: LATEST },
            Settlement::Unknown,
            Settlement::Released,
        ];
        let table = [
            (None, [unchanged(false), unchanged(false), unchanged(true)]),
            (
                Some(running(1_020)),
                [store(answered(), None), store(unknown.clone(), until), delete.clone()],
            ),
            (Some(unknown), [store(answered(), None), unchanged(true), delete.clone()]),
            (Some(answered()), [unchanged(true), unchanged(false), unchanged(false)]),
            (Some(KeyState::Archived), [unchanged(false), unchanged(false), delete]),
        ];
        for (state, expected) in table {
            let record = state.map(record);
            let decided = settlements.each_ref().map(|it| it.decide(FENCE, record.as_ref()));
            assert_eq!(decided, expected, "{record:?}");
            let other = settlements.each_ref().map(|it| it.decide(Fence::new(8), record.as_ref()));
            if record.is_some() {
                assert_eq!(other, [(); 3].map(|()| unchanged(false)), "{record:?}");
            }
        }
        let other = Settlement::Answered { answer: answer(), keep_until: NOW };
        assert_eq!(other.decide(FENCE, Some(&record(answered()))), unchanged(false));
    }

    #[test]
    fn a_lease_is_renewed_by_its_owner_and_never_shortened() {
        let record = record(running(1_020));
        assert_eq!(record.lease_after_renewal(FENCE, LATEST), Some(LATEST));
        assert_eq!(record.lease_after_renewal(FENCE, NOW), Some(UnixMillis::new(1_020)));
        assert_eq!(record.lease_after_renewal(Fence::new(8), LATEST), None);
    }
}
