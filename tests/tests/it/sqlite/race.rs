//! Several handles, and several processes, on one file.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::Child;
use std::thread;

use futures::future::join_all;
use tool_runtime::Uuid;
use tool_runtime::store::{
    ClaimOutcome, IdempotencyStore, SqliteStore, TicketEnd, TicketStore, WaitingTicket,
};

use super::{Folder, START, played, request, spawn};

const KEYS: usize = 100;
const PROCESSES: usize = 3;
const ROLE: &str = "sqlite::race::a_process_that_claims";

/// Claims every key, and returns the fences of those it got.
async fn claim_all(store: &SqliteStore) -> BTreeMap<usize, u64> {
    let claims = (0..KEYS).map(|number| async move {
        match store.claim(request(&number.to_string())).await.unwrap() {
            ClaimOutcome::Acquired(fence) => Some((number, fence.get())),
            ClaimOutcome::Running { .. } => None,
            other => panic!("key {number}: {other:?}"),
        }
    });
    join_all(claims).await.into_iter().flatten().collect()
}

/// Every key has one first claimant, and no fence was given twice.
#[track_caller]
fn check_each_key_once(claimed: &[BTreeMap<usize, u64>]) {
    let mut keys: Vec<usize> = claimed.iter().flat_map(BTreeMap::keys).copied().collect();
    keys.sort_unstable();
    assert_eq!(keys, (0..KEYS).collect::<Vec<_>>());
    let mut fences: Vec<u64> = claimed.iter().flat_map(BTreeMap::values).copied().collect();
    fences.sort_unstable();
    fences.dedup();
    assert_eq!(fences.len(), KEYS);
}

#[tokio::test]
async fn two_handles_on_one_file_give_each_key_once() {
    let folder = Folder::new();
    let (one, other) = (folder.open(), folder.open());
    let (one, other) = futures::join!(claim_all(&one), claim_all(&other));
    check_each_key_once(&[one, other]);
}

#[tokio::test]
async fn two_handles_on_one_file_end_each_ticket_once() {
    let folder = Folder::new();
    let (one, other) = (folder.open(), folder.open());
    for id in ids() {
        let ticket = WaitingTicket::new(id, Uuid::nil(), "session-1", Vec::new(), START);
        one.put_ticket(ticket).await.unwrap();
    }
    let (one, other) = futures::join!(end_all(&one), end_all(&other));
    assert_eq!(one + other, KEYS);
}

/// Some keep their handle while others make the file, some open it twice.
#[test]
fn everyone_who_makes_one_file_at_once_opens_it() {
    for _ in 0..50 {
        let folder = Folder::new();
        let open = |twice: bool| {
            let file = folder.file();
            thread::spawn(move || {
                if twice {
                    drop(SqliteStore::open(&file)?);
                }
                SqliteStore::open(&file)
            })
        };
        let threads: Vec<_> = (0..6).map(|number| open(number % 2 == 0)).collect();
        let opened: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert!(opened.iter().all(Result::is_ok), "{opened:?}");
    }
}

fn ids() -> impl Iterator<Item = Uuid> {
    (1..=KEYS as u128).map(Uuid::from_u128)
}

/// Ends every ticket, and returns how many of its endings counted.
async fn end_all(store: &SqliteStore) -> usize {
    let ends = ids().map(|id| store.end_ticket(id, TicketEnd::Used));
    join_all(ends).await.into_iter().filter(|earlier| earlier.clone().unwrap().is_none()).count()
}

#[test]
fn processes_that_make_one_file_and_race_give_each_key_once() {
    let folder = Folder::new();
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| spawn(ROLE, &folder)).collect();
    // All have started before the first is released.
    for child in &mut children {
        read_line(child, "ready");
    }
    for child in &mut children {
        child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    }
    let claimed: Vec<_> = children.into_iter().map(finish).collect();
    check_each_key_once(&claimed);
}

pub(super) fn read_line(child: &mut Child, wanted: &str) {
    let mut output = BufReader::with_capacity(1, child.stdout.as_mut().unwrap());
    let mut line = String::new();
    while line.trim() != wanted {
        line.clear();
        assert_ne!(output.read_line(&mut line).unwrap(), 0, "the process ended early");
    }
}

fn finish(mut child: Child) -> BTreeMap<usize, u64> {
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    assert!(child.wait().unwrap().success(), "{output}");
    let claimed = output.lines().filter_map(|line| line.strip_prefix("claimed "));
    let pair = |line: &str| {
        let (key, fence) = line.split_once(' ').unwrap();
        (key.parse().unwrap(), fence.parse().unwrap())
    };
    claimed.map(pair).collect()
}

#[tokio::test]
async fn a_process_that_claims() {
    let Some(folder) = played(ROLE) else { return };
    println!("\nready");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let store = SqliteStore::open(folder.join("tools.db")).unwrap();
    for (key, fence) in claim_all(&store).await {
        println!("claimed {key} {fence}");
    }
}
