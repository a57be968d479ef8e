//! The tools of a small shop, which all clients of this folder give to a model: a search, and an
//! order that a person must approve.

use std::io::{self, BufRead as _, Write as _};
use std::sync::{Mutex, PoisonError};

use tokio::task::spawn_blocking;
use tool_runtime::BuildError;
use tool_runtime::policy::{ApprovalRequest, Approver, Decision, Policy, async_trait};
use tool_runtime::prelude::*;

pub mod provider;

/// The question that the clients ask.
pub const QUESTION: &str = "Please order two packets of your cheapest green tea.";

/// The most requests of a conversation: a model may call tools for ever.
pub const MAX_TURNS: usize = 8;

/// The articles, and the orders that were placed.
#[derive(Debug)]
pub struct Shop {
    articles: Vec<Article>,
    orders: Mutex<Vec<Order>>,
}

/// An article of the shop.
#[ai_type]
#[derive(Debug, Clone)]
pub struct Article {
    /// The article's number.
    sku: String,
    title: String,
    /// The price of one packet, in cents.
    cents: u32,
}

/// An order.
#[ai_type]
#[derive(Debug, Clone)]
pub struct Order {
    /// The article's number.
    sku: String,
    packets: u32,
    /// The sum to pay, in cents.
    cents: u32,
}

/// The reason why an order failed.
#[derive(Debug, ToolFailure)]
pub enum OrderError {
    /// No article has the number.
    #[failure(NOT_FOUND, message = "no article has this number; search for it first")]
    UnknownArticle,
}

/// Searches the articles by their titles.
#[ai_tool(effect = "read", name = "shop.search")]
async fn search(
    shop: &Shop,
    /// Words of the title.
    query: &str,
    /// The most articles to return.
    #[arg(default = 5, range(1..=10))]
    limit: u32,
) -> Vec<Article> {
    let query = query.to_lowercase();
    let found = |article: &&Article| article.title.to_lowercase().contains(&query);
    shop.articles.iter().filter(found).take(limit as usize).cloned().collect()
}

/// Orders packets of an article.
#[ai_tool(effect = "write", name = "shop.order", preview = plan_order)]
async fn order(
    shop: &Shop,
    /// The article's number, as the search returns it.
    sku: &str,
    /// The number of packets.
    #[arg(range(1..=100))]
    packets: u32,
) -> Result<Order, OrderError> {
    let order = plan_order(shop, sku, packets).await?;
    shop.orders.lock().unwrap_or_else(PoisonError::into_inner).push(order.clone());
    Ok(order)
}

/// Computes the order that `order` would place.
async fn plan_order(shop: &Shop, sku: &str, packets: u32) -> Result<Order, OrderError> {
    let article = shop.articles.iter().find(|article| article.sku == sku);
    let cents = article.ok_or(OrderError::UnknownArticle)?.cents * packets;
    Ok(Order { sku: sku.to_owned(), packets, cents })
}

impl Default for Shop {
    fn default() -> Self {
        let articles = [
            ("T-1", "Sencha, green tea", 890),
            ("T-2", "Bancha, green tea", 640),
            ("T-3", "Assam, black tea", 720),
        ];
        let article = |(sku, title, cents): (&str, &str, _)| Article {
            sku: sku.to_owned(),
            title: title.to_owned(),
            cents,
        };
        Self { articles: articles.map(article).to_vec(), orders: Mutex::default() }
    }
}

/// Builds the runtime of a shop whose orders are approved at the terminal.
///
/// # Errors
/// Fails if a tool's schema is not valid; the error lists every cause.
pub fn runtime() -> Result<Runtime, BuildError> {
    build(Policy::new().approver(Terminal))
}

/// Builds the runtime of a shop without an approver, for programs whose input is not a person's:
/// an order is answered `NEEDS_USER_CONFIRMATION`.
///
/// # Errors
/// Fails if a tool's schema is not valid; the error lists every cause.
pub fn runtime_without_approver() -> Result<Runtime, BuildError> {
    build(Policy::new())
}

fn build(policy: Policy) -> Result<Runtime, BuildError> {
    Runtime::builder()
        .tool::<SearchTool>()
        .tool::<OrderTool>()
        .state(Shop::default())
        .policy(policy)
        .build()
}

/// The person at the terminal.
#[derive(Debug)]
struct Terminal;

#[async_trait]
impl Approver for Terminal {
    async fn decide(&self, request: &ApprovalRequest<'_>) -> Decision {
        let preview = request.preview();
        eprintln!("{} {}", preview.name(), preview.arguments().unwrap_or_default());
        if let Some(failure) = preview.failure() {
            // The call would not run even if it were approved: it waits behind a ticket.
            eprintln!("  would fail: {}", failure.message());
            return Decision::defer();
        }
        if let Some(answer) = preview.answer() {
            eprintln!("  would be {answer}");
        }
        eprint!("  Approve? [y/n] ");
        match spawn_blocking(read_line).await {
            Ok(Ok(line)) if line == "y" => Decision::approve("terminal"),
            Ok(Ok(_)) => {
                Decision::decline("terminal", "declined at the terminal; do not try again")
            }
            // The input has ended: the call waits behind a ticket.
            _ => Decision::defer(),
        }
    }
}

fn read_line() -> io::Result<String> {
    io::stderr().flush()?;
    let mut line = String::new();
    if io::stdin().lock().read_line(&mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim().to_owned())
}
