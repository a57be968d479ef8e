//! Serves tools of many kinds over HTTP, for tests of the API from outside: `serve FOLDER`.
//!
//! The address is printed once the server listens. The ledger is in the folder. `SERVE_KEY` is the
//! API key of the only caller, which has all rights; without it, callers need no credentials.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Map, Value};
use tool_runtime::budgets::Budget;
use tool_runtime::evidence::{EvidenceKeeper, EvidenceRequest, EvidenceVerdict, Vault};
use tool_runtime::http::{
    self, ApiKey, ApiKeySet, ApiKeys, Auth, HttpConfig, Principal, RateLimits, Server,
};
use tool_runtime::ledger::{JsonLinesLedger, Ledger};
use tool_runtime::policy::{KeyRing, Policy, RateLimit};
use tool_runtime::prelude::*;
use tool_runtime::schema::Coerce;
use tool_runtime::store::MemoryStore;

/// Where a thing is.
#[ai_type]
struct Place {
    /// Degrees to the north.
    #[arg(range(-90.0..=90.0))]
    latitude: f64,
    /// Degrees to the east.
    #[arg(range(-180.0..=180.0))]
    longitude: f64,
    /// What it lies in, from the inside out.
    #[arg(default)]
    within: Vec<Place>,
}

/// How a thing is told of.
#[ai_type]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Telling {
    /// In words.
    Words {
        /// The text.
        #[arg(length(1..=200))]
        text: String,
    },
    /// By sound.
    Sound {
        /// How long, in seconds.
        #[arg(range(1..=600))]
        seconds: u16,
    },
}

/// What was found.
#[ai_type]
struct Found {
    /// How many there are.
    total: u32,
    /// What was looked for.
    query: String,
}

/// Why nothing was done.
#[derive(Debug, ToolFailure)]
enum Refused {
    /// Nobody has this name.
    #[failure(NOT_FOUND, message = "nobody has this name")]
    Nobody,
    /// The register is closed today.
    #[failure(code = "REGISTER_CLOSED", type = FATAL, message = "the register is closed today")]
    Closed,
}

/// Searches what is told of the village.
#[ai_tool(effect = "read", category = "content", ttl = "60s", evidence)]
fn search_tales(
    /// Words to look for.
    #[arg(length(1..=80))]
    query: String,
    /// Most tales to return.
    #[arg(default = 10, range(1..=50))]
    limit: u32,
    /// Only tales that carry all of these tags.
    #[arg(default)]
    tags: Vec<String>,
) -> Found {
    let total = limit.min(3) + u32::try_from(tags.len()).unwrap_or(0).min(7);
    Found { total, query }
}

/// Describes a place, however it is told of.
#[ai_tool(effect = "read", category = "map", requires_auth = false)]
fn describe_place(
    /// Where.
    place: Place,
    /// How it is told of.
    #[arg(default)]
    telling: Option<Telling>,
    /// Names by language.
    #[arg(default)]
    names: BTreeMap<String, String>,
) -> Option<String> {
    let _ = (place.latitude + place.longitude, place.within, telling);
    names.into_values().next()
}

/// Looks a person up who is not there.
#[ai_tool(effect = "read", category = "people")]
fn find_person(
    /// Their name.
    #[arg(length(1..=40))]
    name: String,
) -> Result<String, Refused> {
    if name.len() > 20 { Err(Refused::Closed) } else { Err(Refused::Nobody) }
}

/// Writes a tale down, once somebody has agreed.
#[ai_tool(effect = "write", category = "content")]
fn write_tale(
    dry_run: &DryRun,
    /// Its title.
    #[arg(length(1..=80))]
    title: String,
    /// The word that opens the archive.
    #[arg(default, secret)]
    password: String,
) -> String {
    let _ = (dry_run.is_active(), password);
    title
}

/// Notes what a visitor does.
#[ai_tool(effect = "write", category = "events")]
fn log_event(
    dry_run: &DryRun,
    /// What they do.
    #[arg(length(1..=40))]
    event: String,
    /// When, in nanoseconds since 1970.
    #[arg(default)]
    at: i64,
    /// Who, by the number of their ticket.
    #[arg(default)]
    ticket: Option<u64>,
    /// How much they pay, in cents.
    #[arg(default)]
    cents: u32,
    /// Whatever else is known.
    #[arg(default)]
    more: Map<String, Value>,
) -> bool {
    let _ = (at, ticket, cents, more);
    !dry_run.is_active() && !event.is_empty()
}

