//! `tax`: the levies of the destination.

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::{Sku, Tax};
use crate::money::{CurrencyCode, Money, Share};
use crate::shipping::{self, Service, ShippingError};
use crate::shop::{Destination, Place, Shop};
use crate::sources::{LEVIES, SHIPPED_PRICES};

/// Estimates taxes and duties.
#[derive(Debug)]
pub(crate) struct Taxes;

/// One tax or duty.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Levy {
    /// The name: import duty, vat, gst, sales and so on.
    name: String,
    /// The rate.
    rate: String,
    /// The amount to which the rate applies.
    base: Money,
    /// The amount of the levy.
    amount: Money,
}

/// The levies of the destination.
#[ai_type]
#[derive(Debug)]
pub(crate) struct TaxEstimate {
    /// The known levies.
    pub(crate) levies: Vec<Levy>,
    /// The total of the known levies.
    pub(crate) total: Money,
    /// Levies that are not known, and are paid on delivery.
    pub(crate) not_included: Vec<String>,
}

/// Taxes and duties.
#[ai_toolkit(name = "tax")]
impl Taxes {
    /// Estimates the duties and taxes on stones that are shipped somewhere.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "commerce",
        ttl = "30s",
        shared,
        evidence
    )]
    fn estimate_duties_and_taxes(
        shop: &Shop,
        evidence: &EvidenceRecorder,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// The destination of the stones.
        to: Destination,
        /// The shipping service: imports are taxed with their shipping.
        service: Service,
        /// The currency to estimate in.
        #[arg(default = CurrencyCode::USD)]
        currency: CurrencyCode,
    ) -> Result<TaxEstimate, ShippingError> {
        let (basket, place) = (shop.basket(&skus, currency)?, shop.place(&to)?);
        let shipping = shipping::option(shop, &basket, &place, service)?;
        shop.cite(evidence, SHIPPED_PRICES);
        shop.cite(evidence, LEVIES);
        Ok(estimate(shop, basket.goods, shipping.price, &place))
    }
}

/// Computes the levies on goods and, abroad, on their shipping.
pub(crate) fn estimate(
    shop: &Shop,
    goods: Money,
    shipping: Money,
    place: &Place<'_>,
) -> TaxEstimate {
    if place.is_home() {
        return levied(goods, taxes(place).map(|tax| levy(tax.kind, tax.share, goods)), Vec::new());
    }
    let landed = Money::sum(goods.currency(), [goods, shipping]);
    let duty = shop.data().duties.get(place.code).map(|share| levy("import duty", *share, landed));
    let base = Money::sum(goods.currency(), duty.iter().map(|duty| duty.amount).chain([landed]));
    let mut not_included = Vec::new();
    if duty.is_none() {
        not_included.push("import duty: this shop does not know the rate".to_owned());
    }
    if place.taxes.is_none() {
        not_included.push("import tax: this shop does not know the rate".to_owned());
    }
    let taxes = taxes(place).map(|tax| levy(tax.kind, tax.share, base));
    levied(goods, duty.into_iter().chain(taxes), not_included)
}

/// Lists the taxes of country and region.
fn taxes(place: &Place<'_>) -> impl Iterator<Item = Tax> {
    let both = place.taxes.map(|taxes| taxes.own).into_iter().chain(place.regional);
    both.filter(|tax| !tax.share.is_nothing())
}

fn levy(name: &str, share: Share, base: Money) -> Levy {
    Levy { name: name.to_owned(), rate: share.to_string(), base, amount: base.share(share) }
}

fn levied(
    goods: Money,
    levies: impl Iterator<Item = Levy>,
    not_included: Vec<String>,
) -> TaxEstimate {
    let levies: Vec<Levy> = levies.collect();
    let total = Money::sum(goods.currency(), levies.iter().map(|levy| levy.amount));
    TaxEstimate { levies, total, not_included }
}
