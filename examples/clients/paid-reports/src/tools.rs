//! The tools of the agent, and its budget.

use tool_runtime::budgets::{Budget, BudgetScope, Decimal, Money, Spending};
use tool_runtime::policy::Policy;
use tool_runtime::prelude::*;
use tool_runtime::{BuildError, Reconciled};

use crate::seller::{Paid, Seller, SellerError};

/// The price of a report.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Quote {
    /// The price in dollars, as a decimal number.
    price: String,
}

/// A bought report.
#[ai_type]
#[derive(Debug, Clone)]
pub(crate) struct Purchase {
    /// The amount that was paid, in dollars, as a decimal number.
    paid: String,
    /// The id of the transaction.
    transaction: String,
    /// The report as JSON; none if the answer of an earlier payment was lost.
    content: Option<String>,
}

impl From<Paid> for Purchase {
    fn from(Paid { content, amount, transaction }: Paid) -> Self {
        let content = Some(content.to_string()).filter(|text| text != "null");
        Self { paid: amount.normalize().to_string(), transaction, content }
    }
}

/// Asks the seller for the price of a report. Nothing is paid.
#[ai_tool(effect = "read")]
async fn quote_report(
    seller: &Seller,
    /// The report's name.
    #[arg(pattern = "^[a-z]{1,40}$")]
    report: String,
) -> Result<Quote, SellerError> {
    let price = seller.offer(&report).await?.price();
    Ok(Quote { price: price.normalize().to_string() })
}

/// Buys a report at the price that was quoted, and at no higher one.
#[ai_tool(effect = "write", preview = preview_purchase, reconcile = find_purchase)]
async fn buy_report(
    seller: &Seller,
    key: &Idempotency,
    spending: &Spending,
    /// The report's name.
    #[arg(pattern = "^[a-z]{1,40}$")]
    report: String,
    /// The quoted price in dollars.
    #[arg(spends = "USD")]
    price: Decimal,
) -> Result<Purchase, SellerError> {
    let offer = seller.offer(&report).await?;
    if offer.price() > price {
        return Err(SellerError::Dearer { price: offer.price() });
    }
    let paid = seller.pay(&report, &offer, key.key().unwrap_or_default()).await?;
    settle(spending, &paid);
    Ok(paid.into())
}

/// Shows the purchase, and signs nothing.
async fn preview_purchase(
    seller: &Seller,
    _: &Idempotency,
    _: &Spending,
    report: String,
    price: Decimal,
) -> Result<Quote, SellerError> {
    let offer = seller.offer(&report).await?;
    if offer.price() > price {
        return Err(SellerError::Dearer { price: offer.price() });
    }
    Ok(Quote { price: offer.price().normalize().to_string() })
}

/// Finds out whether an earlier run has paid.
async fn find_purchase(
    seller: &Seller,
    key: &Idempotency,
    spending: &Spending,
    _: String,
    _: Decimal,
) -> Result<Reconciled<Purchase>, SellerError> {
    let paid = seller.find(key.key().unwrap_or_default()).await?;
    Ok(paid.map_or(Reconciled::DidNotHappen, |paid| {
        settle(spending, &paid);
        Reconciled::Happened(paid.into())
    }))
}

/// Reports what was really taken: it counts in place of the reservation, also where it is more.
fn settle(spending: &Spending, paid: &Paid) {
    if let Ok(amount) = Money::new(paid.amount, "USD") {
        spending.settle(amount);
    }
}

/// Opens the agent's runtime: it may spend a dollar a day for each user.
///
/// # Errors
/// Lists what is wrong with the tools or the budget.
pub fn runtime(seller: Seller) -> Result<Runtime, BuildError> {
    let budget = Budget::new("reports").per_day("1.00 USD").scope(BudgetScope::User);
    Runtime::builder()
        .tool::<QuoteReportTool>()
        .tool::<BuyReportTool>()
        .permission("buy_report", Permission::Allow)
        .state(seller)
        .policy(Policy::new().budget(budget))
        .build()
}
