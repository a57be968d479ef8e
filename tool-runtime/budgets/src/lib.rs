//! Budgets: limits on the money that the calls of a model spend.
//!
//! A tool says what its calls spend: `#[arg(spends = "EUR")] amount: Decimal`, `#[arg(spends)] price: Money`, or
//! `cost = "0.02 USD"`. The host sets a [`Budget`] with
//! [`Policy::budget`](tool_runtime_core::policy::Policy::budget). The amount of a call is reserved together with its
//! idempotency key, in one operation of the store; an answer settles it, a failure without effect releases it, and an
//! unknown outcome holds it until it is resolved.

mod allowances;
mod budget;
#[cfg(feature = "mandates")]
mod demanded_mandates;
mod estimate;
mod file;
#[cfg(feature = "mandates")]
mod mandate;
mod money;
#[cfg(not(feature = "mandates"))]
mod no_mandates;
mod operations;
mod scope;
mod spending;
mod spends;
mod tool_budget;
mod window;

#[doc(inline)]
pub use rust_decimal::Decimal;
#[doc(inline)]
pub use tool_runtime_core::policy::OverLimit;

pub use self::allowances::Allowances;
pub use self::budget::Budget;
pub use self::estimate::EstimatedCost;
#[doc(hidden)]
pub use self::estimate::estimated;
pub use self::file::InvalidBudgets;
#[cfg(feature = "mandates")]
pub use self::mandate::{
    MandateClaims, MandateError, MandateKeyError, MandateKeys, MandateLimit, Payee,
};
pub use self::money::{DecimalAmount, InvalidAmount, MinorUnits, Money, MoneyAmount};
pub use self::operations::{BudgetError, Budgets, RuntimeBudgets};
pub use self::scope::BudgetScope;
pub use self::spending::Spending;
pub use self::window::Window;
