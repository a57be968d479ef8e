//! Closures as tools.

use serde_json::{Map, Value, json};
use tool_runtime::FailureCode;
use tool_runtime::contracts::{Effect, ErrorCode};
use tool_runtime::prelude::*;

use super::{executor, run};

fn failing(_: Map<String, Value>) -> Result<(), Failure> {
    Err(Failure::new(FailureCode::standard(ErrorCode::Unavailable))
        .with_message("closed on Monday"))
}

#[tokio::test]
async fn closures_take_any_map_and_return_anything() {
    let sum = DynamicTool::from_fn("sum", Effect::Read, "Adds numbers.", |parameters| {
        Ok::<_, Failure>(parameters.values().filter_map(Value::as_i64).sum::<i64>())
    });
    let echo = DynamicTool::from_async_fn("echo", Effect::Read, "Repeats.", |parameters| async {
        tokio::task::yield_now().await;
        Ok::<_, Failure>(parameters)
    });
    let closed = DynamicTool::from_fn("closed", Effect::Read, "Is closed.", failing);
    let builder = Runtime::builder().dynamic(sum).dynamic(echo).dynamic(closed);
    let executor = executor(builder.build().unwrap());

    let result = run(&executor, "sum", "sum", json!({"a": 1, "b": 41, "c": "text"})).await.unwrap();
    assert_eq!(result.data().get(), "42");
    let parameters = json!({"nested": {"deep": [1, null]}});
    let result = run(&executor, "echo", "echo", parameters.clone()).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(result.data().get()).unwrap(), parameters);
    let result = run(&executor, "closed", "closed", json!({})).await.unwrap();
    assert_eq!((result.success(), result.error()), (false, Some("closed on Monday")));
}
