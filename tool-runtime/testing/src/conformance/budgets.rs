//! The conformance suite of budgets.

use std::slice::from_ref;
use std::time::Duration;

use futures::FutureExt;
use futures::future::join_all;
use tool_runtime_core::store::{
    Balance, BudgetAccount, BudgetControl, BudgetPeriod, BudgetStore, BudgetUnit, Charge,
    ClaimOutcome, ClaimRequest, Currency, Fence, KeyState, Reservation, ReservationPeriod,
    ReserveOutcome, ScopedKey, Settlement, SpendOutcome, StoredAnswer, UnixMillis,
};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::samples::{CROWD, START, at, done};

/// Checks every promise of a [`BudgetStore`].
///
/// # Panics
/// Panics at the first broken promise.
pub async fn budgets(store: &dyn BudgetStore) {
    a_claim_reserves_all_of_its_amounts_or_none(store).await;
    an_answer_spends_what_its_charge_says(store).await;
    a_release_gives_back_and_an_unknown_outcome_holds(store).await;
    an_archived_key_holds_its_amounts(store).await;
    a_takeover_keeps_the_reservation_of_its_key(store).await;
    a_claim_that_gets_no_key_reserves_nothing(store).await;
    many_claims_at_once_stay_within_the_limit(store).await;
    a_dropped_claim_leaves_nothing_reserved(store).await;
    the_periods_of_a_window_count_together(store).await;
    spending_without_a_key_is_all_or_nothing(store).await;
    a_control_holds_at_once(store).await;
    a_limit_of_each_call_alone_has_no_sum(store).await;
    a_limit_is_raised_for_one_period(store).await;
    periods_are_listed_and_swept(store).await;
}

const LEASE: Duration = Duration::from_secs(30);
const KEEP: Duration = Duration::from_secs(1_000);

fn euros() -> BudgetUnit {
    BudgetUnit::Money(Currency::new("EUR", 2).expect("a currency"))
}

/// The keys and accounts of a tenant that one check owns.
struct BudgetChecks<'a> {
    store: &'a dyn BudgetStore,
    tenant: Uuid,
    /// Controls hold for all tenants, so that each check has budgets of its own.
    budget: String,
}

impl<'a> BudgetChecks<'a> {
    fn new(store: &'a dyn BudgetStore) -> Self {
        let tenant = Uuid::now_v7();
        Self { store, tenant, budget: format!("budget {tenant}") }
    }

    fn key(&self, key: &str) -> ScopedKey {
        ScopedKey::new(self.tenant, "user:42", "pay", key)
    }

    fn account(&self, scope: &str) -> BudgetAccount {
        BudgetAccount {
            tenant: self.tenant,
            budget: self.budget.as_str().into(),
            limit: "day".into(),
            scope: scope.into(),
            unit: euros(),
        }
    }

    /// A reservation of a calendar window, with a limit of 100.
    fn need(&self, scope: &str, amount: u64) -> Reservation {
        Reservation {
            account: self.account(scope),
            period: Some(day(0)),
            amount,
            limit: 100,
            may_exceed: false,
        }
    }

    fn request(&self, key: &str, now: UnixMillis) -> ClaimRequest {
        ClaimRequest::new(self.key(key), Digest::compute("test", b"{}"), now, LEASE)
    }

    async fn reserve(&self, key: &str, needs: &[Reservation]) -> ReserveOutcome {
        self.reserve_at(self.request(key, START), needs).await
    }

    async fn reserve_at(&self, request: ClaimRequest, needs: &[Reservation]) -> ReserveOutcome {
        done("reserve", self.store.reserve(request, needs.to_vec()).await)
    }

    /// Claims a free key with reservations that fit.
    async fn first(&self, key: &str, needs: &[Reservation]) -> Fence {
        match self.reserve(key, needs).await {
            ReserveOutcome::Claimed { outcome: ClaimOutcome::Acquired(fence), .. } => fence,
            other => panic!("a free key is claimed with amounts that fit; found {other:?}"),
        }
    }

    async fn settle(&self, key: &str, fence: Fence, settlement: Settlement, charge: Charge) {
        let settled = self.store.settle_with(&self.key(key), fence, settlement, charge).await;
        assert!(done("settle_with", settled), "an owner settles its key");
    }

