//! Keys under which a write runs once.

use std::time::Duration;

use async_trait::async_trait;
use uuid::Uuid;

use super::{ClockReading, StoreError, UnixMillis};
use crate::canonical::Digest;

/// Keeps idempotency keys: who runs under one, and what came of it.
///
/// A record is `Running(fence, lease) → Succeeded | FailedFinal | Unknown`, and an outcome that stays
/// unknown for long is archived: it goes on refusing a repeat, and holds no more than that takes. One
/// owner holds it at a
/// time; whoever holds a greater [`Fence`] has taken it over, and the earlier owner's writes are
/// refused from then on.
///
/// Each operation is atomic, also against other processes that share the store. One that returns
/// `Ok` is durable as far as the backend ever is.
/// `testing::conformance::idempotency` tests a backend.
///
/// # Time
/// Every moment in these operations is one of the store's own time, which
/// [`read_time`](Self::read_time) tells. It is not the wall clock: a wall clock that is set must
/// neither end a lease nor the retention of an answer.
#[async_trait]
pub trait IdempotencyStore: Send + Sync + 'static {
    /// Reads the store's time, by which its leases and the retention of its answers are measured.
    ///
    /// It must never go back, never run ahead of time that has really passed, and be the same for
    /// all processes that share the store. A backend whose processes run on one machine stores a
    /// [`Timeline`](super::Timeline) and advances it to the reading. A backend that several machines share returns
    /// the time of its own server, and leaves the reading aside.
    ///
    /// A process asks for it before its first claim and about once a minute, and goes on from there
    /// by the clock that cannot be set.
    async fn read_time(&self, reading: ClockReading) -> Result<UnixMillis, StoreError>;

    /// Claims a key. The first claimant gets it.
    ///
    /// In this order: a record that fails its checksum, where the backend keeps checksums →
    /// [`Damaged`](Claimed::Damaged); nothing stored → [`First`](Claimed::First), or
    /// [`ShareFull`](Claimed::ShareFull) if the caller has [as many unknown
    /// outcomes](ClaimRequest::most_unknown) as it may; another fingerprint, in whatever state →
    /// [`Mismatch`](Claimed::Mismatch); archived → [`Archived`](Claimed::Archived), whatever the
    /// claimant can resolve; a success or final failure →
    /// [`Settled`](Claimed::Settled); unknown → [`Unknown`](Claimed::Unknown), or
    /// [`TakenOver`](Claimed::TakenOver) if the claimant [resolves](ClaimRequest::resolves) it;
    /// running under a lease that holds → [`Running`](Claimed::Running); under one that has run
    /// out → `TakenOver`. A lease that ends later than `now + lease` of the request was written by
    /// a time that has gone back since: it is cut to that. Hence all claimants of a key ask
    /// for the same lease, and nobody renews it for longer.
    ///
    /// An answer whose time is over is given until it is swept; then the key is as new.
    ///
    /// # Cancellation
    /// A claim whose future is dropped before it is ready is not held: the backend undoes it.
    async fn claim(&self, request: ClaimRequest) -> Result<Claimed, StoreError>;

    /// Lengthens the lease to `until`; false if the key is not running under this fence any more.
    ///
    /// An earlier `until` changes nothing and answers true. A lease that has run out may be renewed
    /// until somebody takes it over.
    async fn renew(
        &self,
        key: &KeyScope,
        fence: Fence,
        until: UnixMillis,
    ) -> Result<bool, StoreError>;

    /// Ends a claim; false, and nothing is changed, if the key is not held under this fence.
    ///
    /// A key is held while it is running or unknown. Settling it again with the same fence and the
    /// same settlement answers true, so that a settlement may be repeated after an error; for the
    /// same reason, releasing a key that is not stored answers true. Releasing an archived key
    /// with its fence forgets it.
    async fn settle(
        &self,
        key: &KeyScope,
        fence: Fence,
        settlement: Settlement,
    ) -> Result<bool, StoreError>;

    /// Reads a record.
    async fn find(&self, key: &KeyScope) -> Result<Option<KeyRecord>, StoreError>;

    /// Lists the records of a tenant that are unknown, at most `most`, in an order that does not
    /// change, from the first after `after`, which need not be unknown any more.
    ///
    /// A record that failed its checksum is among them, and says so. An archived one is not.
    async fn unknown(
        &self,
        tenant: Uuid,
        after: Option<&KeyScope>,
        most: usize,
    ) -> Result<Vec<KeyRecord>, StoreError>;

    /// Finds the record of a tenant that is unknown under this fence.
    ///
    /// Unless a backend implements it, it looks through all that [`unknown`](Self::unknown) lists.
    async fn unknown_of_fence(
        &self,
        tenant: Uuid,
        fence: Fence,
    ) -> Result<Option<KeyRecord>, StoreError> {
        const PAGE: usize = 256;
        let mut after = None;
        loop {
            let page = self.unknown(tenant, after.as_ref(), PAGE).await?;
            if let Some(found) = page.iter().find(|record| record.fence == fence) {
                return Ok(Some(found.clone()));
            }
            match page.into_iter().nth(PAGE - 1) {
                Some(last) => after = Some(last.key),
                None => return Ok(None),
            }
        }
    }

    /// Makes an answered record unknown, since its answer cannot be given; false if the key has no
    /// answer any more.
    ///
    /// A backend that does not implement it answers false, and keeps the answer as it is.
    async fn distrust(&self, key: &KeyScope) -> Result<bool, StoreError> {
        let _ = key;
        Ok(false)
    }

    /// Archives unknown outcomes whose last lease ended at `before` or earlier, at most `most`;
    /// returns how many.
    ///
    /// An archived record holds the digests of its key and arguments, and no names and no answer. It
    /// refuses a repeat for as long as the store exists, or until it is released with its fence. A
    /// backend that does not implement it archives nothing.
    async fn archive_unknown(&self, before: UnixMillis, most: usize) -> Result<usize, StoreError> {
        let _ = (before, most);
        Ok(0)
    }

    /// Forgets answered records whose time is over, at most `most`; returns how many.
    ///
    /// What is running, unknown or archived is never forgotten.
    async fn sweep_keys(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError>;
}

