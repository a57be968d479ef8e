//! `knowledge`: the shop's handbook and its stones, searched by words.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::shop::Shop;
use crate::sources::Table;

/// Searches texts.
#[derive(Debug)]
pub(crate) struct Knowledge;

/// A text in a search result.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Found {
    /// The stone's number, or the handbook's heading.
    title: String,
    /// The text.
    text: String,
}

/// The shop's handbook and stones.
#[ai_toolkit]
impl Knowledge {
    /// Searches the handbook (shipping, taxes, returns, wording) and the stones on sale.
    ///
    /// Stones are found by their descriptions, such as "1.01 carat ideal G VS2".
    #[ai_tool(effect = "read", version = "1.0.0", category = "content", evidence)]
    fn search(
        shop: &Shop,
        evidence: &EvidenceRecorder,
        /// Words to search for.
        #[arg(length(1..=200), example = "returns within 30 days")]
        query: &str,
        /// The maximum number of texts to return.
        #[arg(default = 3, range(1..=10))]
        limit: usize,
    ) -> Vec<Found> {
        shop.cite(evidence, &[Table::Handbook, Table::Stones]);
        let wanted = words(query);
        let mut found: Vec<(usize, Found)> = texts(shop)
            .map(|text| (score(&wanted, &text), text))
            .filter(|(score, _)| *score > 0)
            .collect();
        found.sort_by_key(|(score, _)| Reverse(*score));
        found.into_iter().take(limit).map(|(_, text)| text).collect()
    }
}

fn texts(shop: &Shop) -> impl Iterator<Item = Found> {
    let passages = shop
        .data()
        .handbook
        .iter()
        .map(|passage| Found { title: passage.title.to_owned(), text: passage.text.to_owned() });
    let on_sale = |sku: &_| matches!(shop.price(sku), Ok(Some(_)));
    let stones = shop.data().stones.iter().filter(move |(sku, _)| on_sale(sku));
    passages.chain(stones.map(|(sku, stone)| Found {
        title: sku.as_str().to_owned(),
        text: stone.description.clone(),
    }))
}

/// Counts the searched words that a text contains; in its title they count twice.
fn score(wanted: &BTreeSet<String>, text: &Found) -> usize {
    let title = words(&text.title).intersection(wanted).count();
    let body = words(&text.text).intersection(wanted).count();
    2 * title + body
}

fn words(text: &str) -> BTreeSet<String> {
    let apart = |letter: char| !letter.is_alphanumeric() && letter != '.';
    let word = |word: &str| word.trim_matches('.').to_lowercase();
    text.split(apart).map(word).filter(|word| !word.is_empty()).collect()
}