    /// The amounts that are spent and reserved of each need's account.
    async fn sums(&self, needs: &[Reservation]) -> Vec<(u64, u64)> {
        let balances = done("balances", self.store.balances(needs).await);
        balances.iter().map(|balance| (balance.spent, balance.reserved)).collect()
    }
}

/// The period of a calendar window that starts so many seconds after the first.
fn day(start: u64) -> ReservationPeriod {
    ReservationPeriod::calendar(at(start), Some(KEEP))
}

fn answered() -> Settlement {
    let answer = StoredAnswer::succeeded(b"1".to_vec(), b"{}".to_vec());
    Settlement::Answered { answer, keep_until: at(100_000) }
}

fn balance(spent: u64, reserved: u64) -> Balance {
    Balance { spent, reserved, ..Balance::default() }
}

async fn a_claim_reserves_all_of_its_amounts_or_none(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:b", 60), checks.need("user:a", 40)];
    let outcome = checks.reserve("1", &needs).await;
    let ReserveOutcome::Claimed { outcome: ClaimOutcome::Acquired(_), balances } = outcome else {
        panic!("amounts that fit are reserved; found {outcome:?}");
    };
    let expected = [balance(0, 60), balance(0, 40)];
    assert_eq!(balances, expected, "the balances are in the order of the reservations");

    // The second account has room, and the first one has not.
    let outcome = checks.reserve("2", &needs).await;
    assert_eq!(outcome, ReserveOutcome::Exceeded(expected.to_vec()), "one amount does not fit");
    assert_eq!(checks.sums(&needs).await, [(0, 60), (0, 40)], "nothing else is reserved");
    let record = done("find", store.find(&checks.key("2")).await);
    assert_eq!(record, None, "and nothing is claimed");

    let exact = [checks.need("user:b", 40), checks.need("user:a", 60)];
    checks.first("2", &exact).await;
    let exceeding = Reservation { may_exceed: true, ..checks.need("user:b", 7) };
    checks.first("3", &[exceeding]).await;
    assert_eq!(checks.sums(&needs).await, [(0, 107), (0, 100)], "a person may exceed a limit");
    checks.first("4", &[checks.need("user:b", 0)]).await;
}

async fn an_answer_spends_what_its_charge_says(store: &dyn BudgetStore) {
    let reported = |amount| Charge::Reported(vec![("USD".into(), 9), ("EUR".into(), amount)]);
    let cases = [
        (Charge::Reserved, 30),
        (Charge::Nothing, 0),
        (reported(12), 12),
        (reported(150), 150),
        (Charge::Reported(vec![("USD".into(), 9)]), 30),
    ];
    for (charge, spent) in cases {
        let checks = BudgetChecks::new(store);
        let needs = [checks.need("user:a", 30)];
        let fence = checks.first("1", &needs).await;
        for _ in 0..2 {
            checks.settle("1", fence, answered(), charge.clone()).await;
            assert_eq!(checks.sums(&needs).await, [(spent, 0)], "{charge:?} is spent, and once");
        }
        let outcome = checks.reserve("1", &needs).await;
        assert!(
            matches!(&outcome, ReserveOutcome::Claimed { outcome: ClaimOutcome::Settled(_), .. }),
            "a repeat gets the answer, whatever is left; found {outcome:?}"
        );
        assert_eq!(checks.sums(&needs).await, [(spent, 0)], "and spends nothing");
    }
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 30)];
    let fence = checks.first("1", &needs).await;
    let settled = store.settle(&checks.key("1"), fence, answered()).await;
    assert!(done("settle", settled), "an owner settles its key");
    assert_eq!(checks.sums(&needs).await, [(30, 0)], "`settle` spends what was reserved");
}

async fn a_release_gives_back_and_an_unknown_outcome_holds(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 30)];
    let fence = checks.first("1", &needs).await;
    checks.settle("1", fence, Settlement::Unknown, Charge::Reserved).await;
    assert_eq!(checks.sums(&needs).await, [(0, 30)], "an unknown outcome holds its amount");
    let record = done("find", store.find(&checks.key("1")).await).expect("a record");
    let reserved: Vec<_> = record.reserved.iter().map(|it| (it.account, it.amount)).collect();
    assert_eq!(reserved, [(needs[0].account.digest(), 30)], "its record says what it reserves");
    let unknown = done("list_unknown", store.list_unknown(checks.tenant, None, 10).await);
    assert_eq!(unknown, [record], "and so does the list");
    checks.settle("1", fence, Settlement::Released, Charge::Reserved).await;
    assert_eq!(checks.sums(&needs).await, [(0, 0)], "a release gives the amount back");

    let fence = checks.first("1", &needs).await;
    let charge = Charge::Reported(vec![("EUR".into(), 5)]);
    checks.settle("1", fence, Settlement::Released, charge).await;
    assert_eq!(checks.sums(&needs).await, [(5, 0)], "except for what was reported");
}

