//! Memory, SQLite and PostgreSQL answer one random script of operations alike.

use std::fmt::Write as _;
use std::time::Duration;

use tool_runtime::Uuid;
use tool_runtime::canonical::Digest;
use tool_runtime::store::{
    BudgetAccount, BudgetStore, BudgetUnit, Charge, ClaimOutcome, ClaimRequest, Currency, Fence,
    IdempotencyStore, KeyRecord, KeyState, MemoryStore, Reservation, ReservationPeriod,
    ReserveOutcome, ScopedKey, Settlement, SqliteStore, StoredAnswer, UnixMillis,
};

use crate::server;

const SCRIPTS: u64 = 6;
const OPERATIONS: usize = 250;
// Claims that wait for a third of it in earnest have another time than those of the other stores.
const LEASE: Duration = Duration::from_secs(30);
const KEYS: usize = 8;
const START: u64 = 1_800_000_000_000;

/// Numbers that follow from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        // The constants of SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % (end as u64)).expect("it is below")
    }
}

/// An operation; a fence is named by the number of the claim that it comes from.
#[derive(Debug, Clone)]
enum Operation {
    Claim {
        key: usize,
        arguments: usize,
        resolves: bool,
        quota: Option<usize>,
        needs: Vec<Reservation>,
    },
    Renew {
        key: usize,
        fence: usize,
    },
    Settle {
        key: usize,
        fence: usize,
        settlement: Settlement,
        charge: Charge,
    },
    Find {
        key: usize,
    },
    ListUnknown {
        tenant: usize,
        after: Option<usize>,
        limit: usize,
    },
    FindUnknown {
        tenant: usize,
        fence: usize,
    },
    Invalidate {
        key: usize,
    },
    Archive,
    Sweep,
}

/// A store, with the fences that it has given, in their order.
struct Contestant {
    name: &'static str,
    store: Box<dyn IdempotencyStore>,
    fences: Vec<Fence>,
}

fn key(number: usize) -> ScopedKey {
    let names = ["order-1", "order_1", "Order-1", "ordér-1"];
    ScopedKey::new(tenant(number % 2), "user:42", "book_seat", names[number / 2])
}

fn tenant(number: usize) -> Uuid {
    Uuid::from_u128(7 + number as u128)
}

/// The needs of a call of up to three accounts: one with a calendar window of ten leases, one with a rolling window, and
/// a limit of each call alone.
fn needs(numbers: &mut Numbers, tenant: Uuid, now: UnixMillis) -> Vec<Reservation> {
    let window = u64::try_from(LEASE.as_millis()).expect("a short time") * 10;
    let floor = |time: u64, part: u64| UnixMillis::new(time / part * part);
    let need = |amount: usize, scope: &str, start, since| Reservation {
        account: BudgetAccount {
            tenant,
            budget: "shopping".into(),
            limit: "window".into(),
            scope: scope.into(),
            unit: BudgetUnit::Money(Currency::new("EUR", 2).expect("a currency")),
        },
        period: Some(ReservationPeriod { start, since, keep: Some(LEASE * 30) }),
        amount: amount as u64,
        limit: 40,
        may_exceed: false,
    };
    let calendar = floor(now.get(), window);
    let (start, since) = (floor(now.get(), window / 10), floor(now.get() - window, window / 10));
    let mut needs = vec![
        need(numbers.below(15), "calendar", calendar, calendar),
        need(numbers.below(15), "rolling", start, since),
    ];
    needs
        .push(Reservation { period: None, ..need(numbers.below(45), "alone", calendar, calendar) });
    let first = numbers.below(needs.len());
    needs.rotate_left(first);
    needs.truncate(numbers.below(4));
    needs
}

fn charge(numbers: &mut Numbers) -> Charge {
    match numbers.below(4) {
        0 => Charge::Nothing,
        1 => Charge::Reported(vec![("EUR".into(), numbers.below(20) as u64)]),
        2 => Charge::Reported(vec![("USD".into(), 7)]),
        _ => Charge::Reserved,
    }
}

