//! The tools of these tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use tool_runtime::mcp::{self, McpConfig, Stdio};
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::{Attachment, Attachments, InputAnswer, InputError, RuntimeBuilder, UserInput};

/// Counts the orders that were placed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Orders(pub(crate) Arc<AtomicU32>);

/// An article.
#[ai_type]
pub(crate) struct Article {
    /// The number of the article.
    id: u32,
    name: String,
}

/// Finds articles.
#[ai_tool(effect = "read", title = "Find articles")]
fn find_articles(
    /// Words to look for.
    query: String,
    /// Most articles to return.
    #[arg(default = 2, range(1..=9))]
    limit: u32,
) -> Vec<Article> {
    (1..=limit).map(|id| Article { id, name: format!("{query} {id}") }).collect()
}

/// Describes an article.
#[ai_tool(effect = "read")]
fn describe_article(
    /// The number of the article.
    id: u32,
) -> Article {
    Article { id, name: format!("article {id}") }
}

/// Greets a guest.
#[ai_tool(effect = "read")]
fn greet(
    /// The name.
    name: String,
) -> String {
    format!("Hello, {name}!")
}

/// Draws a picture.
#[ai_tool(effect = "read")]
fn draw(attachments: &Attachments) -> Result<(), tool_runtime::AttachmentError> {
    attachments.add(Attachment::bytes("image/png", vec![1, 2, 3]).with_name("a b.png"))?;
    attachments.add(Attachment::text("text/csv", "id\n1\n").with_name("rows.csv"))?;
    attachments.add(Attachment::link("application/pdf", "https://shop.example/terms.pdf"))
}

/// Counts to three, and reports each step.
#[ai_tool(effect = "read")]
async fn count(progress: &Progress) -> u32 {
    for step in 1..=3_u32 {
        progress.report(f64::from(step) / 4.0, format!("step {step}"));
        tokio::task::yield_now().await;
    }
    3
}

/// Fails by a panic.
#[ai_tool(effect = "read")]
fn break_down() -> u32 {
    panic!("a secret of the house")
}

/// Waits until it is cancelled.
#[ai_tool(effect = "write")]
async fn wait(orders: &Orders, dry_run: &DryRun, cancellation: &Cancellation) -> u32 {
    if dry_run.is_active() {
        return 0;
    }
    orders.0.fetch_add(1, Ordering::SeqCst);
    cancellation.cancelled().await;
    orders.0.fetch_add(10, Ordering::SeqCst);
    0
}

/// Places an order.
#[ai_tool(effect = "write")]
fn place_order(
    orders: &Orders,
    dry_run: &DryRun,
    /// The number of the article.
    article: u32,
) -> u32 {
    orders.0.fetch_add(u32::from(!dry_run.is_active()), Ordering::SeqCst);
    article
}

/// Books a table for the user.
#[ai_tool(effect = "write")]
async fn book(orders: &Orders, dry_run: &DryRun, input: &UserInput) -> Result<String, InputError> {
    let form = |name: &str| json!({"type": "object", "properties": {name: {"type": "string"}}});
    let InputAnswer::Given(guest) = input.ask("guest", "Who comes?", form("name")).await? else {
        return Ok("nobody comes".to_owned());
    };
    let InputAnswer::Given(day) = input.ask("day", "When?", form("day")).await? else {
        return Ok("no day".to_owned());
    };
    orders.0.fetch_add(u32::from(!dry_run.is_active()), Ordering::SeqCst);
    Ok(format!("{} comes on {}", guest["name"], day["day"]))
}

/// Reserves a room, if the user approves it and says for which guest.
#[ai_tool(effect = "write")]
async fn reserve(
    orders: &Orders,
    dry_run: &DryRun,
    input: &UserInput,
    /// The number of nights.
    nights: u32,
) -> Result<String, InputError> {
    if dry_run.is_active() {
        return Ok("one room".to_owned());
    }
    let form = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let InputAnswer::Given(guest) = input.ask("guest", "Which guest?", form).await? else {
        return Ok("no room".to_owned());
    };
    orders.0.fetch_add(1, Ordering::SeqCst);
    Ok(format!("{nights} nights for {}", guest["name"]))
}

/// Reports many steps, and counts one order at its end.
#[ai_tool(effect = "read")]
async fn chatter(orders: &Orders, progress: &Progress) -> u32 {
    for step in 1..=1000_u32 {
        progress.report(f64::from(step) / 1000.0, "x".repeat(500));
        tokio::task::yield_now().await;
    }
    orders.0.fetch_add(1, Ordering::SeqCst);
    1000
}

/// Describes one article at length.
#[ai_tool(effect = "read")]
fn describe_at_length() -> Article {
    Article { id: 1, name: "x".repeat(10_000) }
}

/// Returns the builder of a runtime with all of these tools.
pub(crate) fn builder(orders: &Orders) -> RuntimeBuilder {
    Runtime::builder()
        .tool::<FindArticlesTool>()
        .tool::<DescribeArticleTool>()
        .tool::<GreetTool>()
        .tool::<DrawTool>()
        .tool::<CountTool>()
        .tool::<BreakDownTool>()
        .tool::<WaitTool>()
        .tool::<PlaceOrderTool>()
        .tool::<BookTool>()
        .tool::<ReserveTool>()
        .tool::<ChatterTool>()
        .permission("wait", Permission::Allow)
        .permission("book", Permission::Allow)
        .state(orders.clone())
}

/// Returns a runtime with all of these tools.
pub(crate) fn runtime(orders: &Orders) -> Runtime {
    builder(orders).build().unwrap()
}

/// Returns a server whose models read 500 bytes of an answer at most.
pub(crate) fn terse_server() -> Stdio {
    let rules = ToolPolicy::new().max_output_bytes(500);
    let runtime = Runtime::builder().tool::<DescribeAtLengthTool>();
    mcp::stdio(runtime.policy(Policy::new().rules(rules)).build().unwrap()).config(config())
}

/// Returns the configuration of the protocol.
pub(crate) fn config() -> McpConfig {
    McpConfig::new("shop", "1.2.3").instructions("Find articles first.")
}

/// Returns a server on streams, and the orders that it takes.
pub(crate) fn server() -> (Stdio, Orders) {
    let orders = Orders::default();
    (mcp::stdio(runtime(&orders)).config(config()), orders)
}
