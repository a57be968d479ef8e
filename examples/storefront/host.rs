//! The host, which accepts requests, opens the model's calls, and runs them under one policy.

use std::error::Error;
use std::sync::Arc;

use tool_runtime::budgets::{Budget, BudgetScope};
use tool_runtime::contracts::trace_context::SpanId;
use tool_runtime::contracts::{Client, ClientApp, ContractError, ToolCallRequest, Trace};
use tool_runtime::evidence::Vault;
use tool_runtime::ledger::Ledger;
use tool_runtime::policy::{Policy, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::serde_json::{self, value::RawValue};
use tool_runtime::store::StoreError;

use crate::checkout::Checkout;
use crate::compliance::Compliance;
use crate::files::Files;
use crate::knowledge::Knowledge;
use crate::orders::{OrderClient, OrderService};
use crate::pricing::Pricing;
use crate::records::Records;
use crate::script::Step;
use crate::shipping::Shipping;
use crate::shop::Shop;
use crate::tax::Taxes;
use crate::transcript;

/// A shop assistant without its model.
#[derive(Debug)]
pub struct Host {
    runtime: Runtime,
    shop: Arc<Shop>,
    orders: OrderService,
    records: Records,
    dry_run: bool,
    /// Distinguishes the requests of this process from those of others.
    mark: String,
    /// The number of the customer's messages.
    said: u32,
    /// The span of the customer's last message.
    span: SpanId,
    files: Files,
}

/// The shop's tenant. A host with several tenants would get it from the login.
pub(crate) const TENANT: Uuid = Uuid::from_u128(0x5709_0000_0000_7000_8000_0000_0000_0001);

/// A name and arguments, as the model sends them.
pub(crate) type Asked<'a> = (&'a str, &'a str);

/// Returns the most that the assistant orders for one customer in a day, in each currency of the shop.
fn orders_of_a_day() -> Budget {
    Budget::new("orders")
        .per_day("10000.00 EUR")
        .per_day("10000.00 USD")
        .per_day("10000.00 GBP")
        .per_day("1500000 JPY")
        .scope(BudgetScope::User)
        .time_zone("America/New_York")
}

impl Host {
    /// Opens the shop, starts its order service, and lets `policy` choose the approver.
    ///
    /// # Errors
    /// The data or the files cannot be read, or the order service cannot be started.
    pub async fn start(
        files: Files,
        policy: Policy,
        dry_run: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let shop = Arc::new(Shop::open()?);
        let orders = OrderService::start(&files.orders()).await?;
        for order in orders.orders() {
            shop.sell(&order.skus);
        }
        // A person sees the dry run's total, and approves only that total.
        let ordering = ToolPolicy::new().bind_preview(true).require_idempotency_key(true);
        let policy = policy
            .store(files.store()?)
            .ticket_keys(files.keys()?)
            .budget(orders_of_a_day())
            .rules_for("checkout.create_draft_order", ordering);
        let records = Records::open(&files)?;
        let runtime = Runtime::builder()
            .tenant(TENANT)
            .shared_state(Arc::clone(&shop))
            .toolkit(Pricing)
            .toolkit(Shipping)
            .toolkit(Taxes)
            .toolkit(Compliance)
            .toolkit(Checkout::new(OrderClient::new(orders.address())))
            .toolkit(Knowledge)
            .policy(policy)
            .ledger(&records.ledger)
            .evidence(records.evidence.clone())
            .build()?;
        // The end of a version 7 id is random.
        let mark = Uuid::now_v7().simple().to_string()[26..].to_owned();
        let span = SpanId::random();
        Ok(Self { runtime, shop, orders, records, dry_run, mark, said: 0, span, files })
    }

    /// Writes the pending records, and closes the ledger.
    ///
    /// # Errors
    /// The ledger cannot be written.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.records.ledger.close().await
    }

    /// Returns the runtime of the shop's tools.
    #[must_use]
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Returns the ledger of all calls.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.records.ledger
    }

    /// Returns the keeper of the answers' evidence.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        self.records.evidence.vault()
    }

    /// Runs a conversation; returns the ticket of the last call that waits for approval.
    pub(crate) async fn play(&mut self, script: &[Step]) -> Result<Option<String>, Box<dyn Error>> {
        let mut ticket = None;
        for step in script {
            match step {
                Step::Says(text) => self.customer_says(text)?,
                Step::Happens(event) => {
                    transcript::happens(event.text());
                    event.happen(&self.shop, &self.orders);
                }
                Step::Calls(calls) => {
                    let answers = self.turn(calls).await?;
                    ticket = answers.iter().find_map(ticket_of).or(ticket);
                }
            }
        }
        Ok(ticket)
    }

    fn customer_says(&mut self, text: &str) -> Result<(), ContractError> {
        self.said += 1;
        self.span = SpanId::random();
        transcript::says("customer", text);
        transcript::request(&self.request()?, self.said == 1);
        Ok(())
    }

    /// Answers the calls of one turn of the model, in its order.
    pub(crate) async fn turn(
        &self,
        calls: &[Asked<'_>],
    ) -> Result<Vec<ResponseEnvelope>, Box<dyn Error>> {
        let request = self.request()?;
        for (name, arguments) in calls {
            transcript::call(name, arguments);
        }
        let answers = match calls {
            [(name, arguments)] => vec![self.runtime.handle(request, name, *arguments).await],
            calls => self.batch(request, calls).await?,
        };
        for ((name, _), answer) in calls.iter().zip(&answers) {
            transcript::answer(name, answer);
        }
        Ok(answers)
    }

    /// Answers several calls of one request: reads in parallel, each write alone.
    async fn batch(
        &self,
        request: RequestEnvelope,
        calls: &[Asked<'_>],
    ) -> serde_json::Result<Vec<ResponseEnvelope>> {
        let cx = request.into_context(TENANT);
        let asked = |(index, (name, arguments)): (usize, &Asked<'_>)| {
            let arguments = RawValue::from_string((*arguments).to_owned())?;
            Ok(ToolCallRequest::new(format!("call-{}", index + 1), *name, arguments))
        };
        let asked = calls.iter().enumerate().map(asked).collect::<serde_json::Result<Vec<_>>>()?;
        let mut calls = self.runtime.call_all(&asked, &cx);
        self.runtime.execute_all(&mut calls).await;
        let outputs = calls.into_iter().filter_map(ToolCall::into_output);
        Ok(outputs.map(ToolOutput::into_envelope).collect())
    }

    /// Resumes a call that waits behind a ticket; the ticket alone approves nothing.
    pub(crate) async fn resume(
        &self,
        ticket: &str,
        approver: Option<&str>,
    ) -> Result<ResponseEnvelope, ContractError> {
        let cx = self.request()?.into_context(TENANT);
        let mut call = self.runtime.tickets().resume(ticket, &cx).await;
        if call.needs_approval() {
            transcript::shown(call.preview(), Some(&call.dry_run().await));
        }
        if let Some(name) = approver.filter(|name| call.approve(*name).is_ok()) {
            transcript::note(&format!("{name} says yes"));
        }
        let answer = call.execute().await.clone().into_envelope();
        transcript::answer(call.name(), &answer);
        Ok(answer)
    }

    /// Makes the request of the customer's last message, which is ordered once.
    pub(crate) fn request(&self) -> Result<RequestEnvelope, ContractError> {
        let Self { mark, said, span, .. } = self;
        RequestEnvelope::builder(
            format!("req-{mark}-{said}"),
            Actor::new(ActorType::Agent, "shop-assistant")?,
        )
        .user_id("customer-1")
        .session_id("conversation-1")
        .locale("en-GB")
        .currency("EUR")
        .timezone("Europe/Berlin")
        .client(Client::new(ClientApp::Web, env!("CARGO_PKG_VERSION"))?)
        .trace(Trace::new(span.to_string())?)
        .dry_run(self.dry_run)
        .idempotency_key(format!("conversation-1/message-{said}"))
        .build()
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

/// Returns the ticket in the answer of a call that waits for approval.
fn ticket_of(answer: &ResponseEnvelope) -> Option<String> {
    let ticket = answer.error()?.as_detail().details()?.get("ticket")?;
    Some(ticket.to_string())
}