fn operation(numbers: &mut Numbers, fences: usize, now: UnixMillis) -> Operation {
    let key = numbers.below(KEYS);
    // Mostly a late fence, since an early one has been settled.
    let fence = fences.saturating_sub(1 + numbers.below(6));
    let text =
        |numbers: &mut Numbers| vec![b'0' + u8::try_from(numbers.below(10)).expect("a digit")];
    match numbers.below(20) {
        0..=7 => Operation::Claim {
            key,
            arguments: usize::from(numbers.below(8) == 0),
            resolves: numbers.below(3) == 0,
            quota: (numbers.below(2) == 0).then_some(2),
            needs: needs(numbers, tenant(key % 2), now),
        },
        8..=9 => Operation::Renew { key, fence },
        10..=11 => {
            let body = text(numbers);
            let answer =
                StoredAnswer { succeeded: numbers.below(2) == 0, body, meta: b"{}".to_vec() };
            let keep_until = now.after(LEASE * 4);
            Operation::Settle {
                key,
                fence,
                settlement: Settlement::Answered { answer, keep_until },
                charge: charge(numbers),
            }
        }
        12 => Operation::Settle {
            key,
            fence,
            settlement: Settlement::Unknown,
            charge: charge(numbers),
        },
        13 => Operation::Settle {
            key,
            fence,
            settlement: Settlement::Released,
            charge: charge(numbers),
        },
        14 => Operation::Find { key },
        15 => Operation::ListUnknown {
            tenant: key % 2,
            after: (numbers.below(2) == 0).then_some(key),
            limit: 1 + numbers.below(4),
        },
        16 => Operation::FindUnknown { tenant: key % 2, fence },
        17 => Operation::Invalidate { key },
        18 => Operation::Archive,
        _ => Operation::Sweep,
    }
}

impl Contestant {
    fn new(name: &'static str, store: impl IdempotencyStore) -> Self {
        Self { name, store: Box::new(store), fences: Vec::new() }
    }

    /// Returns the number of the claim that a fence comes from.
    fn number(&self, fence: Fence) -> usize {
        self.fences.iter().position(|given| *given == fence).expect("a fence of this store")
    }

    fn fence(&self, number: usize) -> Fence {
        self.fences.get(number).copied().unwrap_or(Fence::new(u64::MAX >> 1))
    }

    fn record(&self, record: &KeyRecord) -> String {
        let KeyRecord { key, fingerprint, fence, state, caller, since, reserved, damaged } = record;
        let number = self.number(*fence);
        // An archived record has no names.
        let caller = if *state == KeyState::Archived { "" } else { caller };
        format!(
            "{key:?} {fingerprint} {number} {state:?} {caller} {since:?} {reserved:?} {damaged}"
        )
    }

    fn budgets(&self) -> &dyn BudgetStore {
        self.store.budgets().expect("it has budgets")
    }

    /// Returns what is spent and reserved of all accounts.
    async fn periods(&self) -> String {
        let mut periods = String::new();
        for number in 0..2 {
            let page = self.budgets().list_periods(tenant(number), None, 1_000).await;
            for period in page.expect("a list") {
                let (scope, balance) = (&period.account.scope, period.balance);
                let start = period.start;
                let written = write!(periods, "{number} {scope} {start:?} {balance:?}; ");
                written.expect("a text");
            }
        }
        periods
    }

