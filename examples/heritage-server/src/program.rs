//! The program: it opens the guide, prints how to use it, and serves it.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use axum::Router;
use tool_runtime::console::Console;
use tool_runtime::http::{
    self, Auth, HttpConfig, Jwks, JwtVerifier, Principal, RateLimits, Server, shutdown_signal,
};
use tool_runtime::policy::RateLimit;
use tool_runtime::store::{PostgresStore, RowCounts, SqliteStore};

use crate::Options;
use crate::files::Files;
use crate::guide::Guide;
use crate::host::Host;
use crate::keys;

/// Serves the guide until SIGINT or SIGTERM.
///
/// Messages go to standard error; standard output has a line of JSON per call.
///
/// # Errors
/// The options contradict each other, or the data folder, the database or the address cannot be
/// used.
pub async fn run(options: Options) -> Result<(), Box<dyn Error>> {
    if let Some(name) = &options.new_key {
        println!("{}", keys::made(name)?);
        return Ok(());
    }
    if let (Some(file), Some(url)) = (&options.import, &options.store) {
        return import(file, url).await;
    }
    if options.stdio {
        return crate::protocol::serve_streams(&options).await;
    }
    let auth = auth(&options)?;
    let files = Files::open(&options)?;
    let database = options.database.clone().unwrap_or_else(|| files.guide());
    let guide = Guide::open(&database).await?;
    let tables = guide.clone();
    let host = Host::start(guide, &files, &options, io::stdout()).await?;
    let config = HttpConfig::new(auth).ledger(&host.ledger).vault(&host.vault).ready_check(
        "tables",
        move || {
            let tables = tables.clone();
            async move { tables.is_there().await }
        },
    );
    let failures = RateLimit::per_minute(options.invalid_credentials_per_minute)?;
    let config = config.rates(RateLimits::new().failed_authentications(failures));
    let config = match host.shared_store.clone() {
        None => config,
        Some(store) => config.ready_check("store", move || {
            let store = store.clone();
            async move { store.ping().await }
        }),
    };
    let config = if options.mcp { config.mcp(crate::protocol::config()?) } else { config };
    let drain = config.drain();
    let api = http::router(host.runtime.clone(), config);
    let mut app = Router::new().nest("/api", api.clone());
    if options.console {
        app = app.nest("/console", Console::new(api, files.keys()?).router());
    }
    let server = Server::new(app, drain).bind(options.listen).await?;
    eprintln!("{}", greeting(server.local_addr(), &options, &files));
    let ended = server.run(shutdown_signal()).await?;
    eprintln!("ended after {} connections", ended.connections);
    host.close().await
}

/// Copies the runtime's file of an earlier data folder into a shared store.
async fn import(file: &Path, url: &str) -> Result<(), Box<dyn Error>> {
    let export = SqliteStore::options().export(file)?;
    let rows = export.counts.total();
    if rows == 0 {
        return Err(format!("{} has no rows to copy: is it runtime.db?", file.display()).into());
    }
    let store = PostgresStore::connect(url).await?;
    let progress = |copied: &RowCounts| eprint!("\r{} of {rows} rows", copied.total());
    let copied = store.import(export, progress).await;
    eprintln!();
    println!("copied and compared: {}", copied?);
    Ok(())
}

/// Admits callers with a key or a token; if neither is configured, only callers on this machine.
fn auth(options: &Options) -> Result<Auth, Box<dyn Error>> {
    if options.api_keys.is_none() && options.jwks.is_none() {
        return if options.listen.ip().is_loopback() {
            Ok(Auth::unauthenticated_as(Principal::trusted("this-machine")))
        } else {
            Err(Open(options.listen).into())
        };
    }
    let mut auth = Auth::new();
    if let Some(file) = &options.api_keys {
        auth = auth.api_keys(&keys::read(file)?);
    }
    if let Some(source) = &options.jwks {
        auth = auth.jwt(verifier(source, options)?);
    }
    Ok(auth)
}

/// Checks tokens by the keys of a file, or of a URL.
fn verifier(source: &str, options: &Options) -> Result<JwtVerifier, Box<dyn Error>> {
    let is_url = ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme));
    let keys = if is_url { Jwks::url(source)? } else { Jwks::file(source) };
    let named = |name: &Option<String>| name.clone().unwrap_or_default();
    Ok(JwtVerifier::new(keys, named(&options.issuer), named(&options.audience))?)
}

/// The error of a network address without authentication.
#[derive(Debug, thiserror::Error)]
#[error(
    "{0} accepts connections from other machines, and callers would not be authenticated: \
     name a file of keys with --api-keys, or a key set of tokens with --jwks, or listen on 127.0.0.1"
)]
struct Open(SocketAddr);

/// Returns the address, the files, and the next steps.
fn greeting(address: SocketAddr, options: &Options, files: &Files) -> String {
    let tables = match &options.database {
        None => files.guide(),
        // A URL of PostgreSQL may contain a password.
        Some(url) if url.starts_with("sqlite:") => url.clone(),
        Some(_) => "in PostgreSQL, as --database says".to_owned(),
    };
    let key = " \\\n    -H \"X-Internal-API-Key: $KEY\"";
    let token = " \\\n    -H \"Authorization: Bearer $TOKEN\"";
    let (callers, proof) = match (&options.api_keys, &options.jwks) {
        (Some(file), None) => (format!("with a key of {}", file.display()), key),
        (None, Some(set)) => (format!("with a token by a key of {set}"), token),
        (Some(file), Some(set)) => {
            (format!("with a key of {}, or a token by a key of {set}", file.display()), key)
        }
        (None, None) => ("all on this machine; --api-keys FILE asks for keys".to_owned(), ""),
    };
    let shared = "in PostgreSQL, as --store says";
    let (store, record) = match &options.store {
        None => (
            files.runtime().display().to_string(),
            format!("{}, table trace_ledger", files.ledger().display()),
        ),
        Some(_) => (shared.to_owned(), shared.to_owned()),
    };
    let protocol = if options.mcp {
        format!("http://{address}/api/mcp")
    } else {
        "off; --mcp serves it too".to_owned()
    };
    let console = if options.console {
        format!("http://{address}/console")
    } else {
        "off; --console serves pages for approvers".to_owned()
    };
    format!(
        "the guide of 严田古村 listens on http://{address}/api
  tables   {tables}
  store    {store}
  record   {record}
  callers  {callers}
  mcp      {protocol}
  console  {console}
  log      a line of JSON a call, on standard output

try, in another terminal:
  curl -X POST http://{address}/api/tools/call -H 'Content-Type: application/json' \\
    -H 'X-Tenant-ID: yantian' -H 'X-Site-ID: yantian-main' -H 'X-Trace-ID: trace-1'{proof} \\
    -d '{{\"tool_name\": \"search_content\", \"input\": {{\"query\": \"严氏家训\", \"limit\": 1}}}}'

examples/heritage-server/README.md has more. Ctrl-C ends it, once what runs has ended."
    )
}
