//! `pricing`: the current price of a stone.

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::Sku;
use crate::money::{CurrencyCode, Money};
use crate::shop::{Shop, ShopError};
use crate::sources::Table;

/// The tools for prices.
#[derive(Debug)]
pub(crate) struct Pricing;

/// The current price of a stone.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Quote {
    /// The stone.
    sku: Sku,
    /// The stone's description.
    description: String,
    /// The price; absent if the stone is sold.
    price: Option<Money>,
    /// The day of the exchange rate, if one was used.
    rate_of: Option<String>,
}

/// Prices of stones.
#[ai_toolkit]
impl Pricing {
    /// Quotes the price of one stone, at most 30 seconds old.
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
        evidence: &EvidenceRecorder,
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
            evidence,
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
