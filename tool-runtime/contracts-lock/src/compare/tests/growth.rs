//! A comparison takes steps that are proportional to the size of the schemas.

use serde_json::{Value, json};
use tool_runtime_schema::test_cost;

use super::super::{Compatibility, SchemaReader, compare};

/// In both readings, twice the size takes at most about twice the steps.
#[track_caller]
fn check(what: &str, schemas: &dyn Fn(usize) -> (Value, Value)) {
    for reader in [SchemaReader::Callee, SchemaReader::Caller] {
        let [few, many] = [400, 800].map(|count| {
            let (before, after) = schemas(count);
            test_cost::measure(|| compare(&before, &after, reader)).1
        });
        assert!(many <= few * 5 / 2, "{what}: {few} steps become {many}");
    }
}

fn texts(name: &str, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("{name}{at}")).collect()
}

#[test]
fn long_lists_are_compared_value_by_value_only_once() {
    check("the same values in another order", &|count| {
        let reversed: Vec<_> = texts("v", count).into_iter().rev().collect();
        (json!({"enum": texts("v", count)}), json!({"enum": reversed}))
    });
    check("other values", &|count| {
        (json!({"enum": texts("v", count)}), json!({"enum": texts("w", count)}))
    });
    check("one value more", &|count| {
        (json!({"enum": texts("v", count)}), json!({"enum": texts("v", count + 1)}))
    });
    check("numbers", &|count| {
        let numbers = |from: usize| (from..from + count).collect::<Vec<_>>();
        (json!({"enum": numbers(0)}), json!({"enum": numbers(1)}))
    });
}

#[test]
fn long_lists_in_parts_are_compared_value_by_value_only_once() {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        check(&format!("{keyword} beside a list"), &|count| {
            let with = |last: &str| {
                json!({"enum": texts("v", count),
                    keyword: [{"enum": texts("v", count + 1)}, {"enum": [last]}]})
            };
            (with("v1"), with("v2"))
        });
        check(&format!("{keyword} of constants"), &|count| {
            let constants = |name: &str| {
                let texts = texts(name, count).into_iter();
                json!({keyword: texts.map(|text| json!({"const": text})).collect::<Vec<_>>()})
            };
            (constants("v"), constants("w"))
        });
        check(&format!("{keyword} of properties with one list"), &|count| {
            let with = |most: u32| {
                let part = |at: usize| json!({"properties": {format!("p{at}"): {"maximum": most}}});
                json!({"enum": texts("v", count), keyword: (0..20).map(part).collect::<Vec<_>>()})
            };
            (with(5), with(9))
        });
    }
    check("an array as a value", &|count| {
        let with = |name: &str| json!({"const": texts(name, count), "uniqueItems": true});
        (with("v"), with("w"))
    });
}

#[test]
fn values_are_the_same_by_value() {
    let before = json!({"enum": [1, {"a": 1, "b": [2]}, -0.0, 1e3]});
    let after = json!({"enum": [1.0, {"b": [2.0], "a": 1.00}, 0, 1000]});
    let changes = compare(&before, &after, SchemaReader::Callee);
    assert!(
        changes.iter().all(|change| change.compatibility() != Compatibility::Breaking),
        "{changes:?}"
    );
}