async fn an_archived_key_holds_its_amounts(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 30)];
    let fence = checks.first("1", &needs).await;
    checks.settle("1", fence, Settlement::Unknown, Charge::Reserved).await;
    while done("archive_unknown", store.archive_unknown(at(60), 100).await) > 0 {}
    let record = done("find", store.find(&checks.key("1")).await);
    if record.is_none_or(|record| record.state != KeyState::Archived) {
        // A backend need not archive.
        return;
    }
    assert_eq!(checks.sums(&needs).await, [(0, 30)], "an archived key holds its amount");
    checks.settle("1", fence, Settlement::Released, Charge::Reserved).await;
    assert_eq!(checks.sums(&needs).await, [(0, 0)], "until it is released");
}

async fn a_takeover_keeps_the_reservation_of_its_key(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 60)];
    checks.first("1", &needs).await;
    // A day later: the key has its amount in yesterday's period.
    let later = checks.request("1", at(60));
    let today = Reservation { period: Some(day(50)), ..checks.need("user:a", 60) };
    let outcome = checks.reserve_at(later, from_ref(&today)).await;
    let ReserveOutcome::Claimed { outcome: ClaimOutcome::TakenOver(_), .. } = outcome else {
        panic!("an abandoned key is taken over; found {outcome:?}");
    };
    assert_eq!(checks.sums(&needs).await, [(0, 60)], "it has the reservation of its key");
    assert_eq!(checks.sums(&[today]).await, [(0, 0)], "and no other");

    // A person has raised the amount: the key needs 30 more, and later 20 more, which do not fit.
    let more = checks.need("user:a", 90);
    let outcome = checks.reserve_at(checks.request("1", at(120)), from_ref(&more)).await;
    let ReserveOutcome::Claimed { outcome: ClaimOutcome::TakenOver(fence), .. } = outcome else {
        panic!("the missing amount fits; found {outcome:?}");
    };
    assert_eq!(checks.sums(&needs).await, [(0, 90)]);
    let too_much = checks.need("user:a", 110);
    let outcome = checks.reserve_at(checks.request("1", at(180)), &[too_much]).await;
    assert_eq!(outcome, ReserveOutcome::Exceeded(vec![balance(0, 90)]), "it does not fit");
    checks.settle("1", fence, answered(), Charge::Reported(vec![("EUR".into(), 95)])).await;
    assert_eq!(checks.sums(&needs).await, [(95, 0)], "the owner keeps the key");
}

async fn a_claim_that_gets_no_key_reserves_nothing(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 30)];
    checks.first("1", &needs).await;
    let outcome = checks.reserve("1", &needs).await;
    let running = ClaimOutcome::Running { until: START.after(LEASE) };
    let expected = ReserveOutcome::Claimed { outcome: running, balances: Vec::new() };
    assert_eq!(outcome, expected, "a repeat waits for the owner");
    let other = ClaimRequest {
        fingerprint: Digest::compute("test", b"other"),
        ..checks.request("1", START)
    };
    let outcome = checks.reserve_at(other, &needs).await;
    let expected =
        ReserveOutcome::Claimed { outcome: ClaimOutcome::Mismatch, balances: Vec::new() };
    assert_eq!(outcome, expected, "other arguments are refused");
    assert_eq!(checks.sums(&needs).await, [(0, 30)], "neither reserves anything");
}

async fn many_claims_at_once_stay_within_the_limit(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let scopes = ["user:a", "user:b"];
    let claims = (0..CROWD * 2).map(|number| {
        // In both orders, which must not make two of them wait for each other.
        let mut needs = scopes.map(|scope| checks.need(scope, 9));
        if number % 2 == 0 {
            needs.reverse();
        }
        let request = checks.request(&number.to_string(), START);
        let reserve = store.reserve(request, needs.to_vec());
        reserve.map(|outcome| done("reserve", outcome))
    });
    let outcomes = join_all(claims).await;
    let claimed = |outcome: &&ReserveOutcome| matches!(outcome, ReserveOutcome::Claimed { .. });
    let claimed = outcomes.iter().filter(claimed).count();
    assert_eq!(claimed, 11, "eleven times nine fit into a hundred; found {outcomes:?}");
    let needs = scopes.map(|scope| checks.need(scope, 0));
    assert_eq!(checks.sums(&needs).await, [(0, 99), (0, 99)]);
}

