//! A process that makes calls that wait, decides some of them, and delivers their events.

use std::time::Duration;

use tool_runtime::policy::{KeyRing, Policy};
use tool_runtime::prelude::*;
use tool_runtime::store::{PostgresStore, SqliteStore};
use tool_runtime::webhooks::{WebhookReceiver, Webhooks};
use tool_tests::rng::SeededRng;

use super::receivers::RECEIVERS;
use crate::rates::text;

/// The time that a receiver has to answer, in milliseconds.
pub(super) const TIMEOUT_MS: u64 = 150;

/// The time until a call expires that is not decided.
const TICKET_LIFETIME: Duration = Duration::from_secs(2);

/// The tasks that make calls.
const TASKS: u64 = 4;

/// The pause of a task between two calls.
const PAUSE: Duration = Duration::from_millis(100);

/// A secret of these figures alone.
const SECRET: &str = "whsec_d2ViaG9va3MtZmlndXJlcy1zZWNyZXRz";

/// Sends a letter.
#[ai_tool(effect = "write")]
fn send_letter(
    dry_run: &DryRun,
    /// The number of the letter.
    number: u64,
) -> u64 {
    let _ = dry_run;
    number
}

/// Runs a process of the campaign until it is killed.
///
/// # Errors
/// The store cannot be opened, or an operation fails.
pub fn play(work: &str, place: &str, url: &str, seed: &str) -> Result<(), String> {
    let seed: u64 = seed.parse().map_err(|error| format!("{seed}: {error}"))?;
    let executor = tokio::runtime::Runtime::new().map_err(text)?;
    executor.block_on(async {
        let webhooks = Webhooks::new(RECEIVERS.map(|receiver| {
            WebhookReceiver::new(receiver, format!("{url}/{receiver}"), SECRET)
                .allow_private_addresses()
                .timeout(Duration::from_millis(TIMEOUT_MS))
                .retry_delays([Duration::from_millis(20); 1_000])
        }))
        .map_err(text)?;
        let keys = KeyRing::new("figures", &[7; 32]).map_err(text)?;
        let policy = Policy::new()
            .ticket_keys(keys)
            .ticket_lifetime(TICKET_LIFETIME)
            .event_receivers(webhooks.receivers());
        let builder = Runtime::builder().tool::<SendLetterTool>().policy(policy);
        let builder = match place.split_once(' ') {
            Some((url, schema)) => {
                let options = PostgresStore::options().schema(schema).max_connections(8);
                builder.store(options.connect(url).await.map_err(text)?)
            }
            None => builder.store(SqliteStore::open(place).map_err(text)?),
        };
        let runtime = builder.build().map_err(text)?;
        let sender = webhooks.start(&runtime);
        if work == "make" {
            let tasks = (0..TASKS).map(|task| make(&runtime, SeededRng::new(seed * TASKS + task)));
            futures::future::try_join_all(tasks).await?;
        }
        std::future::pending::<()>().await;
        sender.shutdown().await;
        Ok(())
    })
}

/// Makes calls without end.
async fn make(runtime: &Runtime, mut rng: SeededRng) -> Result<(), String> {
    loop {
        let cx = ToolContext::local();
        let mut call = runtime.call("send_letter", r#"{"number": 7}"#, &cx);
        let ticket = call.ticket().await.map_err(text)?;
        println!("waits {}", ticket.id());
        let mut call = runtime.tickets().resume(&ticket.to_json(), &cx).await;
        match rng.below(5) {
            0 | 1 => {
                call.approve("boss").map_err(text)?;
                if call.execute().await.is_ok() {
                    println!("decided {}", ticket.id());
                }
            }
            2 => {
                call.decline("boss", "not today").map_err(text)?;
                call.execute().await;
                println!("decided {}", ticket.id());
            }
            3 => {
                let superseded = runtime.tickets().supersede(&cx).await.map_err(text)?;
                if superseded == 1 {
                    println!("decided {}", ticket.id());
                }
            }
            // It expires.
            _ => {}
        }
        tokio::time::sleep(PAUSE).await;
    }
}
