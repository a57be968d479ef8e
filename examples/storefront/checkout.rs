//! `checkout`: computing an order's total, and placing the order.
//!
//! The draft order is the example's only write. It has a `preview`, which a person sees before the
//! approval, and it forwards its key, so that the order service can recognize a repeat.

use std::fmt;

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;
use tool_runtime::trace::TraceHeaders;

use crate::compliance::{self, AppliedRule};
use crate::data::Sku;
use crate::money::{CurrencyCode, Money};
use crate::orders::{Claim, Order, OrderClient, OrderError, Receipt};
use crate::shipping::{self, Service, ShippingError};
use crate::shop::{Destination, Line, Shop, ShopError};
use crate::sources::{LEVIES, SHIPPED_PRICES};
use crate::tax::{self, TaxEstimate};

/// Totals and draft orders.
#[derive(Debug)]
pub(crate) struct Checkout {
    orders: OrderClient,
}

/// The recipient and the address of a parcel.
#[ai_type]
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// The recipient.
    #[arg(length(1..=80), pii)]
    name: String,
    /// Street and number.
    #[arg(length(1..=120), pii)]
    street: String,
    /// The city.
    #[arg(length(1..=80), pii)]
    city: String,
    /// The postal code, if the country has them.
    #[arg(length(1..=12), pii)]
    postcode: Option<String>,
    /// The state or province, two letters; needed in US and CA.
    #[arg(pattern = "^[A-Z]{2}$")]
    region: Option<String>,
    /// The country's ISO 3166 code.
    #[arg(pattern = "^[A-Z]{2}$")]
    country: String,
}

/// The costs of an order.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Bill {
    /// The stones with their prices.
    lines: Vec<Line>,
    /// The price of all stones.
    goods: Money,
    /// Shipping with insurance.
    shipping: Money,
    /// Duties and taxes.
    levies: TaxEstimate,
    /// The total.
    total: Money,
}

/// A draft order.
#[ai_type]
#[derive(Debug)]
pub(crate) struct DraftOrder {
    /// The order's number.
    order_id: String,
    /// The order's total.
    total: Money,
}

/// The order that would be placed.
#[ai_type]
#[derive(Debug)]
pub(crate) struct OrderPlan {
    /// The order's total.
    bill: Bill,
    /// The papers to file before shipment.
    papers: Vec<AppliedRule>,
}

/// The error of an order.
#[derive(Debug, ToolFailure)]
pub(crate) enum CheckoutError {
    #[failure(transparent)]
    Shipping(ShippingError),
    #[failure(ADDRESS_INVALID, message = "a postal code in the United States is five digits")]
    Postcode,
    #[failure(
        COMPLIANCE_BLOCKED,
        message = "the law forbids sending this there",
        details(forbidden_by)
    )]
    Forbidden { forbidden_by: Vec<AppliedRule> },
    #[failure(
        PRICE_CHANGED,
        message = "the total is {total} now; tell the customer before you order at it",
        details(total)
    )]
    PriceChanged { total: Money },
    #[failure(transparent)]
    Orders(OrderError),
}

/// Totals and draft orders.
#[ai_toolkit]
impl Checkout {
    /// Computes the total of an order: stones, shipping, duties and taxes.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "commerce",
        ttl = "30s",
        shared,
        evidence
    )]
    fn compute_total(
        shop: &Shop,
        evidence: &EvidenceRecorder,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// The destination of the stones.
        to: Destination,
        /// The shipping service.
        service: Service,
        /// The currency to pay in.
        #[arg(default = CurrencyCode::USD)]
        currency: CurrencyCode,
    ) -> Result<Bill, ShippingError> {
        cite_bill(shop, evidence);
        bill(shop, &skus, &to, service, currency)
    }

    /// Places a draft order, at the total that the customer agreed to and no other.
    #[ai_tool(
        effect = "write",
        version = "1.0.0",
        category = "commerce",
        title = "Place a draft order",
        timeout = "5s",
        preview = plan_draft_order,
        forwards_key,
        evidence
    )]
    pub(crate) async fn create_draft_order(
        &self,
        idempotency: &Idempotency,
        shop: &Shop,
        evidence: &EvidenceRecorder,
        headers: &TraceHeaders,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// The destination of the stones.
        address: Address,
        /// The shipping service.
        service: Service,
        /// The total that checkout.compute_total returned.
        #[arg(spends)]
        expected_total: Money,
    ) -> Result<DraftOrder, CheckoutError> {
        let (claim, total) = (claim(idempotency), expected_total);
        cite_bill(shop, evidence);
        compliance::cite_rules(shop, evidence);
        // An order whose answer was lost is valid, even if its price has changed since.
        if !self.is_placed(&claim, headers).await? {
            plan(shop, &skus, &address, service, total)?;
        }
        let order = Order { skus: skus.clone(), ship_to: address.to_string(), total };
        let Receipt { order_id, .. } = self.orders.place(order, claim, headers).await?;
        shop.sell(&skus);
        Ok(DraftOrder { order_id, total })
    }

    /// Returns the order that would be placed, and orders nothing.
    #[allow(
        clippy::unused_self,
        clippy::unused_async,
        clippy::too_many_arguments,
        reason = "it is called as its tool is"
    )]
    async fn plan_draft_order(
        &self,
        _: &Idempotency,
        shop: &Shop,
        evidence: &EvidenceRecorder,
        _: &TraceHeaders,
        skus: Vec<Sku>,
        address: Address,
        service: Service,
        expected_total: Money,
    ) -> Result<OrderPlan, CheckoutError> {
        // A failed plan ends the call, so the evidence of its reason is recorded first.
        cite_bill(shop, evidence);
        compliance::cite_rules(shop, evidence);
        plan(shop, &skus, &address, service, expected_total)
    }
}

