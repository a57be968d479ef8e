use axum::http::header::RETRY_AFTER;
use http_body_util::BodyExt as _;

use super::*;

fn answered(problem: Problem) -> Response {
    problem.into_response()
}

async fn body(problem: Problem) -> Value {
    let body = answered(problem).into_body().collect().await.expect("it is whole").to_bytes();
    serde_json::from_slice(&body).expect("it is JSON")
}

#[tokio::test]
async fn a_problem_has_the_body_of_a_failed_call() {
    let problem = Problem {
        trace_id: Some("trace-1".into()),
        tool_name: Some("add".into()),
        ..Problem::forbidden("not this one").with_detail("reason", "scope")
    };
    let mut body = body(problem).await;
    body["audit"]["latency_ms"].take();
    let expected = serde_json::json!({
        "success": false,
        "error": "not this one",
        "error_type": "FORBIDDEN",
        "detail": {
            "type": "FATAL",
            "message": "not this one",
            "code": "FORBIDDEN",
            "details": { "reason": "scope" },
        },
        "audit": {
            "trace_id": "trace-1",
            "tool_name": "add",
            "status": "error",
            "latency_ms": null,
            "request_payload_hash":
                "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "error_type": "FORBIDDEN",
            "error_message": "not this one",
        },
    });
    assert_eq!(body, expected);
}

#[test]
fn a_problem_has_the_status_of_its_code() {
    assert_eq!(Problem::unauthorized("no").status, StatusCode::UNAUTHORIZED);
    assert_eq!(Problem::forbidden("no").status, StatusCode::FORBIDDEN);
    assert_eq!(Problem::draining().status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(Problem::internal().status, StatusCode::INTERNAL_SERVER_ERROR);
}

#[tokio::test]
async fn a_problem_says_when_to_try_again() {
    let problem = Problem {
        retry_after: Some(Duration::from_millis(1_500)),
        ..Problem::from_code(ErrorCode::RateLimited, "too many")
    };
    assert_eq!(answered(problem.clone()).headers()[RETRY_AFTER], "2");
    assert_eq!(body(problem).await["detail"]["retry_after_ms"], 1_500);
}
