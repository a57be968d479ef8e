//! The shop: its goods, their prices, and the destinations.

use std::collections::HashMap;
use std::error::Error;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::{Country, CountryTaxes, Data, Sku, Stone, Tax};
use crate::money::{CurrencyCode, Money};
use crate::sources::{Sources, Table};

/// The data, and the changes to the stones since the shop opened.
///
/// Tools borrow it (`shop: &Shop`), so that no model ever sees it.
#[derive(Debug)]
pub(crate) struct Shop {
    data: Data,
    sources: Sources,
    shelf: Mutex<HashMap<Sku, Change>>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Repriced(Money),
    Sold,
}

/// The destination of goods.
#[ai_type]
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    /// The country's ISO 3166 code.
    #[arg(pattern = "^[A-Z]{2}$", example = "DE")]
    pub(crate) country: String,
    /// The state or province, two letters; needed in US and CA.
    #[arg(pattern = "^[A-Z]{2}$", example = "CA")]
    pub(crate) region: Option<String>,
}

/// A destination that exists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'s> {
    pub(crate) code: &'s str,
    pub(crate) country: &'s Country,
    pub(crate) taxes: Option<&'s CountryTaxes>,
    /// The region's tax beside the country's own.
    pub(crate) regional: Option<Tax>,
}

/// Stones with current prices, in one currency.
#[derive(Debug)]
pub(crate) struct Basket {
    pub(crate) lines: Vec<Line>,
    pub(crate) goods: Money,
}

/// One stone and its price.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Line {
    /// The stone.
    pub(crate) sku: Sku,
    /// The stone's price.
    pub(crate) price: Money,
}

/// The error of a request to the shop.
#[derive(Debug, ToolFailure)]
pub(crate) enum ShopError {
    #[failure(NOT_FOUND, message = "no such stone; find one with knowledge.search")]
    NoStone,
    #[failure(OUT_OF_STOCK, message = "{sku} is sold; each stone is one piece", details(sku))]
    Sold { sku: Sku },
    #[failure(INVALID_ARGUMENT, message = "each stone is one piece: name it once")]
    NamedTwice,
    #[failure(INVALID_ARGUMENT, message = "no rate for this currency; USD and EUR always work")]
    NoRate,
    #[failure(ADDRESS_INVALID, message = "no such country in ISO 3166")]
    NoCountry,
    #[failure(
        ADDRESS_INVALID,
        message = "`region` must be one of this country's states or provinces",
        details(regions)
    )]
    NoRegion { regions: Vec<&'static str> },
}

impl Shop {
    /// The country of the shop.
    pub(crate) const HOME: &'static str = "US";

    /// Opens the shop with every stone on the shelf.
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let (data, sources) = (Data::load()?, Sources::read()?);
        Ok(Self { data, sources, shelf: Mutex::default() })
    }

    /// Records these tables as the sources of an answer.
    pub(crate) fn cite(&self, evidence: &EvidenceRecorder, tables: &[Table]) {
        self.sources.cite(evidence, tables);
    }

    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    pub(crate) fn stone(&self, sku: &Sku) -> Result<&Stone, ShopError> {
        self.data.stones.get(sku).ok_or(ShopError::NoStone)
    }

    /// Returns a stone's current price, in US dollars; `None` if it is sold.
    pub(crate) fn price(&self, sku: &Sku) -> Result<Option<Money>, ShopError> {
        let stone = self.stone(sku)?;
        Ok(match self.shelf().get(sku) {
            Some(Change::Sold) => None,
            Some(Change::Repriced(price)) => Some(*price),
            None => Some(stone.list_price),
        })
    }

    /// Sets another price, unless the stone is sold.
    pub(crate) fn reprice(&self, sku: &Sku, dollars: i64) {
        let mut changes = self.shelf();
        if !matches!(changes.get(sku), Some(Change::Sold)) {
            changes.insert(sku.clone(), Change::Repriced(Money::dollars(dollars)));
        }
    }

    pub(crate) fn sell(&self, skus: &[Sku]) {
        self.shelf().extend(skus.iter().map(|sku| (sku.clone(), Change::Sold)));
    }

    /// Converts an amount by the day's rate.
    pub(crate) fn convert(&self, amount: Money, to: CurrencyCode) -> Result<Money, ShopError> {
        self.data.exchange.convert(amount, to).ok_or(ShopError::NoRate)
    }

    /// Prices stones, each rounded by itself.
    pub(crate) fn basket(&self, skus: &[Sku], in_: CurrencyCode) -> Result<Basket, ShopError> {
        let mut lines: Vec<Line> = Vec::with_capacity(skus.len());
        for sku in skus {
            if lines.iter().any(|line| line.sku == *sku) {
                return Err(ShopError::NamedTwice);
            }
            let price = self.price(sku)?.ok_or_else(|| ShopError::Sold { sku: sku.clone() })?;
            lines.push(Line { sku: sku.clone(), price: self.convert(price, in_)? });
        }
        let goods = Money::sum(in_, lines.iter().map(|line| line.price));
        Ok(Basket { lines, goods })
    }

    /// Finds a destination, with its region where the taxes depend on it.
    pub(crate) fn place<'s>(&'s self, to: &'s Destination) -> Result<Place<'s>, ShopError> {
        let code = to.country.as_str();
        let country = self.data.countries.get(code).ok_or(ShopError::NoCountry)?;
        let taxes = self.data.taxes.get(code);
        let regional = match taxes.filter(|taxes| !taxes.regions.is_empty()) {
            Some(taxes) => Some(region(taxes, to.region.as_deref())?),
            None => None,
        };
        Ok(Place { code, country, taxes, regional })
    }

    fn shelf(&self) -> MutexGuard<'_, HashMap<Sku, Change>> {
        self.shelf.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place<'_> {
    pub(crate) fn is_home(&self) -> bool {
        self.code == Shop::HOME
    }
}

fn region(taxes: &CountryTaxes, region: Option<&str>) -> Result<Tax, ShopError> {
    let known = region.and_then(|region| taxes.regions.get(region)).copied();
    known.ok_or_else(|| ShopError::NoRegion { regions: taxes.regions.keys().copied().collect() })
}
