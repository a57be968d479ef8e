//! Random runs: no approval is lost, none runs twice, and each thread ends.

use serde_json::{Value, json};

use super::support::{Fixture, payment, resolved};

/// A sequence of numbers that looks random and is the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

#[tokio::test]
async fn no_approval_is_lost_beside_calls_of_the_client() {
    let mut numbers = Numbers(20_261_130);
    for case in 0..150 {
        let mut fixture = Fixture::new();
        let mut ids = Vec::new();
        let turns = (0..=numbers.below(3)).map(|turn| {
            let calls = (0..=numbers.below(4)).map(|position| match numbers.below(3) {
                0 => json!(["add", {"a": turn, "b": position}]),
                1 => json!(["choose", {"of": position.to_string()}]),
                _ => {
                    ids.push(format!("{case}-{turn}-{position}"));
                    payment(ids.last().unwrap())
                }
            });
            json!({"calls": calls.collect::<Vec<_>>()})
        });
        let plan: Vec<Value> = turns.collect();
        let mut approved = Vec::new();
        let mut decided = 0;
        let mut events = fixture.ask(json!(plan)).await;
        let mut inputs = 0;
        while events.text() != "done" {
            inputs += 1;
            assert!(inputs < 200, "case {case} does not end: {events:?}");
            let mut resume = Vec::new();
            for interrupt in events.interrupts() {
                let id = interrupt["metadata"]["arguments"]["id"].as_str().unwrap().to_owned();
                match numbers.below(3) {
                    0 => {}
                    1 => {
                        approved.push(id);
                        resume.push(resolved(&interrupt, json!({"approved": true})));
                    }
                    _ => resume.push(resolved(&interrupt, json!({"approved": false}))),
                }
            }
            decided += resume.len();
            let is_answered = |id: &str, messages: &[Value]| {
                messages.iter().any(|message| message["toolCallId"] == id)
            };
            for call in fixture.unanswered("choose") {
                if numbers.below(2) == 0 && !is_answered(&call, &fixture.messages) {
                    fixture.client_result(&call, "green");
                }
            }
            events = fixture.send(json!(resume)).await;
        }
        assert_eq!(decided, ids.len(), "each payment was an interrupt, and was decided");
        for id in &ids {
            assert_eq!(
                fixture.paid.times(id),
                u32::from(approved.contains(id)),
                "case {case}: {id}"
            );
        }
    }
}

impl Fixture {
    /// Returns the ids of the calls of a tool that have no answer.
    fn unanswered(&self, tool: &str) -> Vec<String> {
        let calls = self.messages.iter().filter_map(|message| message["toolCalls"].as_array());
        let of_tool = calls.flatten().filter(|call| call["function"]["name"] == tool);
        let ids = of_tool.map(|call| call["id"].as_str().unwrap().to_owned());
        ids.filter(|id| !self.messages.iter().any(|it| it["toolCallId"] == **id)).collect()
    }
}