/// Counts what is kept; no model is offered this.
#[ai_tool(effect = "read", category = "upkeep", ai_callable = false)]
fn count_tales() -> u32 {
    42
}

/// A guest, in a schema as other programs write them, with names that generators of clients have to
/// change.
const GUEST: &str = r##"{
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "required": ["account", "class"],
    "properties": {
        "account": {
            "description": "The account of the guest.",
            "type": "object",
            "required": ["userId", "user_id"],
            "properties": {
                "userId": {"description": "The name of the guest.", "type": "string"},
                "user_id": {"description": "The number of the guest.", "type": "integer", "minimum": 0, "maximum": 1000}
            }
        },
        "größe": {"description": "The height, in metres.", "type": "number", "minimum": 0, "maximum": 3},
        "class": {"description": "The class of the room.", "type": "string", "enum": ["first", "second"]},
        "model_config": {"description": "The form of the bed.", "type": "string"},
        "home": {
            "description": "The home of the guest.",
            "allOf": [{"$ref": "#/definitions/street"}, {"$ref": "#/definitions/town"}]
        }
    },
    "definitions": {
        "street": {
            "type": "object",
            "required": ["street"],
            "properties": {"street": {"description": "The street.", "type": "string"}}
        },
        "town": {
            "type": "object",
            "required": ["town"],
            "properties": {"town": {"description": "The town.", "type": "string"}}
        }
    }
}"##;

/// Returns a tool whose schemas are data; it answers with its arguments.
fn greet_guest() -> Result<DynamicTool, Box<dyn Error>> {
    let schema = || serde_json::from_str::<Value>(GUEST);
    Ok(DynamicTool::new("guests.greet", Effect::Read)
        .description("Greets a guest.")
        .category("people")
        .input_schema(schema()?)
        .output_schema(schema()?)
        .handler(|call: CallScope| async move {
            let guest: Value = call.parse()?;
            Ok::<_, Failure>(guest)
        }))
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("serve FOLDER");
        return ExitCode::FAILURE;
    };
    match serve(Path::new(&folder)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(folder: &Path) -> Result<(), Box<dyn Error>> {
    let (records, proofs) = (KeyRing::ephemeral()?, KeyRing::ephemeral()?);
    let ledger = Ledger::builder(records).open(JsonLinesLedger::open(folder.join("ledger"))?)?;
    let allow = |_: &EvidenceRequest<'_>| EvidenceVerdict::Allow;
    let keeper =
        EvidenceKeeper::new(Vault::new(MemoryStore::new(), proofs).with_authorizer(allow), &ledger);
    let vault = keeper.vault().clone();
    let tales = Budget::new("tales").per_day("20 calls").tools(["write_tale"]);
    let runtime = Runtime::builder()
        .policy(Policy::new().budget(tales))
        .discover()
        .dynamic(greet_guest()?)
        .permission("log_event", Permission::Allow)
        // Coercion is off, so that the server accepts only what the document's schemas admit.
        .coerce_reads(Coerce::Off)
        .ledger(&ledger)
        .evidence(keeper)
        .build()?;
    let config = HttpConfig::new(auth()?).ledger(&ledger).vault(&vault).four_eyes(false);
    // Each operation is tried with invalid credentials too.
    let failures = RateLimit::per_minute(1_000)?;
    let config = config.rates(RateLimits::new().failed_authentications(failures));
    let drain = config.drain();
    let app = axum::Router::new().nest("/api", http::router(runtime, config));
    let bound = Server::new(app, drain).bind("127.0.0.1:0").await?;
    println!("http://{}/api", bound.local_addr());
    bound.run(http::shutdown_signal()).await?;
    Ok(())
}

fn auth() -> Result<Auth, Box<dyn Error>> {
    let caller = Principal::trusted("tester");
    let Ok(key) = std::env::var("SERVE_KEY") else {
        return Ok(Auth::unauthenticated_as(caller));
    };
    let keys = ApiKeySet::new().with(ApiKey::new(key)?.hash(), caller)?;
    Ok(Auth::new().api_keys(&ApiKeys::new(keys)))
}