impl Checkout {
    pub(crate) fn new(orders: OrderClient) -> Self {
        Self { orders }
    }

    async fn is_placed(&self, claim: &Claim, headers: &TraceHeaders) -> Result<bool, OrderError> {
        match &claim.key {
            Some(key) => Ok(self.orders.find(key, headers).await?.is_some()),
            None => Ok(false),
        }
    }
}

impl From<ShopError> for CheckoutError {
    fn from(error: ShopError) -> Self {
        Self::Shipping(error.into())
    }
}

impl From<ShippingError> for CheckoutError {
    fn from(error: ShippingError) -> Self {
        Self::Shipping(error)
    }
}

impl From<OrderError> for CheckoutError {
    fn from(error: OrderError) -> Self {
        Self::Orders(error)
    }
}

impl Address {
    fn destination(&self) -> Result<Destination, CheckoutError> {
        let code = self.postcode.as_deref().unwrap_or_default();
        let five_digits = code.len() == 5 && code.bytes().all(|byte| byte.is_ascii_digit());
        if self.country == Shop::HOME && !five_digits {
            return Err(CheckoutError::Postcode);
        }
        Ok(Destination { country: self.country.clone(), region: self.region.clone() })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {}, ", self.name, self.street)?;
        for part in [&self.postcode, &self.region].into_iter().flatten() {
            write!(f, "{part} ")?;
        }
        write!(f, "{}, {}", self.city, self.country)
    }
}

fn bill(
    shop: &Shop,
    skus: &[Sku],
    to: &Destination,
    service: Service,
    currency: CurrencyCode,
) -> Result<Bill, ShippingError> {
    let (basket, place) = (shop.basket(skus, currency)?, shop.place(to)?);
    let shipping = shipping::option(shop, &basket, &place, service)?.price;
    let levies = tax::estimate(shop, basket.goods, shipping, &place);
    let total = Money::sum(currency, [basket.goods, shipping, levies.total]);
    Ok(Bill { lines: basket.lines, goods: basket.goods, shipping, levies, total })
}

/// Checks all conditions of an order.
fn plan(
    shop: &Shop,
    skus: &[Sku],
    address: &Address,
    service: Service,
    expected_total: Money,
) -> Result<OrderPlan, CheckoutError> {
    let to = address.destination()?;
    let bill = bill(shop, skus, &to, service, expected_total.currency())?;
    let papers = papers(shop, &bill, &to)?;
    if bill.total != expected_total {
        return Err(CheckoutError::PriceChanged { total: bill.total });
    }
    Ok(OrderPlan { bill, papers })
}

/// Returns the required papers, unless the law forbids the shipment.
fn papers(shop: &Shop, bill: &Bill, to: &Destination) -> Result<Vec<AppliedRule>, CheckoutError> {
    let dollars = shop.convert(bill.goods, CurrencyCode::USD)?;
    let verdict = compliance::verdict(shop, dollars, &shop.place(to)?);
    if !verdict.allowed {
        return Err(CheckoutError::Forbidden { forbidden_by: verdict.forbidden_by });
    }
    Ok(verdict.papers)
}

/// Records the sources of a bill.
fn cite_bill(shop: &Shop, evidence: &EvidenceRecorder) {
    shop.cite(evidence, SHIPPED_PRICES);
    shop.cite(evidence, LEVIES);
}

/// Returns the claim that makes repeats of a call one order. The service has no tenants, users or
/// tools, so it gets the key that is unique among all of them.
fn claim(idempotency: &Idempotency) -> Claim {
    let key = idempotency.global_key().map(str::to_owned);
    Claim { key, fence: idempotency.fence() }
}
