//! The shutdown of the server while calls are running.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::sleep;

use super::client::Shared;
use super::request::{Call, Request};
use super::wire::Wire;
use super::{FAREWELL, GRACE};
use crate::http::process::ServerProcess;
use crate::rates::text;

/// The extra time for the process after the shutdown of its calls: to write its files.
const MARGIN: Duration = Duration::from_secs(3);

/// Stops the server by SIGTERM while calls are running, and returns its last line and the
/// duration.
///
/// # Errors
/// A call is not answered correctly, or the process does not exit in time or successfully.
pub(super) async fn farewell(
    server: ServerProcess,
    shared: &Arc<Shared>,
) -> Result<(String, Duration), String> {
    let mut answers = JoinSet::new();
    for request in last_calls(shared) {
        let wire = Wire::connect(server.port).await.map_err(text)?;
        answers.spawn(answered(wire, request));
    }
    // All calls start within this time, and the shortest of them runs longer.
    sleep(Duration::from_millis(200)).await;
    let asked = Instant::now();
    server.terminate()?;
    while let Some(answer) = answers.join_next().await {
        answer.map_err(text)??;
    }
    let ended = tokio::task::spawn_blocking(|| server.ended(GRACE + FAREWELL + MARGIN));
    let last = ended.await.map_err(text)??;
    Ok((last, asked.elapsed()))
}

/// Returns calls that end during the shutdown, and one that does not.
fn last_calls(shared: &Shared) -> Vec<Request> {
    let of = |tool, input: &str| Call::of(shared.number(), tool, input);
    let wait = || of("wait", r#"{"steps":20,"step_ms":30}"#);
    let note = of("note", r#"{"text":"the last","ms":600}"#);
    let key = Some("the-last-key".to_owned());
    vec![
        wait().answered(&[200]),
        wait().streaming().holding(r#""success":true"#),
        Call { key, ..note }.answered(&[200]),
        of("compute", r#"{"ms":600}"#).answered(&[200]),
        of("wait", r#"{"steps":25,"step_ms":1000}"#).failing(&[503], "CANCELLED"),
    ]
}

async fn answered(mut wire: Wire, request: Request) -> Result<(), String> {
    let said = |error: &dyn std::fmt::Display| format!("a call at the end: {error}");
    wire.send(&request.bytes).await.map_err(|error| said(&error))?;
    let answer = wire.answer().await.map_err(|error| said(&error))?;
    request.expected.judge(&answer).map_err(|wrong| said(&format!("{wrong:?}")))
}
