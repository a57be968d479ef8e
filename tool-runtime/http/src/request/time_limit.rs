//! Bounds the work of a request by its time limit and the shutdown of the server.

use std::future::Future;
use std::time::Duration;

use tool_contracts::ErrorCode;

use crate::problem::Problem;
use crate::state::app::App;

/// Runs work with the time limit of a request; stops when the server shuts down.
pub(crate) async fn within_time_limit<T>(
    app: &App,
    work: impl Future<Output = Result<T, Problem>>,
) -> Result<T, Problem> {
    let limit = app.config.limits.request_timeout;
    tokio::select! {
        biased;
        done = work => done,
        () = tokio::time::sleep(limit) => Err(too_long(limit)),
        () = app.config.drain.finished() => Err(Problem::draining()),
    }
}

fn too_long(limit: Duration) -> Problem {
    let limit = limit.as_millis();
    let message = format!("the request exceeded its time limit of {limit} ms");
    Problem::from_code(ErrorCode::Timeout, message)
}
