//! A server of this library as a remote one: what it says of a failed call holds here too.

use serde_json::{Value, json};
use tool_runtime::mcp::{self, Remote, RemoteProtocol};
use tool_runtime::prelude::*;

use super::{ERAS, answer, runtime};

/// Sends an order.
#[ai_tool(effect = "write")]
fn order(dry_run: &DryRun) -> String {
    format!("ordered: {}", !dry_run.is_active())
}

#[derive(Debug, ToolFailure)]
enum Broken {
    #[failure(CONFLICT, message = "another one has the cup")]
    Taken,
    #[failure(code = "OUT_OF_TEA", type = FATAL, message = "there is no tea")]
    OutOfTea,
}

/// Pours a cup.
#[ai_tool(effect = "write")]
fn pour(
    /// The name of the cup.
    cup: String,
    dry_run: &DryRun,
) -> Result<String, Broken> {
    match &*cup {
        "taken" => Err(Broken::Taken),
        "empty" => Err(Broken::OutOfTea),
        "broken" => panic!("{}", dry_run.is_active()),
        _ => Ok(cup),
    }
}

async fn connect(runtime: &Runtime, protocol: RemoteProtocol) -> Remote {
    let server = Runtime::builder().tool::<OrderTool>().tool::<PourTool>();
    let server = server.permission("pour", Permission::Allow).build().unwrap();
    let builder = super::remote(move || {
        let (here, there) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(there);
        tokio::spawn(mcp::stdio(server.clone()).serve_on(input, output));
        here
    });
    let builder = builder.effect("order", Effect::Write).effect("pour", Effect::Write);
    builder.protocol(protocol).connect(runtime).await.unwrap()
}

#[tokio::test]
async fn a_failed_call_has_the_code_and_the_effect_that_the_server_says() {
    for protocol in ERAS {
        let runtime = runtime();
        let _remote = connect(&runtime, protocol).await;
        let failed = async |tool: &str, arguments: &str| {
            let error = answer(&runtime, tool, arguments).await["error"].clone();
            let details = &error["details"];
            let upstream = details["upstream_code"].clone();
            (error["code"].clone(), upstream, details["effect"].clone(), error["message"].clone())
        };
        let (code, upstream, effect, message) = failed("far.order", "{}").await;
        assert_eq!((code, upstream), (json!("FORBIDDEN"), json!("NEEDS_USER_CONFIRMATION")));
        assert_eq!(effect, "none", "{protocol:?}: it has not run");
        assert!(message.as_str().unwrap().contains("confirm"), "{message}");

        let (code, upstream, _, message) = failed("far.pour", r#"{"cup":"taken"}"#).await;
        assert_eq!((code, upstream), (json!("CONFLICT"), Value::Null), "{message}");
        let (code, upstream, effect, _) = failed("far.pour", r#"{"cup":"empty"}"#).await;
        assert_eq!((code, upstream), (json!("UPSTREAM_ERROR"), json!("OUT_OF_TEA")));
        assert_eq!(effect, "none", "{protocol:?}: its type says so");
        let (code, upstream, effect, _) = failed("far.pour", r#"{"cup":"broken"}"#).await;
        assert_eq!((code, upstream), (json!("UPSTREAM_ERROR"), json!("INTERNAL")));
        assert_eq!(effect, "unknown", "{protocol:?}: it may have run");
    }
}