    async fn run(&mut self, operation: &Operation, now: UnixMillis) -> String {
        let store = &self.store;
        match operation.clone() {
            Operation::Claim { key: number, arguments, resolves, quota, needs } => {
                let arguments =
                    Digest::compute("test", &[u8::try_from(arguments).expect("a byte")]);
                let mut request =
                    ClaimRequest::new(key(number), arguments, now, LEASE).resolves(resolves);
                if let Some(quota) = quota {
                    request = request.with_quota("service", quota);
                }
                let reserved = if needs.is_empty() {
                    let outcome = store.claim(request).await.expect("a claim");
                    ReserveOutcome::Claimed { outcome, balances: Vec::new() }
                } else {
                    self.budgets().reserve(request, needs).await.expect("a claim")
                };
                let (outcome, balances) = match reserved {
                    ReserveOutcome::Claimed { outcome, balances } => (outcome, balances),
                    ReserveOutcome::Exceeded(balances) => return format!("exceeded: {balances:?}"),
                };
                let (ClaimOutcome::Acquired(fence) | ClaimOutcome::TakenOver(fence)) = outcome
                else {
                    return match outcome {
                        ClaimOutcome::Unknown(fence) => format!("Unknown({})", self.number(fence)),
                        other => format!("{other:?}"),
                    };
                };
                let greatest = self.fences.last().copied();
                assert!(greatest.is_none_or(|last| last < fence), "{}: fences rise", self.name);
                self.fences.push(fence);
                let is_taken_over = matches!(outcome, ClaimOutcome::TakenOver(_));
                format!("taken over: {is_taken_over}, {balances:?}")
            }
            Operation::Renew { key: number, fence } => {
                let until = now.after(LEASE);
                let renewed = store.renew(&key(number), self.fence(fence), until).await;
                format!("{renewed:?}")
            }
            Operation::Settle { key: number, fence, settlement, charge } => {
                let (key, fence) = (key(number), self.fence(fence));
                let settled = self.budgets().settle_with(&key, fence, settlement, charge).await;
                format!("{settled:?}")
            }
            Operation::Find { key: number } => {
                let record = store.find(&key(number)).await.expect("a record");
                record.map_or_else(|| "none".to_owned(), |record| self.record(&record))
            }
            Operation::ListUnknown { tenant: number, after, limit } => {
                let after = after.map(key);
                let records = store.list_unknown(tenant(number), after.as_ref(), limit).await;
                let records = records.expect("records");
                records.iter().map(|record| self.record(record)).collect::<Vec<_>>().join("; ")
            }
            Operation::FindUnknown { tenant: number, fence } => {
                let record = store.find_unknown(tenant(number), self.fence(fence)).await;
                let record = record.expect("a record");
                record.map_or_else(|| "none".to_owned(), |record| self.record(&record))
            }
            Operation::Invalidate { key: number } => {
                format!("{:?}", store.invalidate_answer(&key(number)).await)
            }
            Operation::Archive => {
                format!("{:?}", store.archive_unknown(now.before(LEASE * 6), 1_000).await)
            }
            Operation::Sweep => format!("{:?}", store.sweep_keys(now, 1_000).await),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn three_stores_answer_random_scripts_alike() {
    for (url, seed) in
        server::urls().into_iter().flat_map(|url| (0..SCRIPTS).map(move |seed| (url.clone(), seed)))
    {
        let file = std::env::temp_dir().join(format!("agreement-{}.db", Uuid::now_v7()));
        let mut contestants = [
            Contestant::new("memory", MemoryStore::new()),
            Contestant::new("SQLite", SqliteStore::open(&file).expect("a store")),
            Contestant::new("PostgreSQL", server::store(&url).await),
        ];
        let (mut numbers, mut now) = (Numbers(seed), UnixMillis::new(START));
        for step in 0..OPERATIONS {
            let operation = operation(&mut numbers, contestants[0].fences.len(), now);
            let [memory, others @ ..] = &mut contestants;
            let expected = memory.run(&operation, now).await;
            for other in others {
                let answer = other.run(&operation, now).await;
                assert_eq!(
                    answer, expected,
                    "{}: script {seed}, step {step}, {operation:?}",
                    other.name
                );
                let (periods, expected) = (other.periods().await, memory.periods().await);
                assert_eq!(
                    periods, expected,
                    "{}: script {seed}, step {step}, {operation:?}",
                    other.name
                );
            }
            now =
                now.after(LEASE * u32::try_from(numbers.below(300)).expect("a small number") / 500);
        }
        assert!(contestants[0].fences.len() > 20, "{}", contestants[0].fences.len());
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{suffix}", file.display()));
        }
    }
}
