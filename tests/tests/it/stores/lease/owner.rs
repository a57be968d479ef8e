//! The owners of a key, and the sweeper beside them.

use std::sync::Arc;
use std::time::Duration;

use shuttle::rand::{Rng, thread_rng};
use shuttle::thread;
use tool_runtime::store::{Settlement, StoredAnswer, UnixMillis};

use super::world::{LEASE, Owner, World};

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
pub(super) fn play(world: &Arc<World>) {
    let clock = {
        let world = world.clone();
        thread::spawn(move || run_clock(&world))
    };
    let owners = (0..OWNERS).map(|number| {
        let world = world.clone();
        thread::spawn(move || own(&world, number == 0))
    });
    for thread in owners.collect::<Vec<_>>().into_iter().chain([clock]) {
        thread.join().unwrap();
    }
    finish(world);
}

fn run_clock(world: &World) {
    for _ in 0..TICKS {
        let half = milliseconds(LEASE / 2);
        let halves = [1, 1, 2, 2, 3, 3, 4, -6][thread_rng().gen_range(0..8)];
        world.tick(halves * half);
    }
}

fn own(world: &Arc<World>, resolves: bool) {
    for _ in 0..ATTEMPTS {
        if let Some(owner) = world.claim(resolves) {
            let beats = {
                let world = world.clone();
                thread::spawn(move || beat(&world, owner))
            };
            run(world, owner, fate());
            return beats.join().unwrap();
        }
    }
}

/// Renews a lease during the run, as a heartbeat does.
fn beat(world: &World, owner: Owner) {
    for _ in 0..HEARTBEATS {
        if !world.renew(owner) {
            return;
        }
    }
}

fn run(world: &World, owner: Owner, fate: Fate) {
    match fate {
        Fate::CrashesBefore => return,
        Fate::GivesUp => return world.settle(owner, &Settlement::Released),
        _ => {}
    }
    if !world.affect(owner) {
        return;
    }
    match fate {
        Fate::Answers => world.settle(owner, &answer(owner)),
        Fate::LosesTheOutcome => world.settle(owner, &Settlement::Unknown),
        _ => {}
    }
}

/// Takes over the rest, long after every lease.
fn finish(world: &World) {
    world.tick(milliseconds(LEASE) * 100);
    if let Some(owner) = world.claim(true) {
        assert!(world.affect(owner), "the last owner's effect is let through");
        world.settle(owner, &answer(owner));
    }
    world.assert_end();
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
