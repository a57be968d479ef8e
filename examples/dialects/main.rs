//! One conversation in every dialect: the provider's requests, responses and answers.
//!
//! Run it with `cargo run --bin dialects`, or with the names of some dialects: `cargo run --bin
//! dialects -- anthropic gemini`. The model is a script (`script.rs`): it writes a sentence,
//! searches for tea, and cancels an order, which is not approved.

mod script;

use std::env;
use std::error::Error;

use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Value, json};

/// The goods of a tea shop.
struct Shop {
    teas: [(&'static str, u32); 3],
}

/// A tea and its price.
#[ai_type]
#[derive(Debug)]
struct Tea {
    /// Its name.
    name: String,
    /// Its price, in cents.
    cents: u32,
}

/// The goods of a tea shop.
#[ai_toolkit]
impl Shop {
    /// Finds teas by a word of their names.
    #[ai_tool(effect = "read")]
    fn find(
        &self,
        /// The word.
        word: &str,
        /// The highest price, in cents.
        up_to: Option<u32>,
    ) -> Vec<Tea> {
        let fits = |(name, cents): &&(&str, u32)| {
            name.contains(word) && up_to.is_none_or(|most| *cents <= most)
        };
        let tea = |(name, cents): &(&str, u32)| Tea { name: (*name).to_owned(), cents: *cents };
        self.teas.iter().filter(fits).map(tea).collect()
    }

    /// Cancels an order.
    #[ai_tool(effect = "destructive")]
    #[allow(clippy::unused_self, reason = "a shop of the real world would be asked")]
    fn cancel(
        &self,
        /// The order's number.
        order: u32,
        dry_run: &DryRun,
    ) -> String {
        let did = if dry_run.is_active() { "would cancel" } else { "cancelled" };
        format!("{did} {order}")
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let wanted: Vec<String> = env::args().skip(1).collect();
    let shop = Shop { teas: [("green tea", 450), ("black tea", 390), ("white tea", 900)] };
    let runtime = Runtime::builder().toolkit(shop).build()?;
    let is_wanted =
        |dialect: &Dialect| wanted.is_empty() || wanted.iter().any(|name| name == dialect.as_str());
    for dialect in Dialect::ALL.into_iter().filter(is_wanted) {
        converse(&runtime, dialect).await?;
    }
    Ok(())
}

/// Runs the conversation in one dialect.
async fn converse(runtime: &Runtime, dialect: Dialect) -> Result<(), Box<dyn Error>> {
    println!("\n── {dialect} ──");
    let adapter = Adapter::new(dialect, runtime.specs_for_model());
    show(&format!("the request's `{}`", adapter.request_field()), [adapter.declarations()]);

    let response = script::response(dialect, &|tool| adapter.wire_name(tool).unwrap_or(tool));
    show("the response", [&response]);
    let turn = adapter.read(&response.to_string())?;

    println!("\nthe calls");
    let cx = ToolContext::builder(Uuid::now_v7(), "trace-dialects").run_id("run-1").build()?;
    let mut calls = turn.open_calls(runtime, &cx);
    for call in calls.iter_mut().filter(|call| call.preview().effect() == Some(Effect::Destructive))
    {
        call.decline("jane", "this order is on its way already")?;
    }
    runtime.execute_all(&mut calls).await;
    for call in &calls {
        println!("  {:<9} {} {}", call.status().as_str(), call.name(), call.input());
    }

    let next: Vec<Value> =
        turn.messages().iter().cloned().chain(adapter.answer_messages(&turn, &calls)?).collect();
    show("what the next request adds", &next);
    Ok(())
}

fn show<'v>(what: &str, values: impl IntoIterator<Item = &'v Value>) {
    println!("\n{what}");
    for value in values {
        for line in format!("{value:#}").lines() {
            println!("  {line}");
        }
    }
}

/// The calls of the scripted model: the tools' own names, and the arguments.
fn asked() -> [(&'static str, Value); 2] {
    [("shop.find", json!({ "word": "tea", "up_to": 500 })), ("shop.cancel", json!({ "order": 7 }))]
}
