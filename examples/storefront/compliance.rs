//! `compliance`: the law for sending a stone to a country.

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::{Rule, Sku};
use crate::money::{CurrencyCode, Money};
use crate::shop::{Destination, Place, Shop, ShopError};
use crate::sources::Table;

/// Checks the export rules for goods and destinations.
#[derive(Debug)]
pub(crate) struct Compliance;

/// The edition of `data/rules.tsv`: it increases when the file changes.
const RULESET_VERSION: &str = "1.0.0";

/// A rule that applies.
#[ai_type]
#[derive(Debug)]
pub(crate) struct AppliedRule {
    /// The rule's name.
    rule: String,
    /// The rule's text.
    text: String,
    /// The source of the rule.
    source: String,
}

/// The result of applying the rules.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Verdict {
    /// True if the stone may be sent.
    pub(crate) allowed: bool,
    /// The rules that forbid the shipment.
    pub(crate) forbidden_by: Vec<AppliedRule>,
    /// The rules that require papers.
    pub(crate) papers: Vec<AppliedRule>,
}

/// Export rules.
#[ai_toolkit]
impl Compliance {
    /// Checks whether a stone may be sent to a country, and which papers are required.
    #[ai_tool(effect = "read", version = "1.0.0", category = "commerce", evidence)]
    fn check_item(
        shop: &Shop,
        evidence: &EvidenceRecorder,
        /// The stone's number.
        sku: Sku,
        /// The destination.
        to: Destination,
    ) -> Result<Verdict, ShopError> {
        shop.cite(evidence, &[Table::Stones, Table::Places]);
        cite_rules(shop, evidence);
        let basket = shop.basket(&[sku], CurrencyCode::USD)?;
        Ok(verdict(shop, basket.goods, &shop.place(&to)?))
    }
}

/// Records the rules as a source of an answer.
pub(crate) fn cite_rules(shop: &Shop, evidence: &EvidenceRecorder) {
    shop.cite(evidence, &[Table::Rules]);
    evidence.rule("compliance.policy_ruleset_version", RULESET_VERSION);
}

/// Applies every rule to goods of this value, in US dollars.
pub(crate) fn verdict(shop: &Shop, dollars: Money, place: &Place<'_>) -> Verdict {
    let applies = |rule: &&Rule| {
        rule.speaks_of(place.code) && dollars.minor_units() > rule.above.minor_units()
    };
    let (forbidding, asking): (Vec<_>, Vec<_>) =
        shop.data().rules.iter().filter(applies).partition(|rule| rule.forbids);
    Verdict {
        allowed: forbidding.is_empty(),
        forbidden_by: forbidding.into_iter().map(AppliedRule::from).collect(),
        papers: asking.into_iter().map(AppliedRule::from).collect(),
    }
}

impl From<&Rule> for AppliedRule {
    fn from(rule: &Rule) -> Self {
        let owned = str::to_owned;
        Self { rule: owned(rule.id), text: owned(rule.text), source: owned(rule.source) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_and_their_version_change_together() {
        let known =
            ("1.0.0", "sha256:73d3c06f593fcde3111f82deb60f6dc4f618900d1df73bd3158faa0dc8ed8692");
        assert_eq!((RULESET_VERSION, &*Table::Rules.hash()), known);
    }
}
