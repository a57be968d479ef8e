//! The order service and its client: JSON over HTTP, one request per connection.

mod client;
mod service;

pub(crate) use self::client::{OrderClient, OrderError};
pub(crate) use self::service::OrderService;

use serde::{Deserialize, Serialize};

use crate::data::Sku;
use crate::money::Money;

/// An order in its wire form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) skus: Vec<Sku>,
    pub(crate) ship_to: String,
    pub(crate) total: Money,
}

/// The data by which the service distinguishes a repeat from a second order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Claim {
    /// Orders with one key are one order.
    pub(crate) key: Option<String>,
    /// The fence of the key's holder: a claim with a lower fence is refused.
    pub(crate) fence: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request {
    Place {
        order: Order,
        claim: Claim,
    },
    /// Requests the order that was placed under a key.
    Find {
        key: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply {
    Taken(Receipt),
    /// No order has the key.
    NotTaken,
    Refused(Refused),
}

/// The service's answer to an accepted order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Receipt {
    pub(crate) order_id: String,
    /// True if the order existed already, under the same key.
    pub(crate) repeated: bool,
}

/// The service's reason to refuse an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Refused {
    /// The order could not be read.
    Unreadable,
    /// The key was used for another order.
    KeyReused,
    /// A claim with a higher fence holds the key.
    LeaseLost,
}

/// The path of requests.
const PATH: &str = "/orders";

/// The longest body that either side reads, in bytes.
const MAX_BODY_LENGTH: usize = 16 * 1024;
