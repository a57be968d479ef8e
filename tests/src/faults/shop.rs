//! The tools of a child, and its runtime.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tool_runtime::policy::{OutOfRange, Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::store::IdempotencyStore;
use tool_runtime::{Reconciled, RuntimeBuilder};

use super::budgets::{Limits, Payment};
use super::log::{Effect, EffectLog};
use super::point::{ArmedTrap, Point};
use super::store::TrapStore;

/// A kind of keyed write, by its handling of earlier runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteTool {
    /// Its `reconcile` determines if an earlier run had its effect.
    Reconciling,
    /// It forwards its key to a downstream service, where a repeat has no second effect.
    Forwarding,
    /// Neither: the outcome of an interrupted run stays unknown.
    Plain,
    /// It pays under budgets, and its `reconcile` determines if an earlier run has paid.
    Paying,
    /// It pays under budgets, and the outcome of an interrupted run stays unknown.
    PayingBlindly,
}

impl WriteTool {
    /// Returns whether every key can be answered at the end.
    #[must_use]
    pub fn resolves(self) -> bool {
        match self {
            Self::Reconciling | Self::Forwarding | Self::Paying => true,
            Self::Plain | Self::PayingBlindly => false,
        }
    }

    /// Returns whether it pays, under budgets.
    pub(super) fn pays(self) -> bool {
        match self {
            Self::Paying | Self::PayingBlindly => true,
            Self::Reconciling | Self::Forwarding | Self::Plain => false,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Reconciling => "place",
            Self::Forwarding => "place_once",
            Self::Plain => "place_blindly",
            Self::Paying => "pay",
            Self::PayingBlindly => "pay_blindly",
        }
    }
}

/// The log of effects, and the trap of this process.
pub(super) struct Shop {
    log: EffectLog,
    trap: Arc<ArmedTrap>,
    /// The keys under which this process has met a busy seller.
    delayed: Mutex<BTreeSet<String>>,
}

/// The answer to an order: the run that had the effect.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedOrder {
    /// The run's fence.
    fence: u64,
    /// The run's process.
    pid: u32,
}

impl From<Effect> for PlacedOrder {
    fn from(Effect { fence, pid }: Effect) -> Self {
        Self { fence, pid }
    }
}

/// The error of an order.
#[derive(Debug, ToolFailure)]
pub(super) enum ShopError {
    #[failure(CONFLICT, message = "a later run has taken this order over")]
    TakenOver,
    #[failure(INVALID_ARGUMENT, message = "an order needs a key")]
    NoKey,
    #[failure(UNAVAILABLE, effect = "none", message = "the seller is busy")]
    Busy,
    #[failure(UPSTREAM_ERROR, hide)]
    Log(io::Error),
}

impl std::fmt::Display for ShopError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TakenOver => f.write_str("a later run came first"),
            Self::NoKey => f.write_str("no key"),
            Self::Busy => f.write_str("busy"),
            Self::Log(error) => write!(f, "the log failed: {error}"),
        }
    }
}

impl std::error::Error for ShopError {}

/// The key and the fence of a run.
fn run_of(key: &Idempotency) -> Result<(&str, u64), ShopError> {
    key.key().zip(key.fence()).ok_or(ShopError::NoKey)
}

impl Shop {
    fn place(&self, key: &Idempotency) -> Result<PlacedOrder, ShopError> {
        let (key, fence) = run_of(key)?;
        self.trap.pass(Point::BeforeEffect);
        let effect = self.log.perform(key, fence).map_err(ShopError::Log)?;
        self.trap.pass(Point::AfterEffect);
        effect.map(PlacedOrder::from).ok_or(ShopError::TakenOver)
    }

    /// Pays, at the second attempt if the seller is busy at the first.
    fn pay(&self, key: &Idempotency) -> Result<PlacedOrder, ShopError> {
        let (name, _) = run_of(key)?;
        let is_first = || {
            let mut delayed = self.delayed.lock().unwrap_or_else(PoisonError::into_inner);
            delayed.insert(name.to_owned())
        };
        if Payment::under(name).meets_a_busy_seller() && is_first() {
            return Err(ShopError::Busy);
        }
        self.place(key)
    }

