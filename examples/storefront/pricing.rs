//! `pricing`: what a stone costs now.

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::Sku;
use crate::money::{CurrencyCode, Money};
use crate::shop::{Shop, ShopError};
use crate::sources::Table;

/// Tells prices.
#[derive(Debug)]
pub(crate) struct Pricing;

/// What a stone costs now.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Quote {
    /// The stone.
    sku: Sku,
    /// What it is.
    description: String,
    /// Its price; none once it is sold.
    price: Option<Money>,
    /// The day of the exchange rate, if one was used.
    rate_of: Option<String>,
}

/// Prices of stones.
#[ai_toolkit]
impl Pricing {
    /// Quotes the price of one stone as it is now, or was up to 30 seconds ago.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "commerce",
        ttl = "30s",
        shared,
        evidence
    )]
    fn get_realtime_quote(
        shop: &Shop,
        proof: &EvidenceRecorder,
        /// The stone's number.
        sku: Sku,
        /// The currency to quote in.
        #[arg(default = CurrencyCode::USD)]
        currency: CurrencyCode,
    ) -> Result<Quote, ShopError> {
        let convert = |price| shop.convert(price, currency);
        let price = shop.price(&sku)?.map(convert).transpose()?;
        let converted = currency != CurrencyCode::USD;
        shop.cite(
            proof,
            if converted { &[Table::Stones, Table::Exchange] } else { &[Table::Stones] },
        );
        Ok(Quote {
            description: shop.stone(&sku)?.description.clone(),
            price,
            rate_of: converted.then(|| shop.data().exchange.date().to_owned()),
            sku,
        })
    }
}
