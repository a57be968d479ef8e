//! The host: it opens the model's calls, asks who has to be asked, and runs them.

use std::error::Error;
use std::sync::Arc;

use tool_runtime::prelude::*;

use crate::approval::{Answer, Approver};
use crate::checkout::{Checkout, ORDER_KEY};
use crate::compliance::Compliance;
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
    approver: Approver,
    dry_run: bool,
    /// How many times the customer has spoken.
    said: u32,
}

impl Host {
    /// Opens the shop and starts its order service.
    pub(crate) async fn start(approver: Approver, dry_run: bool) -> Result<Self, Box<dyn Error>> {
        let shop = Arc::new(Shop::open()?);
        let orders = OrderService::start().await?;
        let runtime = Runtime::builder()
            .shared_state(Arc::clone(&shop))
            .toolkit(Pricing)
            .toolkit(Shipping)
            .toolkit(Taxes)
            .toolkit(Compliance)
            .toolkit(Checkout::new(OrderClient::new(orders.address())))
            .toolkit(Knowledge)
            .build()?;
        Ok(Self { runtime, shop, orders, approver, dry_run, said: 0 })
    }

    /// Plays a conversation.
    pub(crate) async fn play(&mut self, script: &[Step]) -> Result<(), Box<dyn Error>> {
        transcript::tools(&self.runtime);
        for step in script {
            match step {
                Step::Says(text) => self.customer_says(text),
                Step::Happens(event) => {
                    transcript::happens(event.text());
                    event.happen(&self.shop, &self.orders);
                }
                Step::Calls(calls) => drop(self.turn(calls).await?),
            }
        }
        transcript::orders(&self.orders.orders());
        Ok(())
    }

    fn customer_says(&mut self, text: &str) {
        self.said += 1;
        transcript::says("customer", text);
    }

    /// Answers the calls of one turn of the model, in its order.
    pub(crate) async fn turn(
        &self,
        calls: &[(&str, &str)],
    ) -> Result<Vec<ToolOutput>, Box<dyn Error>> {
        let open = |(name, arguments): &(&str, &str)| self.open(name, arguments, self.dry_run);
        let mut calls = calls.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        for call in &mut calls {
            transcript::call(call);
            if asks(call) {
                self.decide(call).await?;
            }
        }
        self.runtime.run(&mut calls).await;
        for call in &calls {
            transcript::answer(call);
        }
        Ok(calls.into_iter().filter_map(ToolCall::into_output).collect())
    }

    /// Has a call approved, edited or declined. What would fail is nothing to ask about: the model
    /// is told, or whoever edited it.
    async fn decide(&self, call: &mut ToolCall) -> Result<(), Box<dyn Error>> {
        let mut rehearsal = self.rehearse(call.name(), call.input()).await?;
        if !succeeded(&rehearsal) {
            *call = rehearsal;
            return Ok(());
        }
        loop {
            match self.approver.ask(&rehearsal).await? {
                Answer::Yes { approver } => {
                    return Ok(call.approve_edited(approver, rehearsal.input())?);
                }
                Answer::No { feedback } => {
                    call.decline(feedback);
                    return Ok(());
                }
                Answer::Edited { arguments } => {
                    let edited = self.rehearse(call.name(), &arguments).await?;
                    if succeeded(&edited) {
                        rehearsal = edited;
                    } else {
                        transcript::answer(&edited);
                    }
                }
            }
        }
    }

    /// Makes a call's dry run.
    async fn rehearse(&self, tool: &str, arguments: &str) -> Result<ToolCall, Box<dyn Error>> {
        let mut rehearsal = self.open(tool, arguments, true)?;
        rehearsal.execute().await;
        Ok(rehearsal)
    }

    /// Opens a call; what one message of the customer asks for is ordered once.
    fn open(&self, tool: &str, arguments: &str, dry_run: bool) -> Result<ToolCall, Box<dyn Error>> {
        let cx = ToolContext::builder(Uuid::nil(), "trace-storefront")
            .run_id("run-1")
            .session_id("conversation-1")
            .attribute(ORDER_KEY, format!("conversation-1/message-{}", self.said))
            .dry_run(dry_run)
            .build()?;
        Ok(self.runtime.call(tool, arguments, &cx))
    }
}

fn succeeded(call: &ToolCall) -> bool {
    call.output().is_some_and(ToolOutput::is_ok)
}

fn asks(call: &ToolCall) -> bool {
    let asks = call.tool().is_some_and(|tool| tool.permission() == Permission::Ask);
    asks && call.status() == CallStatus::Pending && !call.cx().dry_run()
}

#[cfg(test)]
impl Host {
    pub(crate) fn shop(&self) -> &Shop {
        &self.shop
    }

    pub(crate) fn orders(&self) -> &OrderService {
        &self.orders
    }
}
