//! The precedence of rules, and rules with which a runtime cannot be built.

use std::time::Duration;

use tool_runtime::policy::{Policy, RetryConfig, ToolPolicy};
use tool_runtime::prelude::*;
use tool_runtime::{BuildProblem, RuntimeBuilder};

use super::script::{Script, builder, busy, call, jane};

fn attempts(max_attempts: u32) -> ToolPolicy {
    ToolPolicy::new().retry(RetryConfig::new(max_attempts, 1.0, 10).expect("attempts"))
}

/// A shop whose door sticks.
struct Shop(std::sync::Arc<Script>);

/// A shop.
#[ai_toolkit]
impl Shop {
    /// Enters.
    #[ai_tool(effect = "read")]
    async fn enter(&self) -> Result<u32, super::script::ScriptedError> {
        self.0.act().await
    }

    /// Leaves.
    #[ai_tool(effect = "read")]
    async fn leave(&self) -> Result<u32, super::script::ScriptedError> {
        self.0.act().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_tools_rules_win_over_its_toolkits_and_those_over_all() {
    let script = Script::quick(|_| busy());
    // Rules that the narrower ones do not set are inherited.
    let policy = Policy::new()
        .rules(attempts(4).max_output_bytes(256))
        .rules_for("shop", attempts(2).max_concurrent(8))
        .rules_for("shop.enter", attempts(5))
        .rules_for("look", ToolPolicy::new().max_concurrent(8));
    let runtime = builder(&script).toolkit(Shop(script.clone())).policy(policy).build().unwrap();
    for (tool, runs) in [("shop.enter", 5), ("shop.leave", 2), ("peek", 4), ("look", 4)] {
        let before = script.runs();
        call(&runtime, tool, &jane()).await;
        assert_eq!(script.runs() - before, runs, "{tool}");
    }
}

fn tools() -> RuntimeBuilder {
    builder(&Script::quick(Ok))
}

#[track_caller]
fn refused(policy: Policy) -> Vec<String> {
    let error = tools().policy(policy).build().expect_err("it is out of place");
    error.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn rules_for_an_unknown_tool_are_a_problem() {
    let policy =
        Policy::new().rules_for("pekk", ToolPolicy::new()).rules_for("shop", ToolPolicy::new());
    assert_eq!(
        refused(policy),
        [
            "rules are set for `pekk`, which is neither a tool nor a toolkit of this runtime",
            "rules are set for `shop`, which is neither a tool nor a toolkit of this runtime",
        ]
    );
}

#[test]
fn settings_out_of_their_range_are_problems() {
    let day = Duration::from_secs(24 * 60 * 60);
    let cases = [
        (
            ToolPolicy::new().retention(Duration::from_millis(86_399_999)),
            "`retention` is 86400s to 315619200s, not 86399.999s",
        ),
        (
            ToolPolicy::new().retention(day * 3_654),
            "`retention` is 86400s to 315619200s, not 315705600s",
        ),
        (ToolPolicy::new().lease(Duration::from_millis(99)), "`lease` is 100ms to 3600s, not 99ms"),
        (
            ToolPolicy::new().lease(Duration::from_secs(3_601)),
            "`lease` is 100ms to 3600s, not 3601s",
        ),
        (ToolPolicy::new().max_concurrent(0), "`max_concurrent` is 1 to 1000000, not 0"),
        (
            ToolPolicy::new().max_concurrent(1_000_001),
            "`max_concurrent` is 1 to 1000000, not 1000001",
        ),
        (ToolPolicy::new().max_queue(1_000_001), "`max_queue` is 0 to 1000000, not 1000001"),
        (
            ToolPolicy::new().max_output_bytes(255),
            "`max_output_bytes` is 256 to 1073741824, not 255",
        ),
    ];
    for (rules, message) in cases {
        assert_eq!(refused(Policy::new().rules(rules.clone())), [message], "for all");
        assert_eq!(refused(Policy::new().rules_for("peek", rules)), [message], "for one");
    }
    let cases = [
        (
            Policy::new().ticket_lifetime(Duration::ZERO),
            "`ticket_lifetime` is 1s to 315619200s, not 0ns",
        ),
        (
            Policy::new().ticket_lifetime(day * 3_654),
            "`ticket_lifetime` is 1s to 315619200s, not 315705600s",
        ),
        (
            Policy::new().output_lifetime(Duration::ZERO),
            "`output_lifetime` is 1s to 315619200s, not 0ns",
        ),
        (Policy::new().max_in_flight(0), "`max_in_flight` is 1 to 1000000, not 0"),
        (Policy::new().max_in_flight(1_000_001), "`max_in_flight` is 1 to 1000000, not 1000001"),
        (Policy::new().max_queue(1_000_001), "`max_queue` is 0 to 1000000, not 1000001"),
    ];
    for (policy, message) in cases {
        assert_eq!(refused(policy), [message]);
    }
}

#[test]
fn a_rule_at_the_edge_of_its_range_is_valid() {
    let day = Duration::from_secs(24 * 60 * 60);
    for rules in [
        ToolPolicy::new().retention(day).lease(Duration::from_millis(100)),
        ToolPolicy::new().max_concurrent(1).max_queue(0).max_output_bytes(256),
    ] {
        let policy = Policy::new().rules(rules).max_in_flight(1).max_queue(0).cache_bytes(0);
        tools().policy(policy.correction_budget(0)).build().expect("all is in range");
    }
}

#[test]
fn every_problem_is_reported_at_once() {
    let policy = Policy::new()
        .rules(ToolPolicy::new().max_concurrent(0).lease(Duration::ZERO))
        .rules_for("nobody", ToolPolicy::new().max_output_bytes(1))
        .max_in_flight(0);
    let error = tools().permission("nothing", Permission::Deny).policy(policy).build();
    let error = error.expect_err("much is out of place");
    let kinds: Vec<_> = error
        .problems()
        .iter()
        .map(|problem| match problem {
            BuildProblem::UnknownPermission { name, .. } => format!("permission {name}"),
            BuildProblem::UnknownRules { name, .. } => format!("rules {name}"),
            BuildProblem::OutOfRange { setting, .. }
            | BuildProblem::TimeOutOfRange { setting, .. } => (*setting).to_owned(),
            other => other.to_string(),
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "permission nothing",
            "rules nobody",
            "max_output_bytes",
            "lease",
            "max_concurrent",
            "max_in_flight"
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn rules_of_a_toolkit_hold_for_a_tool_whose_own_name_has_a_dot() {
    /// A market.
    struct Market(std::sync::Arc<Script>);

    /// A market.
    #[ai_toolkit]
    impl Market {
        /// Enters a stall.
        #[ai_tool(effect = "read", name = "stall.enter")]
        async fn enter(&self) -> Result<u32, super::script::ScriptedError> {
            self.0.act().await
        }
    }

    let script = Script::quick(|_| busy());
    let policy = Policy::new().rules(attempts(4)).rules_for("market", attempts(2));
    let runtime = builder(&script).toolkit(Market(script.clone())).policy(policy).build().unwrap();
    call(&runtime, "market.stall.enter", &jane()).await;
    assert_eq!(script.runs(), 2);
}
