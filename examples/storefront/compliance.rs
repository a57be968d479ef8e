//! `compliance`: what the law says of sending a stone somewhere.

use tool_runtime::prelude::*;

use crate::data::{Rule, Sku};
use crate::money::{CurrencyCode, Money};
use crate::shop::{Destination, Place, Shop, ShopError};

/// Checks what may be sent where.
#[derive(Debug)]
pub(crate) struct Compliance;

/// A rule that applies.
#[ai_type]
#[derive(Debug)]
pub(crate) struct AppliedRule {
    /// The rule's name.
    rule: String,
    /// What it says.
    text: String,
    /// Where it is written.
    source: String,
}

/// What the law says.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Verdict {
    /// Whether it may be sent.
    pub(crate) allowed: bool,
    /// What forbids it.
    pub(crate) forbidden_by: Vec<AppliedRule>,
    /// What has to be filed.
    pub(crate) papers: Vec<AppliedRule>,
}

/// Export rules.
#[ai_toolkit]
impl Compliance {
    /// Checks whether a stone may be sent to a country, and which papers that takes.
    #[ai_tool(effect = "read", version = "1.0.0", category = "commerce")]
    fn check_item(
        shop: &Shop,
        /// The stone's number.
        sku: Sku,
        /// Where it goes.
        to: Destination,
    ) -> Result<Verdict, ShopError> {
        let basket = shop.basket(&[sku], CurrencyCode::USD)?;
        Ok(verdict(shop, basket.goods, &shop.place(&to)?))
    }
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
