//! Decisions over HTTP are reported to the receivers of events, under the decider's name.

use std::time::Duration;

use serde_json::{Value, json};
use tool_runtime::policy::{EventReceiver, Policy};

use super::{ApprovalServer, open};

/// Takes the events that wait for their delivery.
async fn events(server: &ApprovalServer) -> Vec<Value> {
    let events = server.runtime.events();
    let leased = events.lease("queue", Duration::from_secs(1), 10).await.unwrap();
    for event in &leased {
        assert!(events.delivered(event).await.unwrap());
    }
    leased.iter().map(|event| serde_json::from_str(&event.body).unwrap()).collect()
}

#[tokio::test]
async fn a_decision_is_reported_under_the_name_of_the_decider() {
    let policy = Policy::new().event_receiver(EventReceiver::new("queue"));
    let server = ApprovalServer::with(open(), policy);
    for (decision, expected) in [
        (json!({"decision": "approve"}), json!({"decision": "approved"})),
        (
            json!({"decision": "edit", "arguments": {"cents": 7}}),
            json!({"decision": "approved", "edited": true}),
        ),
        (json!({"decision": "decline", "feedback": "no"}), json!({"decision": "declined"})),
    ] {
        let ticket = server.ask(&json!({"cents": 5})).await;
        let requested = events(&server).await;
        assert_eq!(requested.len(), 1, "{requested:?}");
        assert_eq!(requested[0]["type"], "approval.requested");
        assert_eq!(requested[0]["data"]["ticket_id"], *ticket);
        assert_eq!(server.decide("boss", &ticket, decision).await.status, 200);
        let decided = events(&server).await;
        assert_eq!(decided.len(), 1, "{decided:?}");
        let data = &decided[0]["data"];
        assert_eq!(
            (&decided[0]["type"], &data["ticket_id"]),
            (&json!("approval.decided"), &json!(ticket))
        );
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&data[field], value, "{data}");
        }
        let name = data["decided_by"].as_str().unwrap();
        assert!(name.contains("boss"), "{name}");
    }
}
