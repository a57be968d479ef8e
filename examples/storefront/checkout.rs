//! `checkout`: what an order comes to, and placing it.
//!
//! The draft order is the example's one write: it takes `&DryRun` and heeds it, asks before it runs,
//! and passes the host's key on, so that the order service can tell a repeat.

use std::fmt;

use tool_runtime::prelude::*;

use crate::compliance::{self, AppliedRule};
use crate::data::Sku;
use crate::money::{CurrencyCode, Money};
use crate::orders::{Claim, Order, OrderClient, OrderError, Receipt};
use crate::shipping::{self, Service, ShippingError};
use crate::shop::{Destination, Line, Shop, ShopError};
use crate::tax::{self, TaxEstimate};

/// The context's attribute under which the host says which orders are one.
pub(crate) const ORDER_KEY: &str = "order_key";

/// Totals and draft orders.
#[derive(Debug)]
pub(crate) struct Checkout {
    orders: OrderClient,
}

/// Where a parcel goes, and to whom.
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
    #[arg(length(1..=80))]
    city: String,
    /// The postal code, if the country has them.
    #[arg(length(1..=12))]
    postcode: Option<String>,
    /// The state or province, two letters; needed in US and CA.
    #[arg(pattern = "^[A-Z]{2}$")]
    region: Option<String>,
    /// The country's ISO 3166 code.
    #[arg(pattern = "^[A-Z]{2}$")]
    country: String,
}

/// What an order comes to.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Bill {
    /// Each stone.
    lines: Vec<Line>,
    /// All stones.
    goods: Money,
    /// Shipping with insurance.
    shipping: Money,
    /// Duties and taxes.
    levies: TaxEstimate,
    /// Everything together.
    total: Money,
}

/// A draft order, or what it would be.
#[ai_type]
#[derive(Debug)]
pub(crate) struct DraftOrder {
    /// Its number; none in a dry run, which orders nothing.
    order_id: Option<String>,
    /// Whether it stood already: a repeat orders nothing more.
    repeated: bool,
    /// What it comes to.
    bill: Bill,
    /// What has to be filed before it leaves.
    papers: Vec<AppliedRule>,
}

/// Why there is no order.
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
    /// Works out what an order comes to: stones, shipping, duties and taxes.
    #[ai_tool(effect = "read", version = "1.0.0", category = "commerce")]
    fn compute_total(
        shop: &Shop,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// Where they go.
        to: Destination,
        /// How they travel.
        service: Service,
        /// The currency to pay in.
        #[arg(default = CurrencyCode::USD)]
        currency: CurrencyCode,
    ) -> Result<Bill, ShippingError> {
        bill(shop, &skus, &to, service, currency)
    }

    /// Places a draft order, at the total that the customer agreed to and no other.
    #[ai_tool(
        effect = "write",
        version = "1.0.0",
        category = "commerce",
        title = "Place a draft order",
        timeout = "5s"
    )]
    async fn create_draft_order(
        &self,
        cx: &ToolContext,
        dry_run: &DryRun,
        shop: &Shop,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// Where they go.
        address: Address,
        /// How they travel.
        service: Service,
        /// What checkout.compute_total answered.
        expected_total: Money,
    ) -> Result<DraftOrder, CheckoutError> {
        let to = address.destination()?;
        let bill = bill(shop, &skus, &to, service, expected_total.currency())?;
        let papers = papers(shop, &bill, &to)?;
        if bill.total != expected_total {
            return Err(CheckoutError::PriceChanged { total: bill.total });
        }
        if dry_run.is_active() {
            return Ok(DraftOrder { order_id: None, repeated: false, bill, papers });
        }
        let order =
            Order { skus: skus.clone(), ship_to: address.to_string(), total: expected_total };
        let Receipt { order_id, repeated } = self.orders.place(order, claim(cx)).await?;
        shop.sell(&skus);
        Ok(DraftOrder { order_id: Some(order_id), repeated, bill, papers })
    }
}

impl Checkout {
    pub(crate) fn new(orders: OrderClient) -> Self {
        Self { orders }
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

/// Says what has to be filed, unless the law forbids the shipment.
fn papers(shop: &Shop, bill: &Bill, to: &Destination) -> Result<Vec<AppliedRule>, CheckoutError> {
    let dollars = shop.convert(bill.goods, CurrencyCode::USD)?;
    let verdict = compliance::verdict(shop, dollars, &shop.place(to)?);
    if !verdict.allowed {
        return Err(CheckoutError::Forbidden { forbidden_by: verdict.forbidden_by });
    }
    Ok(verdict.papers)
}

/// Makes repeats of a call one order: the one place where the host's key meets the order service.
fn claim(cx: &ToolContext) -> Claim {
    Claim { key: cx.attributes().get(ORDER_KEY).cloned(), fence: None }
}
