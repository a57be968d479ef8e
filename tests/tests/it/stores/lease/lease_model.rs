//! A key, a clock and a downstream service, and their invariants after every step.
//!
//! Before each step, the thread that takes it stops: every other thread may continue for as long as the
//! scheduler likes. The step itself, and what is asserted of it, are one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use shuttle::sync::atomic::AtomicU64;
use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    ClaimOutcome, ClaimRequest, Fence, IdempotencyStore, KeyState, ScopedKey, Settlement,
    StoreError, StoredAnswer, UnixMillis,
};

pub(super) const LEASE: Duration = Duration::from_secs(30);

/// One key that several owners want, and all that is known of it.
pub(super) struct LeaseModel {
    store: Box<dyn IdempotencyStore>,
    key: ScopedKey,
    clock: AtomicU64,
    history: Mutex<History>,
    seen: Arc<Seen>,
    heeds_fences: bool,
}

/// The true history of the key, which no owner can know.
#[derive(Default)]
struct History {
    owners: Vec<Fence>,
    done: Vec<Owner>,
    effects: Vec<Owner>,
    downstream: Option<Fence>,
    answer: Option<StoredAnswer>,
    released: bool,
    takeovers: usize,
}

/// The number of earlier owners, and the fence of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    turn: usize,
    pub(super) fence: Fence,
}

/// Counts the situations that have to occur.
#[derive(Debug, Default)]
pub(super) struct Seen {
    takeovers: AtomicUsize,
    late_settlements: AtomicUsize,
    late_renewals: AtomicUsize,
    late_effects: AtomicUsize,
    repeats: AtomicUsize,
    resolved: AtomicUsize,
    undisturbed: AtomicUsize,
}

impl LeaseModel {
    pub(super) fn new(store: impl IdempotencyStore, seen: Arc<Seen>) -> Self {
        Self {
            store: Box::new(store),
            key: ScopedKey::new(Uuid::nil(), "user:42", "book_seat", "order-7"),
            clock: AtomicU64::new(1_000_000_000),
            history: Mutex::default(),
            seen,
            heeds_fences: true,
        }
    }

    /// Adds a downstream service that accepts every effect.
    pub(super) fn heedless(mut self) -> Self {
        self.heeds_fences = false;
        self
    }

    /// Sets the clock, forwards or back, and sweeps.
    pub(super) fn tick(&self, milliseconds: i64) {
        let now = self.now().get().saturating_add_signed(milliseconds);
        self.clock.store(now, Ordering::SeqCst);
        done(self.store.sweep_keys(UnixMillis::new(now), 10));
    }

    /// Claims the key at a time that may be long past when the store runs the claim.
    pub(super) fn claim(&self, resolves: bool) -> Option<Owner> {
        let arguments = Digest::compute("test", b"{}");
        let request = ClaimRequest::new(self.key.clone(), arguments, self.now(), LEASE);
        self.freeze();
        let mut history = self.history.lock().unwrap();
        let known = done(self.store.find(&self.key)).map(|record| record.state);
        match done(self.store.claim(request.resolves(resolves))) {
            ClaimOutcome::Acquired(fence) => {
                let new = history.owners.is_empty() || history.released;
                assert!(new, "a key is new only at first and after a release");
                Some(history.begin(fence))
            }
            ClaimOutcome::TakenOver(fence) => {
                history.takeovers += 1;
                count(&self.seen.takeovers);
                if known == Some(KeyState::Unknown) {
                    count(&self.seen.resolved);
                }
                Some(history.begin(fence))
            }
            ClaimOutcome::Settled(answer) => {
                count(&self.seen.repeats);
                assert_eq!(Some(answer), history.answer, "a repeat gets the answer that stands");
                None
            }
            _ => None,
        }
    }

    pub(super) fn renew(&self, owner: Owner) -> bool {
        let until = self.now().after(LEASE);
        self.freeze();
        let history = self.history.lock().unwrap();
        let renewed = done(self.store.renew(&self.key, owner.fence, until));
        let runs = history.is_last(owner) && !history.done.contains(&owner);
        assert_eq!(renewed, runs, "only the last owner renews, until it has settled");
        count_if(!history.is_last(owner), &self.seen.late_renewals);
        renewed
    }

