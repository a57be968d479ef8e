//! An agent buys reports from a seller that takes payments by x402, and spends no more than its budget.
//!
//! The amount is reserved with the call before anything is signed, and what the seller's receipt says is settled. The
//! seller is a real one (`seller/`): the published packages, with a facilitator that touches no chain.

mod authorization;
mod offer;
mod seller;
mod tools;

pub use self::seller::Seller;
pub use self::tools::runtime;
