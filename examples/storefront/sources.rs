//! The sources of an answer: the tables by their hashes, and the version of the rules.

use chrono::Utc;
use sha2::{Digest as _, Sha256};
use tool_runtime::EvidenceRecorder;
use tool_runtime::canonical::Digest;
use tool_runtime::contracts::{ContractError, EvidenceSource};

/// A table that ships with the example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Stones,
    Places,
    Taxes,
    Duties,
    Exchange,
    Rules,
    Handbook,
}

/// The sources of a price with shipping in some currency.
pub(crate) const SHIPPED_PRICES: &[Table] = &[Table::Stones, Table::Exchange, Table::Places];

/// The sources of the destination's levies.
pub(crate) const LEVIES: &[Table] = &[Table::Taxes, Table::Duties];

/// The tables at the time when the shop opened.
#[derive(Debug)]
pub(crate) struct Sources(Vec<(Table, EvidenceSource)>);

impl Table {
    const ALL: [Self; 7] = [
        Self::Stones,
        Self::Places,
        Self::Taxes,
        Self::Duties,
        Self::Exchange,
        Self::Rules,
        Self::Handbook,
    ];

    pub(crate) const fn file(self) -> &'static str {
        match self {
            Self::Stones => "stones.tsv",
            Self::Places => "places.tsv",
            Self::Taxes => "taxes.tsv",
            Self::Duties => "duties.tsv",
            Self::Exchange => "exchange.tsv",
            Self::Rules => "rules.tsv",
            Self::Handbook => "handbook.md",
        }
    }

    /// Returns the compiled-in text.
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Stones => include_str!("data/stones.tsv"),
            Self::Places => include_str!("data/places.tsv"),
            Self::Taxes => include_str!("data/taxes.tsv"),
            Self::Duties => include_str!("data/duties.tsv"),
            Self::Exchange => include_str!("data/exchange.tsv"),
            Self::Rules => include_str!("data/rules.tsv"),
            Self::Handbook => include_str!("data/handbook.md"),
        }
    }

    /// Hashes the file, as `sha256sum` does.
    pub(crate) fn hash(self) -> String {
        let digest = Digest::from_bytes(Sha256::digest(self.text()).into());
        format!("sha256:{digest}")
    }
}

impl Sources {
    /// Reads the current tables.
    pub(crate) fn read() -> Result<Self, ContractError> {
        let now = Utc::now();
        let source = |table: Table| {
            Ok((table, EvidenceSource::new("file", table.file(), table.hash(), now)?))
        };
        Table::ALL.into_iter().map(source).collect::<Result<_, _>>().map(Self)
    }

    /// Records these tables as the sources of an answer.
    pub(crate) fn cite(&self, evidence: &EvidenceRecorder, tables: &[Table]) {
        let cited = self.0.iter().filter(|(table, _)| tables.contains(table));
        cited.for_each(|(_, source)| evidence.source(source.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_hashed_as_a_person_would_hash_the_file() {
        // `sha256sum exchange.tsv`
        assert_eq!(
            Table::Exchange.hash(),
            "sha256:7f2fcdb16b4ca2a64f0538870a6d24449b533465bd00968f2b2be1c75d3f247b"
        );
    }
}