/// Whose key it is: two calls are the same one only if all four are.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct KeyScope {
    /// The tenant.
    pub tenant: Uuid,
    /// For whom the call is made, such as `user:42`.
    pub principal: Box<str>,
    /// The tool's name.
    pub tool: Box<str>,
    /// The key itself: `key:` and what the caller gave, `call:` and the model's call, or `ticket:`
    /// and the ticket's id.
    pub key: Box<str>,
}

impl KeyScope {
    /// Returns what a tool reads as [`global_key`](crate::Idempotency::global_key), to find what it
    /// sent along in another service's records: 64 hexadecimal digits.
    #[must_use]
    pub fn global_key(&self) -> String {
        self.digest().to_string()
    }

    /// Returns the [global key](Self::global_key) as a digest: equal for equal keys only.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let tenant = self.tenant.to_string();
        let parts = serde_json::json!([tenant, self.principal, self.tool, self.key]).to_string();
        Digest::of("tool-runtime/idempotency-key/v1", parts.as_bytes())
    }

    /// Names a key.
    pub fn new(
        tenant: Uuid,
        principal: impl Into<Box<str>>,
        tool: impl Into<Box<str>>,
        key: impl Into<Box<str>>,
    ) -> Self {
        Self { tenant, principal: principal.into(), tool: tool.into(), key: key.into() }
    }
}

/// Tells an owner from those before it: greater than every fence that the store gave before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(u64);

