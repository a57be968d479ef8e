//! The store on a real server; without `TEST_POSTGRES` nothing runs: see `tests/postgres/run`.

mod agreement;
mod claims;
mod clock_steps;
mod conformance;
mod import;
mod isolation;
mod ledger;
mod ledger_kills;
mod limits;
mod lock_waits;
mod opening;
mod pool;
mod private_server;
mod replicas;
mod restarts;
mod server;
mod sessions;
mod transactions;
mod values;
