//! The conversation: a customer's messages, and the model's calls.

use crate::data::Sku;
use crate::orders::OrderService;
use crate::shop::Shop;

/// One step of the conversation.
#[derive(Debug)]
pub(crate) enum Step {
    /// A message of the customer.
    Says(&'static str),
    /// The model's calls of one turn: names and arguments as it sends them.
    Calls(&'static [(&'static str, &'static str)]),
    /// An event that the model does not see.
    Happens(Event),
}

/// An event that the model does not see.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Event {
    /// The shop's owner raises a price.
    PriceRises,
    /// The next answer of the order service gets lost.
    AnswerGetsLost,
}

impl Event {
    /// Describes the event.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::PriceRises => "the shop raises the price of D16290 to 6600 USD",
            Self::AnswerGetsLost => {
                "the order service will lose its connection after it took an order"
            }
        }
    }

    /// Triggers the event.
    pub(crate) fn happen(self, shop: &Shop, orders: &OrderService) {
        match self {
            Self::PriceRises => shop.reprice(&Sku::from("D16290"), 6_600),
            Self::AnswerGetsLost => orders.lose_next_answer(),
        }
    }
}

/// The whole conversation.
pub(crate) const CONVERSATION: &[Step] = &[
    Step::Says("A diamond for my sister in Berlin, please: about one carat, ideal cut, G, VS2."),
    Step::Calls(&[
        ("knowledge.search", r#"{"query":"1.01 carat Ideal G VS2","limit":"2"}"#),
        ("knowledge.search", r#"{"query":"shipping abroad, duties and taxes","limit":1}"#),
    ]),
    Step::Calls(&[(
        "pricing.get_realtime_quote",
        r#"{"sku":"16290","currency":"EURO","quantity":1}"#,
    )]),
    Step::Calls(&[("pricing.get_realtime_quote", r#"{"sku":"D16290","currency":"EUR"}"#)]),
    Step::Says(
        "Nice. Can you send it there, and what would that cost? And what was the stone again?",
    ),
    Step::Calls(&[
        ("pricing.get_realtime_quote", r#"{"currency":"EUR","sku":"D16290"}"#),
        ("compliance.check_item", r#"{"sku":"D16290","to":{"country":"DE"}}"#),
        ("shipping.quote_options", r#"{"skus":["D16290"],"to":{"country":"DE"},"currency":"EUR"}"#),
        (
            "tax.estimate_duties_and_taxes",
            r#"{"skus":["D16290"],"to":{"country":"DE"},"service":"courier","currency":"EUR"}"#,
        ),
        (
            "checkout.compute_total",
            r#"{"skus":["D16290"],"to":{"country":"DE"},"service":"courier","currency":"EUR"}"#,
        ),
    ]),
    Step::Says("By courier, then. Please order it."),
    Step::Happens(Event::PriceRises),
    Step::Calls(&[("checkout.create_draft_order", AT_THE_OLD_PRICE)]),
    Step::Says("A little more, I see. I still take it."),
    Step::Happens(Event::AnswerGetsLost),
    Step::Calls(&[("checkout.create_draft_order", AT_THE_NEW_PRICE)]),
    Step::Calls(&[("checkout.create_draft_order", AT_THE_NEW_PRICE)]),
    Step::Says("Thank you. And one like it to a friend in Moscow."),
    Step::Calls(&[("checkout.create_draft_order", TO_MOSCOW)]),
    Step::Says("Then to my friend in Los Angeles. Is an armoured carrier possible?"),
    Step::Calls(&[(
        "checkout.compute_total",
        r#"{"skus":["D15210"],"to":{"country":"US"},"service":"armoured"}"#,
    )]),
    Step::Calls(&[
        ("shipping.quote_options", r#"{"skus":["D15210"],"to":{"country":"US","region":"CA"}}"#),
        (
            "tax.estimate_duties_and_taxes",
            r#"{"skus":["D15210"],"to":{"country":"US","region":"CA"},"service":"courier"}"#,
        ),
        (
            "checkout.compute_total",
            r#"{"skus":["D16290"],"to":{"country":"JP"},"service":"courier"}"#,
        ),
    ]),
];

/// A conversation whose last call waits for an absent approver.
pub(crate) const AFTER_HOURS: &[Step] = &[
    Step::Says("Do you still have D16290? Please send it to my sister in Berlin, by courier."),
    Step::Calls(&[(
        "checkout.compute_total",
        r#"{"skus":["D16290"],"to":{"country":"DE"},"service":"courier","currency":"EUR"}"#,
    )]),
    Step::Calls(&[("checkout.create_draft_order", AT_THE_OLD_PRICE)]),
];

const AT_THE_OLD_PRICE: &str = r#"{"skus":["D16290"],"address":{"name":"Erika Mustermann","street":"Unter den Linden 1","city":"Berlin","postcode":"10117","country":"DE"},"service":"courier","expected_total":{"minor_units":712139,"currency":"EUR"}}"#;

const AT_THE_NEW_PRICE: &str = r#"{"skus":["D16290"],"address":{"name":"Erika Mustermann","street":"Unter den Linden 1","city":"Berlin","postcode":"10117","country":"DE"},"service":"courier","expected_total":{"minor_units":721158,"currency":"EUR"}}"#;

const TO_MOSCOW: &str = r#"{"skus":["D15210"],"address":{"name":"Ivan Ivanov","street":"Tverskaya 1","city":"Moscow","country":"RU"},"service":"courier","expected_total":{"minor_units":640000,"currency":"USD"}}"#;
