#![allow(unused)]

use tool_runtime::prelude::*;

use std::sync::Arc;

struct Db;

/// Searches.
#[ai_tool(effect = "read")]
fn search(
    /// The database.
    db: Arc<Db>,
) {}

fn main() {
    let _ = Runtime::builder().tool::<SearchTool>().shared_state(Arc::new(Db));
}
