//! Serves a tool on 127.0.0.1:8000, and exports its spans and metrics by OTLP.
//!
//! `cargo run -p otlp-example` sends to `OTEL_EXPORTER_OTLP_ENDPOINT`, or to a collector on
//! localhost:4318.

use std::env;
use std::error::Error;

use otlp_example::Telemetry;
use tool_runtime::http::{self, Auth, HttpConfig, Principal, Server};

fn main() -> Result<(), Box<dyn Error>> {
    tool_runtime::quiet_tool_panics();
    let collector = env::var("OTEL_EXPORTER_OTLP_ENDPOINT");
    let telemetry = Telemetry::start(collector.as_deref().unwrap_or("http://localhost:4318"))?;
    tracing::subscriber::set_global_default(telemetry.subscriber())?;
    let served = serve(&telemetry);
    // After the server has ended, so that its last calls are exported, and outside of its tasks,
    // since it blocks.
    telemetry.shut_down()?;
    served
}

#[tokio::main]
async fn serve(telemetry: &Telemetry) -> Result<(), Box<dyn Error>> {
    let auth = Auth::unauthenticated_as(Principal::trusted("laptop"));
    let config = HttpConfig::new(auth).without_tenants();
    let drain = config.drain();
    let server = Server::new(http::router(telemetry.runtime()?, config), drain);
    let bound = server.bind("127.0.0.1:8000").await?;
    println!("listening on http://{}", bound.local_addr());
    bound.run(http::shutdown_signal()).await?;
    Ok(())
}
