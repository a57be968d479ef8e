//! Asks a real model about the tools of the quickstart, and about those of the heritage server.
//!
//!     examples/proxy-agent/real-model/run cargo run -p needle-model --example ask
//!
//! Questions of one's own stand behind `world` or `village`.

#[path = "../../quickstart/src/world.rs"]
mod world;

use std::error::Error;
use std::io;
use std::time::{Duration, Instant};

use heritage_server::{Host, Options};
use needle_model::NeedleModel;
use tool_runtime::agent::{LoopEnd, LoopReport, ModelMessage, ToolLoop};
use tool_runtime::contracts::server::Tenant;
use tool_runtime::prelude::*;

use crate::world::World;

const OF_THE_WORLD: [&str; 4] = [
    "What is the currency JPY?",
    "Find at most 3 time zones with pacific in their name.",
    "What is the local time in Europe/Berlin at 2026-03-29T01:30:00Z, and what is the currency EUR?",
    "Who painted the Mona Lisa?",
];

const OF_THE_VILLAGE: [&str; 3] = [
    "Who is the NPC ancestor_yan?",
    "Show me the map of the site.",
    "Search the content for 家训, at most 2 results.",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let Some(model) = NeedleModel::installed() else {
        return Err(
            "run it by examples/proxy-agent/real-model/run, which installs the model".into()
        );
    };
    // Generous, for machines that are busy.
    let model = model.with_timeout(Duration::from_secs(600));
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            ask_about_the_world(model.clone(), &OF_THE_WORLD).await?;
            ask_in_the_village(model, &OF_THE_VILLAGE).await
        }
        ["world", questions @ ..] => ask_about_the_world(model, questions).await,
        ["village", questions @ ..] => ask_in_the_village(model, questions).await,
        _ => Err("ask [world|village QUESTION…]".into()),
    }
}

/// Asks about time zones and currencies, by the tools of the quickstart.
async fn ask_about_the_world(model: NeedleModel, questions: &[&str]) -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().toolkit(World::default()).build()?;
    ask(&ToolLoop::new(runtime, model), &ToolContext::local(), questions).await
}

/// Asks in a village, by the tools of the heritage server.
async fn ask_in_the_village(model: NeedleModel, questions: &[&str]) -> Result<(), Box<dyn Error>> {
    let folder = std::env::temp_dir().join(format!("needle-village-{}", Uuid::now_v7()));
    let host = Host::open(&Options::in_folder(&folder), io::sink()).await?;
    let tenant = Tenant::parse("yantian")?.id();
    let cx = ToolContext::builder(tenant, "trace-needle").run_id("run-1").site_id("yantian-main");
    let agent = ToolLoop::new(host.runtime().clone(), model);
    let asked = ask(&agent, &cx.build()?, questions).await;
    host.close().await?;
    std::fs::remove_dir_all(&folder)?;
    asked
}

async fn ask(agent: &ToolLoop, cx: &ToolContext, questions: &[&str]) -> Result<(), Box<dyn Error>> {
    for question in questions {
        let begun = Instant::now();
        println!("\n{question}");
        match agent.run(*question, cx).await {
            Ok(report) => print(&report),
            Err(error) => println!("  {error}"),
        }
        println!("  {:.1} s", begun.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Prints the calls, their results and the end of a run.
fn print(report: &LoopReport) {
    for message in report.messages() {
        match message {
            ModelMessage::Assistant(message) => {
                for call in message.calls() {
                    println!("  call    {} {}", call.name(), call.arguments());
                }
            }
            ModelMessage::ToolResult { text, .. } => println!("  result  {}", start(text)),
            _ => {}
        }
    }
    match report.end() {
        LoopEnd::Answered(reply) => println!("  answer  {}", start(reply.text())),
        LoopEnd::Suspended(run) => println!("  waits for a person: {} calls", run.pending().len()),
        LoopEnd::Stopped(cause) => println!("  stopped by {}", cause.as_str()),
        _ => println!("  ended"),
    }
}

/// Returns the start of a text, in one line.
fn start(text: &str) -> String {
    let line: String = text.chars().map(|char| if char == '\n' { ' ' } else { char }).collect();
    match line.char_indices().nth(200) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
