//! The tables that ship with the example: real stones, places, taxes and exchange rates.
//!
//! `data/README.md` names the source of each.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::fmt;

use tool_runtime::prelude::*;

use crate::money::{Exchange, Money, Share};
use crate::sources::Table;

/// The number of one stone.
#[ai_type]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[serde(transparent)]
pub(crate) struct Sku(#[arg(pattern = "^D[0-9]{5}$", example = "D00090")] String);

/// One polished diamond.
#[derive(Debug)]
pub(crate) struct Stone {
    /// The description, in the terms of the trade.
    pub(crate) description: String,
    /// The price when the shop opens, in US dollars.
    pub(crate) list_price: Money,
}

/// A country of ISO 3166, and the locations of its time zones' chief cities.
#[derive(Debug)]
pub(crate) struct Country {
    pub(crate) name: String,
    pub(crate) cities: Vec<Point>,
}

/// A point on the earth, in degrees.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Point {
    pub(crate) latitude: f64,
    pub(crate) longitude: f64,
}

/// A tax that a country or one of its regions levies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tax {
    pub(crate) kind: &'static str,
    pub(crate) share: Share,
}

/// The taxes of a country, and those of its regions if they differ.
#[derive(Debug)]
pub(crate) struct CountryTaxes {
    pub(crate) own: Tax,
    pub(crate) regions: BTreeMap<&'static str, Tax>,
}

/// A rule of law for sending diamonds to a country.
#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    /// ISO 3166 codes; `*` matches every country, and `!` excludes one.
    countries: Vec<&'static str>,
    /// True if it forbids the shipment; otherwise it requires papers.
    pub(crate) forbids: bool,
    /// The value above which it applies.
    pub(crate) above: Money,
    pub(crate) text: &'static str,
    pub(crate) source: &'static str,
}

/// A passage of the shop's handbook.
#[derive(Debug)]
pub(crate) struct Passage {
    pub(crate) title: &'static str,
    pub(crate) text: &'static str,
}

/// Every table.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) stones: BTreeMap<Sku, Stone>,
    pub(crate) countries: HashMap<&'static str, Country>,
    pub(crate) taxes: HashMap<&'static str, CountryTaxes>,
    pub(crate) duties: HashMap<&'static str, Share>,
    pub(crate) exchange: Exchange,
    pub(crate) rules: Vec<Rule>,
    pub(crate) handbook: Vec<Passage>,
}

/// An error in a table.
#[derive(Debug)]
pub(crate) struct DataError {
    table: Table,
    line: usize,
}

impl Sku {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Sku {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Display for Sku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Rule {
    /// Returns whether the rule applies to a country.
    pub(crate) fn speaks_of(&self, country: &str) -> bool {
        let says = |part: &&str| match part.strip_prefix('!') {
            Some(code) => (code == country).then_some(false),
            None => (*part == "*" || *part == country).then_some(true),
        };
        self.countries.iter().rev().find_map(says).unwrap_or(false)
    }
}

impl Data {
    /// Reads the tables that were compiled in.
    pub(crate) fn load() -> Result<Self, DataError> {
        Ok(Self {
            stones: rows(Table::Stones, stone)?.into_iter().collect(),
            countries: countries()?,
            taxes: taxes()?,
            duties: rows(Table::Duties, |[country, share]| Some((country, Share::parse(share)?)))?
                .into_iter()
                .collect(),
            exchange: exchange()?,
            rules: rows(Table::Rules, rule)?,
            handbook: handbook(Table::Handbook.text()),
        })
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of {} cannot be read", self.line, self.table.file())
    }
}

impl Error for DataError {}

/// Reads every line of a table with `N` columns.
fn rows<T, const N: usize>(
    table: Table,
    row: impl Fn([&'static str; N]) -> Option<T>,
) -> Result<Vec<T>, DataError> {
    let read = |(index, line): (usize, &'static str)| {
        let columns: Vec<_> = line.split('\t').collect();
        let columns = columns.try_into().ok();
        columns.and_then(&row).ok_or(DataError { table, line: index + 1 })
    };
    table.text().lines().enumerate().map(read).collect()
}

fn stone([sku, carat, cut, color, clarity, dollars]: [&str; 6]) -> Option<(Sku, Stone)> {
    let description = format!("diamond, {carat} carat, {cut} cut, colour {color}, {clarity}");
    let list_price = Money::dollars(dollars.parse().ok()?);
    Some((sku.into(), Stone { description, list_price }))
}

fn countries() -> Result<HashMap<&'static str, Country>, DataError> {
    let cities = rows(Table::Places, city)?;
    let mut countries = HashMap::new();
    for (code, name, point) in cities {
        let new = || Country { name: name.to_owned(), cities: Vec::new() };
        countries.entry(code).or_insert_with(new).cities.push(point);
    }
    Ok(countries)
}

fn city(columns: [&'static str; 5]) -> Option<(&'static str, &'static str, Point)> {
    let [country, name, _zone, latitude, longitude] = columns;
    let point = Point { latitude: latitude.parse().ok()?, longitude: longitude.parse().ok()? };
    Some((country, name, point))
}

/// Reads the taxes; a country's own line, whose region is `-`, comes before its regions' lines.
fn taxes() -> Result<HashMap<&'static str, CountryTaxes>, DataError> {
    let lines = rows(Table::Taxes, |[country, region, kind, share]| {
        Some((country, region, Tax { kind, share: Share::parse(share)? }))
    })?;
    let mut taxes = HashMap::new();
    for (country, region, tax) in lines {
        let new = || CountryTaxes { own: tax, regions: BTreeMap::new() };
        let country = taxes.entry(country).or_insert_with(new);
        if region != "-" {
            country.regions.insert(region, tax);
        }
    }
    Ok(taxes)
}

fn exchange() -> Result<Exchange, DataError> {
    let lines = rows(Table::Exchange, |[code, rate]| Some((code, rate)))?;
    let read = lines
        .split_first()
        .and_then(|((_, date), rates)| Exchange::new(date, rates.iter().copied()));
    read.ok_or(DataError { table: Table::Exchange, line: 1 })
}

fn rule([id, countries, effect, above, text, source]: [&'static str; 6]) -> Option<Rule> {
    let countries = countries.split(' ').collect();
    let forbids = match effect {
        "block" => true,
        "papers" => false,
        _ => return None,
    };
    let above = Money::dollars(above.parse().ok()?);
    Some(Rule { id, countries, forbids, above, text, source })
}

fn handbook(text: &'static str) -> Vec<Passage> {
    let passage = |part: &'static str| {
        let (title, text) = part.split_once('\n')?;
        Some(Passage { title, text: text.trim() })
    };
    text.split("# ").filter_map(passage).collect()
}