impl Fence {
    /// Takes a fence's number; a backend calls it.
    #[must_use]
    pub const fn new(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number, to send along downstream.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Asks for a key.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ClaimRequest {
    /// The key.
    pub key: KeyScope,
    /// The hash of the arguments under which it runs.
    pub fingerprint: Digest,
    /// The store's time.
    pub now: UnixMillis,
    /// For how long the claim holds unless it is renewed.
    pub lease: Duration,
    /// Whether the claimant can find out what became of an unknown outcome.
    pub resolves: bool,
    /// The caller whose share of unknown outcomes this claim counts against: a service's or a
    /// user's name.
    pub asker: Box<str>,
    /// How many unknown outcomes the asker may have in its tenant before a new key is refused;
    /// without bound if there is none.
    pub most_unknown: Option<usize>,
}

impl ClaimRequest {
    /// Asks for a key, for a claimant that cannot resolve an unknown outcome.
    #[must_use]
    pub fn new(key: KeyScope, fingerprint: Digest, now: UnixMillis, lease: Duration) -> Self {
        let asker = key.principal.clone();
        Self { key, fingerprint, now, lease, resolves: false, asker, most_unknown: None }
    }

    /// Sets the caller whose share this claim counts against, in place of the key's principal, and
    /// how many unknown outcomes it may have.
    #[must_use]
    pub fn within_share(mut self, asker: impl Into<Box<str>>, most_unknown: usize) -> Self {
        self.asker = asker.into();
        self.most_unknown = Some(most_unknown);
        self
    }

    /// Says that the claimant can find out what became of an unknown outcome.
    #[must_use]
    pub fn resolves(mut self, resolves: bool) -> Self {
        self.resolves = resolves;
        self
    }
}

/// What became of a claim.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Claimed {
    /// The key is the claimant's, and nobody had it before.
    First(Fence),
    /// The key is the claimant's; an earlier owner's outcome is not known.
    TakenOver(Fence),
    /// Somebody runs under it, until then at least.
    Running {
        /// When the lease runs out.
        until: UnixMillis,
    },
    /// It has been answered: by a success or a final failure.
    Settled(StoredAnswer),
    /// Whether the effect happened is not known.
    Unknown(Fence),
    /// It belongs to other arguments.
    Mismatch,
    /// Its record is not as it was written: a person has to find out what happened.
    Damaged(Fence),
    /// Its outcome stayed unknown for so long that it was archived.
    Archived,
    /// The key is free, and the caller has as many unknown outcomes as it may.
    ShareFull,
}

/// How a claim ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Settlement {
    /// Keep the answer, of success or final failure, until then at least.
    Answered {
        /// What a repeat is answered with.
        answer: StoredAnswer,
        /// Until when it is kept, by the store's time.
        keep_until: UnixMillis,
    },
    /// Whether the effect happened is not known; kept until it is resolved.
    Unknown,
    /// Nothing happened: forget the claim.
    Released,
}

/// An answer as it is stored: what a repeat gets, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredAnswer {
    /// True for a success, false for a final failure.
    pub succeeded: bool,
    /// The JSON text of the envelope's `data` or `error`.
    pub body: Vec<u8>,
    /// The JSON text of the envelope's `meta`.
    pub meta: Vec<u8>,
}

impl StoredAnswer {
    /// Takes the JSON texts of a success's `data` and `meta`.
    #[must_use]
    pub fn succeeded(body: Vec<u8>, meta: Vec<u8>) -> Self {
        Self { succeeded: true, body, meta }
    }

    /// Takes the JSON texts of a final failure's `error` and `meta`.
    #[must_use]
    pub fn failed(body: Vec<u8>, meta: Vec<u8>) -> Self {
        Self { succeeded: false, body, meta }
    }
}

/// A key and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyRecord {
    /// The key.
    pub key: KeyScope,
    /// The hash of the arguments under which it runs.
    pub fingerprint: Digest,
    /// The last owner's fence.
    pub fence: Fence,
    /// What is known.
    pub state: KeyState,
    /// The caller whose share it counts against.
    pub asker: Box<str>,
    /// When the last lease of an unknown outcome ended, or would have: it became unknown no later.
    pub since: Option<UnixMillis>,
    /// True if the record failed its checksum. Then it is unknown, and its other fields are as much
    /// as could be read of them.
    pub damaged: bool,
}

impl KeyRecord {
    /// Makes a record; a backend calls it.
    #[must_use]
    pub fn new(key: KeyScope, fingerprint: Digest, fence: Fence, state: KeyState) -> Self {
        let asker = key.principal.clone();
        Self { key, fingerprint, fence, state, asker, since: None, damaged: false }
    }

    /// Tells whether a person has to find out what happened.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.damaged || self.state == KeyState::Unknown
    }
}

/// What is known of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyState {
    /// Its owner is at work, or was when it was last heard of.
    Running {
        /// When the lease runs out.
        until: UnixMillis,
    },
    /// It has been answered.
    Answered {
        /// What a repeat is answered with.
        answer: StoredAnswer,
        /// Until when it is kept.
        keep_until: UnixMillis,
    },
    /// Whether the effect happened is not known.
    Unknown,
    /// Whether the effect happened was not known for so long that the record was archived.
    Archived,
}