    /// Makes the effect, unless a later owner made one before.
    pub(super) fn affect(&self, owner: Owner) -> bool {
        self.freeze();
        let mut history = self.history.lock().unwrap();
        if self.heeds_fences && history.downstream > Some(owner.fence) {
            count(&self.seen.late_effects);
            return false;
        }
        history.downstream = Some(owner.fence);
        let last = history.effects.last().map(|earlier| earlier.turn);
        assert!(last <= Some(owner.turn), "effects come in the order of their owners");
        history.effects.push(owner);
        true
    }

    /// Settles, and settles again as after an answer that was lost.
    pub(super) fn settle(&self, owner: Owner, settlement: &Settlement) {
        for _ in 0..2 {
            self.freeze();
            self.settle_once(owner, settlement);
        }
    }

    fn settle_once(&self, owner: Owner, settlement: &Settlement) {
        let mut history = self.history.lock().unwrap();
        let gone = done(self.store.find(&self.key)).is_none();
        let stands = done(self.store.settle(&self.key, owner.fence, settlement.clone()));
        let released = gone && *settlement == Settlement::Released;
        let expected = history.is_last(owner) || released;
        assert_eq!(stands, expected, "only the last owner settles, as often as it likes");
        count_if(!stands, &self.seen.late_settlements);
        if stands && !gone {
            history.settle(owner, settlement);
        }
    }

    /// Checks the invariants after all owners have ended.
    pub(super) fn assert_end(&self) {
        let history = self.history.lock().unwrap();
        assert!(history.answer.is_some(), "in the end, one owner answers");
        let effects = history.effects.len();
        assert!(effects <= history.takeovers + 1, "without a takeover there is no second effect");
        if history.takeovers == 0 {
            assert_eq!(effects, 1, "without a takeover there is exactly one effect");
            count(&self.seen.undisturbed);
        }
    }

    /// Lets the other threads run for as long as the scheduler decides.
    fn freeze(&self) {
        self.now();
    }

    /// Reads the clock, which is where the scheduler may switch.
    fn now(&self) -> UnixMillis {
        UnixMillis::new(self.clock.load(Ordering::SeqCst))
    }
}

impl History {
    fn begin(&mut self, fence: Fence) -> Owner {
        let later = self.owners.last().is_none_or(|earlier| *earlier < fence);
        assert!(later, "a later owner has a greater fence");
        assert_eq!(self.answer, None, "who is answered does not run again");
        self.released = false;
        self.owners.push(fence);
        Owner { turn: self.owners.len(), fence }
    }

    fn is_last(&self, owner: Owner) -> bool {
        self.owners.len() == owner.turn
    }

    fn settle(&mut self, owner: Owner, settlement: &Settlement) {
        self.done.push(owner);
        match settlement {
            Settlement::Answered { answer, .. } => {
                let earlier = self.answer.replace(answer.clone());
                assert!(earlier.is_none_or(|earlier| earlier == *answer), "one settlement stands");
                let last = self.effects.last();
                assert_eq!(last, Some(&owner), "the answer tells of the last effect");
            }
            Settlement::Released => self.released = true,
            Settlement::Unknown => {}
        }
    }
}

impl Seen {
    /// Shows that the schedules were worth the while.
    pub(super) fn assert_everything_happened(&self) {
        println!("{self:?}");
        let counts = [
            &self.takeovers,
            &self.late_settlements,
            &self.late_renewals,
            &self.late_effects,
            &self.repeats,
            &self.resolved,
            &self.undisturbed,
        ];
        let happened = counts.iter().all(|count| count.load(Ordering::SeqCst) > 10);
        assert!(happened, "all that is checked comes about often: {self:?}");
    }
}

fn count(what: &AtomicUsize) {
    what.fetch_add(1, Ordering::SeqCst);
}

fn count_if(whether: bool, what: &AtomicUsize) {
    what.fetch_add(usize::from(whether), Ordering::SeqCst);
}

/// Unwraps an operation's result, which an in-memory store returns at once.
fn done<T>(operation: BoxFuture<'_, Result<T, StoreError>>) -> T {
    operation.now_or_never().expect("a store in memory is ready at once").unwrap()
}