async fn a_dropped_claim_leaves_nothing_reserved(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 100)];
    let request = checks.request("1", START);
    let reserve = store.reserve(request, needs.to_vec());
    if let Some(outcome) = reserve.now_or_never() {
        // A backend that is ready at once has nothing to undo.
        let outcome = done("reserve", outcome);
        assert!(matches!(outcome, ReserveOutcome::Claimed { .. }), "{outcome:?}");
        return;
    }
    for _ in 0..10_000 {
        let outcome = checks.reserve("2", &needs).await;
        if let ReserveOutcome::Claimed { .. } = outcome {
            assert_eq!(checks.sums(&needs).await, [(0, 100)]);
            return;
        }
        super::samples::pause().await;
    }
    panic!("a dropped claim gives its amount back");
}

async fn the_periods_of_a_window_count_together(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let rolling = |start, since, amount| Reservation {
        period: Some(ReservationPeriod { start: at(start), since: at(since), keep: Some(KEEP) }),
        ..checks.need("user:a", amount)
    };
    checks.first("1", &[rolling(10, 0, 40)]).await;
    checks.first("2", &[rolling(20, 5, 40)]).await;
    let outcome = checks.reserve("3", &[rolling(30, 10, 40)]).await;
    assert_eq!(outcome, ReserveOutcome::Exceeded(vec![balance(0, 80)]), "two periods count");
    checks.first("3", &[rolling(30, 11, 40)]).await;
    assert_eq!(checks.sums(&[rolling(40, 0, 0)]).await, [(0, 120)]);
    // A calendar window has its own period alone.
    let calendar = Reservation { period: Some(day(20)), ..checks.need("user:a", 0) };
    assert_eq!(checks.sums(&[calendar]).await, [(0, 40)]);
}

async fn spending_without_a_key_is_all_or_nothing(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = |amount| [checks.need("user:b", amount), checks.need("user:a", 10)];
    let spent = done("spend", store.spend(START, needs(60).to_vec()).await);
    assert_eq!(spent, SpendOutcome::Spent(vec![balance(60, 0), balance(10, 0)]));
    let refused = done("spend", store.spend(START, needs(50).to_vec()).await);
    let expected = SpendOutcome::Exceeded(vec![balance(60, 0), balance(10, 0)]);
    assert_eq!(refused, expected, "nothing is spent if one amount does not fit");
    assert_eq!(checks.sums(&needs(0)).await, [(60, 0), (10, 0)], "nothing else is spent");
}

async fn a_control_holds_at_once(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let needs = [checks.need("user:a", 60)];
    let control = |paused, amount| BudgetControl {
        budget: checks.budget.as_str().into(),
        limit: "day".into(),
        unit: euros(),
        paused,
        amount,
    };
    let set = async |paused, amount| {
        done("set_control", store.set_control(control(paused, amount)).await);
    };
    set(true, None).await;
    let paused = Balance { paused: true, ..Balance::default() };
    let outcome = checks.reserve("1", &needs).await;
    let expected = ReserveOutcome::Exceeded(vec![paused]);
    assert_eq!(outcome, expected, "a paused limit reserves nothing");
    let exceeding = Reservation { may_exceed: true, ..needs[0].clone() };
    assert_eq!(checks.reserve("1", &[exceeding]).await, ReserveOutcome::Exceeded(vec![paused]));
    set(false, Some(50)).await;
    let limited = Balance { limit: Some(50), ..Balance::default() };
    let outcome = checks.reserve("1", &needs).await;
    let expected = ReserveOutcome::Exceeded(vec![limited]);
    assert_eq!(outcome, expected, "a changed limit holds at once");
    set(false, Some(60)).await;
    checks.first("1", &needs).await;
    set(false, None).await;
    assert_eq!(done("balances", store.balances(&needs).await), [balance(0, 60)]);
}

