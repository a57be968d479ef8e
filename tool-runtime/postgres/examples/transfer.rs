//! Moves money in the store's own database: the effect and the answer under the call's key are one transaction.
//!
//! ```text
//! cargo run -p tool-runtime-postgres --example transfer -- postgres://USER@127.0.0.1/NAME
//! ```
//!
//! It transfers 30 EUR, repeats the call under its key as after a lost answer, and prints the balances.

use std::error::Error;

use tool_runtime::Uuid;
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::store::{PostgresStore, PostgresTransaction, PostgresTransactionError};

/// Moves money from one account to another, and returns the new balance of the one that pays.
#[ai_tool(effect = "write", preview = show_transfer)]
async fn transfer(
    tx: &PostgresTransaction,
    /// The account that pays.
    from: String,
    /// The account that receives.
    to: String,
    /// The amount in cents.
    cents: i64,
) -> Result<i64, PostgresTransactionError> {
    let pay = "UPDATE bank_accounts SET cents = cents - $1 WHERE name = $2 RETURNING cents";
    let balance = tx.query_one(pay, &[&cents, &from]).await?.get("cents");
    let receive = "UPDATE bank_accounts SET cents = cents + $1 WHERE name = $2 RETURNING cents";
    tx.query_one(receive, &[&cents, &to]).await?;
    Ok(balance)
}

#[expect(clippy::unused_async, reason = "a preview has the parameters of its tool")]
async fn show_transfer(_: &PostgresTransaction, from: String, to: String, cents: i64) -> String {
    format!("{cents} cents from {from} to {to}")
}

/// Transfers twice under one key; returns both answers and the balances.
pub(crate) async fn run(url: &str) -> Result<String, Box<dyn Error>> {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await?;
    tokio::spawn(connection);
    client
        .batch_execute(
            "DROP TABLE IF EXISTS bank_accounts;
             CREATE TABLE bank_accounts (name text PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0));
             INSERT INTO bank_accounts VALUES ('ada', 10000), ('ben', 0)",
        )
        .await?;

    let store = PostgresStore::connect(url).await?;
    let runtime = Runtime::builder()
        .tool::<TransferTool>()
        .policy(Policy::new().store(store))
        .permission("transfer", Permission::Allow)
        .build()?;
    let key = Uuid::now_v7().to_string();
    let arguments = r#"{"from":"ada","to":"ben","cents":3000}"#;
    let mut answers = Vec::new();
    for _ in 0..2 {
        let cx = ToolContext::builder(Uuid::nil(), "trace-1").run_id("run-1").user_id("ada");
        let cx = cx.idempotency_key(&*key).build()?;
        answers.push(runtime.call("transfer", arguments, &cx).execute().await.clone());
    }

    let mut lines: Vec<String> = answers.iter().map(|answer| answer.json().to_owned()).collect();
    for row in client.query("SELECT name, cents FROM bank_accounts ORDER BY name", &[]).await? {
        lines.push(format!("{} has {} cents", row.get::<_, &str>(0), row.get::<_, i64>(1)));
    }
    Ok(lines.join("\n"))
}

#[tokio::main(flavor = "current_thread")]
#[allow(dead_code, reason = "a test includes the example, and calls `run`")]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("expected a URL, as postgres://USER@127.0.0.1/NAME")?;
    println!("{}", run(&url).await?);
    Ok(())
}
