//! The suite of budgets on the stores of one machine.

use tool_runtime::store::{IdempotencyStore, MemoryStore, SqliteStore};
use tool_runtime::testing::conformance;

#[tokio::test]
async fn memory_and_sqlite_keep_every_promise_of_budgets() {
    conformance::budgets(MemoryStore::new().budgets().expect("it has budgets")).await;
    let folder = std::env::temp_dir().join(format!("tool-budgets-{}", uuid::Uuid::now_v7()));
    std::fs::create_dir(&folder).expect("a folder");
    let store = SqliteStore::open(folder.join("tools.db")).expect("a store");
    conformance::budgets(store.budgets().expect("it has budgets")).await;
    drop(store);
    std::fs::remove_dir_all(folder).expect("it is removed");
}