async fn a_limit_of_each_call_alone_has_no_sum(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let alone = |amount| Reservation { period: None, ..checks.need("user:a", amount) };
    for key in ["1", "2"] {
        let needs = [alone(100), checks.need("user:b", 30)];
        checks.first(key, &needs).await;
    }
    let outcome = checks.reserve("3", &[checks.need("user:b", 30), alone(101)]).await;
    let expected = ReserveOutcome::Exceeded(vec![balance(0, 60), balance(0, 0)]);
    assert_eq!(outcome, expected, "an amount above the limit is refused, and nothing is reserved");
    let spent = done("spend", store.spend(START, vec![alone(100)]).await);
    assert_eq!(spent, SpendOutcome::Spent(vec![balance(0, 0)]));
    let periods = done("list_periods", store.list_periods(checks.tenant, None, 10).await);
    assert_eq!(periods.len(), 1, "no sum of the limit is stored; found {periods:?}");

    let set = async |paused, amount| {
        let (budget, limit) = (checks.budget.as_str().into(), "day".into());
        let control = BudgetControl { budget, limit, unit: euros(), paused, amount };
        done("set_control", store.set_control(control).await);
    };
    set(false, Some(50)).await;
    let limited = Balance { limit: Some(50), ..Balance::default() };
    assert_eq!(checks.reserve("3", &[alone(51)]).await, ReserveOutcome::Exceeded(vec![limited]));
    set(true, None).await;
    let paused = Balance { paused: true, ..Balance::default() };
    assert_eq!(checks.reserve("3", &[alone(1)]).await, ReserveOutcome::Exceeded(vec![paused]));
    // The key has met the limit with its first claim.
    let outcome = checks.reserve_at(checks.request("1", at(60)), &[alone(100)]).await;
    let taken_over = |outcome: &ReserveOutcome| {
        matches!(outcome, ReserveOutcome::Claimed { outcome: ClaimOutcome::TakenOver(_), .. })
    };
    assert!(taken_over(&outcome), "a pause does not stop a takeover; found {outcome:?}");
}

async fn a_limit_is_raised_for_one_period(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let account = checks.account("user:a");
    for _ in 0..2 {
        let raised = store.raise(&account, at(0), 25, START, Some(KEEP)).await;
        done("raise", raised);
    }
    checks.first("1", &[checks.need("user:a", 150)]).await;
    let raised = Balance { raised: 50, ..balance(0, 150) };
    let outcome = checks.reserve("2", &[checks.need("user:a", 1)]).await;
    assert_eq!(outcome, ReserveOutcome::Exceeded(vec![raised]), "it is raised twice by 25");
    let next = Reservation { period: Some(day(50)), ..checks.need("user:a", 101) };
    let outcome = checks.reserve("2", &[next]).await;
    assert_eq!(outcome, ReserveOutcome::Exceeded(vec![balance(0, 0)]), "and not in the next one");
}

async fn periods_are_listed_and_swept(store: &dyn BudgetStore) {
    let checks = BudgetChecks::new(store);
    let mut expected = Vec::new();
    for number in 0..5_u64 {
        let need = checks.need(&format!("user:{number}"), 10 + number);
        let keep = (number > 0).then_some(KEEP);
        let period = Some(ReservationPeriod::calendar(at(0), keep));
        let need = Reservation { period, ..need };
        checks.first(&number.to_string(), from_ref(&need)).await;
        let (account, balance) = (need.account, balance(0, 10 + number));
        expected.push(BudgetPeriod { account, start: at(0), limit: 100, balance });
    }
    let mut periods: Vec<BudgetPeriod> = Vec::new();
    loop {
        let page =
            store.list_periods(checks.tenant, periods.last().map(BudgetPeriod::position), 2).await;
        let page = done("list_periods", page);
        assert!(page.len() <= 2, "a page has no more than its limit");
        if page.is_empty() {
            break;
        }
        periods.extend(page);
    }
    let by_scope = |period: &BudgetPeriod| period.account.scope.clone();
    periods.sort_by_key(by_scope);
    assert_eq!(periods, expected, "all periods of the tenant are listed");

    let sweep = async |now| while done("sweep_keys", store.sweep_keys(now, 100).await) > 0 {};
    sweep(START.after(KEEP).before(Duration::from_millis(1))).await;
    let periods = done("list_periods", store.list_periods(checks.tenant, None, 10).await);
    assert_eq!(periods.len(), 5, "none is deleted before its time");
    sweep(START.after(KEEP)).await;
    let periods = done("list_periods", store.list_periods(checks.tenant, None, 10).await);
    assert_eq!(periods, expected[..1], "one that is kept for ever stays");
}
