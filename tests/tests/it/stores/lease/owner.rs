//! The owners of a key, and the sweeper beside them.

use std::sync::Arc;
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};
use shuttle::thread;
use tool_runtime::store::{Settlement, StoredAnswer, UnixMillis};

use super::lease_model::{LEASE, LeaseModel, Owner};

const OWNERS: usize = 3;
const ATTEMPTS: usize = 3;
const HEARTBEATS: usize = 2;
const TICKS: usize = 4;

/// The end of an owner's run.
#[derive(Clone, Copy)]
enum Fate {
    Answers,
    GivesUp,
    LosesTheOutcome,
    CrashesBefore,
    CrashesAfter,
}

/// Runs owners and the clock concurrently, and then one more owner that finishes the rest.
pub(super) fn play(model: &Arc<LeaseModel>) {
    let clock = {
        let model = model.clone();
        thread::spawn(move || run_clock(&model))
    };
    let owners = (0..OWNERS).map(|number| {
        let model = model.clone();
        thread::spawn(move || own(&model, number == 0))
    });
    for thread in owners.collect::<Vec<_>>().into_iter().chain([clock]) {
        thread.join().unwrap();
    }
    finish(model);
}

fn run_clock(model: &LeaseModel) {
    for _ in 0..TICKS {
        let half = milliseconds(LEASE / 2);
        let halves = [1, 1, 2, 2, 3, 3, 4, -6][thread_rng().gen_range(0..8)];
        model.tick(halves * half);
    }
}

fn own(model: &Arc<LeaseModel>, resolves: bool) {
    for _ in 0..ATTEMPTS {
        if let Some(owner) = model.claim(resolves) {
            let beats = {
                let model = model.clone();
                thread::spawn(move || beat(&model, owner))
            };
            run(model, owner, fate());
            return beats.join().unwrap();
        }
    }
}

/// Renews a lease during the run, as a heartbeat does.
fn beat(model: &LeaseModel, owner: Owner) {
    for _ in 0..HEARTBEATS {
        if !model.renew(owner) {
            return;
        }
    }
}

fn run(model: &LeaseModel, owner: Owner, fate: Fate) {
    match fate {
        Fate::CrashesBefore => return,
        Fate::GivesUp => return model.settle(owner, &Settlement::Released),
        _ => {}
    }
    if !model.affect(owner) {
        return;
    }
    match fate {
        Fate::Answers => model.settle(owner, &answer(owner)),
        Fate::LosesTheOutcome => model.settle(owner, &Settlement::Unknown),
        _ => {}
    }
}

/// Takes over the rest, long after every lease.
fn finish(model: &LeaseModel) {
    model.tick(milliseconds(LEASE) * 100);
    if let Some(owner) = model.claim(true) {
        assert!(model.affect(owner), "the last owner's effect is let through");
        model.settle(owner, &answer(owner));
    }
    model.assert_end();
}

fn fate() -> Fate {
    match thread_rng().gen_range(0..8) {
        0 => Fate::GivesUp,
        1 => Fate::LosesTheOutcome,
        2 => Fate::CrashesBefore,
        3 => Fate::CrashesAfter,
        _ => Fate::Answers,
    }
}

fn answer(owner: Owner) -> Settlement {
    let body = owner.fence.get().to_string().into_bytes();
    let answer = StoredAnswer::succeeded(body, b"{}".to_vec());
    Settlement::Answered { answer, keep_until: UnixMillis::new(u64::MAX) }
}

fn milliseconds(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap()
}
