//! The host: it opens the model's calls and runs them under one policy.

use std::error::Error;
use std::sync::Arc;

use tool_runtime::contracts::ContractError;
use tool_runtime::policy::{Policy, Rules};
use tool_runtime::prelude::*;

use crate::checkout::Checkout;
use crate::compliance::Compliance;
use crate::files::Files;
use crate::knowledge::Knowledge;
use crate::orders::{OrderClient, OrderService};
use crate::pricing::Pricing;
use crate::script::Step;
use crate::shipping::Shipping;
use crate::shop::Shop;
use crate::tax::Taxes;
use crate::transcript;

/// A shop assistant without its model.
#[derive(Debug)]
pub(crate) struct Host {
    runtime: Runtime,
    shop: Arc<Shop>,
    orders: OrderService,
    dry_run: bool,
    /// How many times the customer has spoken.
    said: u32,
    files: Files,
}

impl Host {
    /// Opens the shop, starts its order service, and lets `policy` say who is asked.
    pub(crate) async fn start(
        files: Files,
        policy: Policy,
        dry_run: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let shop = Arc::new(Shop::open()?);
        let orders = OrderService::start(&files.orders()).await?;
        for order in orders.orders() {
            shop.sell(&order.skus);
        }
        // A person sees the dry run's total, and their yes is for that total alone.
        let ordering = Rules::new().bind_preview(true).require_idempotency_key(true);
        let policy = policy
            .store(files.store()?)
            .ticket_keys(files.ticket_keys()?)
            .rules_for("checkout.create_draft_order", ordering);
        let runtime = Runtime::builder()
            .shared_state(Arc::clone(&shop))
            .toolkit(Pricing)
            .toolkit(Shipping)
            .toolkit(Taxes)
            .toolkit(Compliance)
            .toolkit(Checkout::new(OrderClient::new(orders.address())))
            .toolkit(Knowledge)
            .policy(policy)
            .build()?;
        Ok(Self { runtime, shop, orders, dry_run, said: 0, files })
    }

    /// Plays a conversation; returns the ticket of the last call that waits for somebody.
    pub(crate) async fn play(&mut self, script: &[Step]) -> Result<Option<String>, Box<dyn Error>> {
        let mut ticket = None;
        for step in script {
            match step {
                Step::Says(text) => self.customer_says(text),
                Step::Happens(event) => {
                    transcript::happens(event.text());
                    event.happen(&self.shop, &self.orders);
                }
                Step::Calls(calls) => {
                    let outputs = self.turn(calls).await?;
                    ticket = outputs.iter().find_map(ticket_of).or(ticket);
                }
            }
        }
        Ok(ticket)
    }

    fn customer_says(&mut self, text: &str) {
        self.said += 1;
        transcript::says("customer", text);
    }

    /// Answers the calls of one turn of the model, in its order.
    pub(crate) async fn turn(
        &self,
        calls: &[(&str, &str)],
    ) -> Result<Vec<ToolOutput>, ContractError> {
        let cx = self.cx()?;
        let open = |(name, arguments): &(&str, &str)| self.runtime.call(name, *arguments, &cx);
        let mut calls: Vec<ToolCall> = calls.iter().map(open).collect();
        for call in &calls {
            transcript::call(call);
        }
        self.runtime.run(&mut calls).await;
        for call in &calls {
            transcript::answer(call);
        }
        Ok(calls.into_iter().filter_map(ToolCall::into_output).collect())
    }

    /// Takes up a call that waits behind a ticket; the ticket alone approves nothing.
    pub(crate) async fn resume(
        &self,
        ticket: &str,
        approver: Option<&str>,
    ) -> Result<ToolOutput, ContractError> {
        let mut call = self.runtime.resume(ticket, &self.cx()?).await;
        if call.needs_approval() {
            transcript::shown(call.preview(), Some(&call.rehearse().await));
        }
        if let Some(name) = approver.filter(|name| call.approve(*name)) {
            transcript::note(&format!("{name} says yes"));
        }
        let output = call.execute().await.clone();
        transcript::answer(&call);
        Ok(output)
    }

    /// Says for whom calls are made. What one message of the customer asks for is ordered once.
    fn cx(&self) -> Result<ToolContext, ContractError> {
        ToolContext::builder(Uuid::nil(), "trace-storefront")
            .run_id("run-1")
            .session_id("conversation-1")
            .user_id("customer-1")
            .idempotency_key(format!("conversation-1/message-{}", self.said))
            .dry_run(self.dry_run)
            .build()
    }

    pub(crate) fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    pub(crate) fn orders(&self) -> &OrderService {
        &self.orders
    }

    pub(crate) fn files(&self) -> &Files {
        &self.files
    }
}

#[cfg(test)]
impl Host {
    pub(crate) fn shop(&self) -> &Shop {
        &self.shop
    }
}

/// Takes the ticket out of the answer of a call that waits for somebody.
fn ticket_of(output: &ToolOutput) -> Option<String> {
    let ticket = output.error()?.details()?.get("ticket")?;
    Some(ticket.to_string())
}
