//! Buys reports from a seller on loopback: `examples/clients/paid-reports/seller/run cargo run --manifest-path examples/clients/Cargo.toml -p paid-reports`.

use std::error::Error;

use paid_reports::{Seller, runtime};
use tool_runtime::prelude::*;

/// The calls of the model, one after the other: the second report is dearer than the budget.
const CALLS: [(&str, &str); 4] = [
    ("quote_report", r#"{"report":"weather"}"#),
    ("buy_report", r#"{"report":"weather","price":"0.01"}"#),
    ("quote_report", r#"{"report":"report"}"#),
    ("buy_report", r#"{"report":"report","price":"5.00"}"#),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::var("X402_SELLER")
        .map_err(|_| "X402_SELLER has no URL of a seller: start it with `seller/run`")?;
    let runtime = runtime(Seller::new(&url)?)?;
    let cx =
        ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("jane").build()?;
    for (tool, arguments) in CALLS {
        let mut call = runtime.call(tool, arguments, &cx);
        println!("> {tool} {arguments}\n{}\n", call.execute().await);
    }
    Ok(())
}
