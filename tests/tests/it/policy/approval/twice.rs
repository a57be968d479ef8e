//! The program of the guide's page about safe execution, run twice in one folder.

use std::path::Path;

use tool_runtime::policy::{KeyRing, Policy, RateLimit, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::SqliteStore;

/// Charges the customer's card.
#[ai_tool(effect = "write", forwards_key, timeout = "10s")]
async fn charge(
    idempotency: &Idempotency, // the key and the fence, to send downstream
    dry_run: &DryRun,
    /// The amount, in cents.
    #[arg(range(1..=100_000))]
    cents: u32,
) -> String {
    if dry_run.is_active() {
        return format!("would charge {cents} cents");
    }
    format!("charged {cents} cents under {:?}", idempotency.global_key())
}

/// Runs the program; returns the lines that it prints.
async fn program(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut printed = Vec::new();
    macro_rules! println {
        ($($text:tt)*) => { printed.push(format!($($text)*)) };
    }
    let secret = std::fs::read(folder.join("ticket.key"))?; // 32 random bytes or more, from your vault
    let policy = Policy::new()
        .store(SqliteStore::open(folder.join("tools.db"))?) // keys, tickets, grants, long answers
        .ticket_keys(KeyRing::new("2026-11", &secret)?) // the same in every process
        .rules(ToolPolicy::new().bind_preview(true))
        .rules_for("charge", ToolPolicy::new().rate_limit(RateLimit::per_minute(10)?));
    let runtime = Runtime::builder().tool::<ChargeTool>().policy(policy).build()?;

    let tenant = Uuid::from_u128(7); // the same for all calls of a customer
    let cx = ToolContext::builder(tenant, "trace-1")
        .run_id("run-1")
        .user_id("customer-7")
        .idempotency_key("order-2026-0815")
        .build()?;
    let mut call = runtime.call("charge", r#"{"cents":4200}"#, &cx);
    let output = call.execute().await; // NEEDS_USER_CONFIRMATION, with a ticket in `details`
    match output.error().and_then(|error| error.details()?.get("ticket")) {
        // Later, possibly in another process with the same file and the same keys:
        Some(ticket) => {
            let mut call = runtime.tickets().resume(&ticket.to_string(), &cx).await;
            call.approve("jane@example.com")?;
            println!("{}", call.execute().await);
        }
        // The program ran before: the answer under the same idempotency key.
        None => println!("{output}"),
    }
    Ok(printed)
}

#[tokio::test]
async fn the_program_of_the_guide_charges_once_and_its_second_run_is_answered_with_the_first() {
    let folder = std::env::temp_dir().join(format!("tool-tests-twice-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("ticket.key"), [7; 32]).unwrap();
    let first = program(&folder).await.unwrap();
    let second = program(&folder).await.unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let ([first], [second]) = (&first[..], &second[..]) else { panic!("{first:?} {second:?}") };
    assert!(first.contains(r#""data":"charged 4200 cents"#), "{first}");
    assert!(second.contains(r#""data":"charged 4200 cents"#), "{second}");
    assert!(second.contains(r#""replayed":true"#) && !first.contains("replayed"), "{second}");
}

#[test]
fn the_program_that_is_tested_is_the_guide_s() {
    let guide = include_str!("../../../../../tool-runtime/docs/safe-execution.md");
    let (_, rest) = guide.split_once("fn main()").unwrap();
    let (body, _) = rest.split_once("    Ok(())\n").unwrap();
    let own = include_str!("twice.rs").replace("folder.join(\"ticket.key\")", "\"ticket.key\"");
    let own = own.replace("folder.join(\"tools.db\")", "\"tools.db\"");
    let own: Vec<&str> = own.lines().map(str::trim).collect();
    for line in body.lines().skip(1).map(str::trim) {
        assert!(own.contains(&line), "the tested program lacks: {line}");
    }
}
