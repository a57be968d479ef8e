//! A process that is killed during its work.

use std::io::{BufRead, BufReader, Write};

use futures::future::join_all;
use tool_runtime::store::{IdempotencyStore, KeyState, SqliteStore};

use super::{Folder, answered, fence, key, played, request, spawn};

const ROLE: &str = "sqlite::crash::a_process_that_settles";
const TASKS: usize = 8;
const CONFIRMED: usize = 60;

#[tokio::test]
async fn a_killed_process_loses_nothing_that_was_confirmed() {
    let folder = Folder::new();
    let mut child = spawn(ROLE, &folder);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let settled = |line: String| line.strip_prefix("settled ").map(str::to_owned);
    let mut confirmed: Vec<String> = lines.by_ref().filter_map(settled).take(CONFIRMED).collect();
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "it should have been killed at its work");
    confirmed.extend(lines.filter_map(settled));
    assert!(confirmed.len() >= CONFIRMED);

    let store = folder.open();
    for name in confirmed {
        let record = store.find(&key(&name)).await.unwrap().expect(&name);
        let KeyState::Answered { answer, .. } = record.state else { panic!("{name}: {record:?}") };
        assert_eq!(answer.body, name.as_bytes());
    }
}

#[tokio::test]
async fn a_process_that_settles() {
    let Some(folder) = played(ROLE) else { return };
    let store = SqliteStore::open(folder.join("tools.db")).unwrap();
    println!();
    join_all((0..TASKS).map(|task| settle_on_and_on(&store, task))).await;
}

async fn settle_on_and_on(store: &SqliteStore, task: usize) {
    for number in 0.. {
        let name = format!("{task}-{number}");
        let fence = fence(&store.claim(request(&name)).await.unwrap());
        assert!(store.settle(&key(&name), fence, answered(&name)).await.unwrap());
        // In one piece, so that a line is whole or not there.
        std::io::stdout().lock().write_all(format!("settled {name}\n").as_bytes()).unwrap();
    }
}