    fn find(&self, key: &Idempotency) -> Result<Reconciled<PlacedOrder>, ShopError> {
        let (key, fence) = run_of(key)?;
        self.trap.pass(Point::Reconciling);
        let effect = self.log.find(key, fence).map_err(ShopError::Log)?;
        self.trap.pass(Point::Reconciled);
        Ok(effect.map_or(Reconciled::DidNotHappen, |effect| Reconciled::Happened(effect.into())))
    }
}

/// Places an order; the log shows if it did.
#[ai_tool(effect = "write", preview = show, reconcile = find, blocking)]
fn place(shop: &Shop, key: &Idempotency) -> Result<PlacedOrder, ShopError> {
    shop.place(key)
}

/// Places an order without a way to determine later if it did.
#[ai_tool(effect = "write", preview = show, blocking)]
fn place_blindly(shop: &Shop, key: &Idempotency) -> Result<PlacedOrder, ShopError> {
    shop.place(key)
}

/// Places an order at a service that deduplicates by key.
#[ai_tool(effect = "write", preview = show, forwards_key, blocking)]
fn place_once(shop: &Shop, key: &Idempotency) -> Result<PlacedOrder, ShopError> {
    shop.place(key)
}

fn show(_: &Shop, _: &Idempotency) -> bool {
    true
}

/// Pays an amount; the log shows if it did.
#[ai_tool(effect = "write", preview = show_payment, reconcile = find_payment, blocking)]
fn pay(
    shop: &Shop,
    key: &Idempotency,
    /// The amount.
    #[arg(spends = "EUR", minor_units)]
    cents: u32,
) -> Result<PlacedOrder, ShopError> {
    let _ = cents;
    shop.pay(key)
}

/// Pays an amount without a way to determine later if it did.
#[ai_tool(effect = "write", preview = show_payment, blocking)]
fn pay_blindly(
    shop: &Shop,
    key: &Idempotency,
    /// The amount.
    #[arg(spends = "EUR", minor_units)]
    cents: u32,
) -> Result<PlacedOrder, ShopError> {
    let _ = cents;
    shop.pay(key)
}

fn show_payment(_: &Shop, _: &Idempotency, _: u32) -> bool {
    true
}

fn find_payment(
    shop: &Shop,
    key: &Idempotency,
    _: u32,
) -> Result<Reconciled<PlacedOrder>, ShopError> {
    shop.find(key)
}

fn find(shop: &Shop, key: &Idempotency) -> Result<Reconciled<PlacedOrder>, ShopError> {
    shop.find(key)
}

/// Prepares a shop on a log and a store.
pub(super) fn open(
    log: EffectLog,
    store: Arc<dyn IdempotencyStore>,
    trap: &Arc<ArmedTrap>,
    lease: Duration,
    limits: Limits,
) -> Result<RuntimeBuilder, OutOfRange> {
    let retry = RetryConfig::new(2, 1.0, 10)?;
    let rules = ToolPolicy::new().lease(lease).retry(retry);
    let policy = Policy::new().idempotency_store(TrapStore::new(store, trap.clone())).rules(rules);
    let policy = policy.budgets(limits.budgets());
    let builder = Runtime::builder()
        .tool::<PlaceTool>()
        .tool::<PlaceBlindlyTool>()
        .tool::<PlaceOnceTool>()
        .tool::<PayTool>()
        .tool::<PayBlindlyTool>()
        .state(Shop { log, trap: trap.clone(), delayed: Mutex::default() })
        .permission("place", Permission::Allow)
        .permission("place_blindly", Permission::Allow)
        .permission("place_once", Permission::Allow)
        .permission("pay", Permission::Allow)
        .permission("pay_blindly", Permission::Allow)
        .policy(policy);
    Ok(builder)
}
