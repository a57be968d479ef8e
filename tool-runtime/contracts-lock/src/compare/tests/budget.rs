//! The work of a comparison has a bound.

use serde_json::{Value, json};
use tool_runtime_schema::test_cost;

use super::super::{Compatibility, SchemaReader, compare, compare_without_counterexamples};

/// Definitions that apply the next one several times.
fn fan(keyword: &str, levels: usize, last: u32) -> Value {
    let definition = |level: usize| {
        let next = |at: usize| {
            let next = json!({"$ref": format!("#/$defs/L{}", level + 1)});
            json!({"allOf": [next], "properties": {format!("p{at}"): {"maximum": level}}})
        };
        let schema = match keyword {
            "if" => json!({"if": next(0), "then": next(1), "else": next(2)}),
            keyword => json!({ keyword: [next(0), next(1), next(2)] }),
        };
        (format!("L{level}"), schema)
    };
    let mut named: serde_json::Map<_, _> = (0..levels).map(definition).collect();
    named.insert(format!("L{levels}"), json!({"properties": {"n": {"maximum": last}}}));
    json!({"$ref": "#/$defs/L0", "$defs": named})
}

#[test]
fn a_comparison_that_takes_too_many_steps_is_undecided() {
    for keyword in ["anyOf", "allOf", "oneOf", "if"] {
        for levels in [8, 16] {
            let (before, after) = (fan(keyword, levels, 9), fan(keyword, levels, 5));
            let work = || compare_without_counterexamples(&before, &after, SchemaReader::Callee);
            let (changes, steps) = test_cost::measure(work);
            assert!(steps < 2_000_000, "{keyword} {levels}: {steps}");
            let is_breaking = |change: &super::super::SchemaChange| {
                change.compatibility() == Compatibility::Breaking
            };
            assert!(changes.iter().any(is_breaking), "{keyword} {levels}: {changes:?}");
        }
    }
    let changes = compare(&fan("anyOf", 16, 9), &fan("anyOf", 16, 12), SchemaReader::Callee);
    assert!(!changes.is_empty());
}

#[test]
fn many_branches_are_paired_in_time_that_is_proportional_to_their_number() {
    let union = |count: usize, most: u32| {
        let branch = |at: usize| {
            json!({"type": "object", "required": ["kind"],
                "properties": {"kind": {"const": format!("k{at}")}, "n": {"maximum": most}}})
        };
        json!({"oneOf": (0..count).map(branch).collect::<Vec<_>>()})
    };
    let steps = |count: usize| {
        let (before, after) = (union(count, 9), union(count, 5));
        test_cost::measure(|| {
            compare_without_counterexamples(&before, &after, SchemaReader::Callee)
        })
        .1
    };
    assert!(steps(1_024) < 500_000, "{}", steps(1_024));
}
