//! Every rule with a location, and a value that shows the change.

#![allow(clippy::needless_pass_by_value, reason = "schemas are written where they are used")]

mod annotations;
mod arrays;
mod choices;
mod documents;
mod names;
mod numbers;
mod objects;
mod strings;
mod values;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tool_runtime_schema::Limits;
use tool_runtime_schema::schema::{Coerce, Validator};

use self::Case::{Both, Narrowed, Unproven, Widened};
use crate::compare::{ComparedVersion, Compatibility, SchemaChange, SchemaReader, compare};

/// Expected effect of a change.
enum Case {
    /// The same values are valid.
    Same,
    /// The same values are valid, and are handled differently.
    HandledDifferently,
    /// The same values are valid, and an omitted one has another default.
    DefaultChanged,
    /// The same values are valid, and budgets count what they say now.
    SpendingAdded,
    /// The same values are valid, and budgets count them no longer.
    SpendingRemoved,
    /// The same values are valid, and budgets count other amounts.
    SpendingChanged,
    /// Calls may use another name now.
    AliasAdded,
    /// Calls may no longer use a name.
    AliasRemoved,
    /// This value is valid now.
    Widened(Value),
    /// This value is no longer valid.
    Narrowed(Value),
    /// The first value is valid now, the second no longer.
    Both(Value, Value),
    /// A reader that parses the value now rejects some values, which no validator detects.
    Stricter,
    /// A reader that parses the value now accepts more values.
    Laxer,
    /// This value is no longer valid, and further effects are undecided.
    Unproven(Value),
    /// Undecided: breaking for both readers.
    Undecided,
}

struct Row {
    name: &'static str,
    before: Value,
    after: Value,
    case: Case,
    /// `rule pointer` of every change; `rule pointer before` where the pointer refers to the old
    /// schema.
    rules: Vec<&'static str>,
}

fn row(
    name: &'static str,
    before: Value,
    after: Value,
    case: Case,
    rules: impl IntoIterator<Item = &'static str>,
) -> Row {
    Row { name, before, after, case, rules: rules.into_iter().collect() }
}

impl Case {
    fn classes(&self) -> (Compatibility, Compatibility) {
        use Compatibility::{Breaking, Compatible, None};
        match self {
            Self::Same => (None, None),
            Self::HandledDifferently | Self::SpendingAdded => (Compatible, Compatible),
            Self::DefaultChanged | Self::AliasAdded => (Compatible, None),
            Self::AliasRemoved => (Breaking, None),
            Self::Widened(_) | Self::Laxer => (Compatible, Breaking),
            Self::Narrowed(_) | Self::Stricter => (Breaking, Compatible),
            Self::Both(..)
            | Self::Unproven(_)
            | Self::Undecided
            | Self::SpendingRemoved
            | Self::SpendingChanged => (Breaking, Breaking),
        }
    }

    fn reversed(&self) -> (Compatibility, Compatibility) {
        let classes = self.classes();
        if matches!(self, Self::AliasAdded) {
            Self::AliasRemoved.classes()
        } else if matches!(self, Self::AliasRemoved) {
            Self::AliasAdded.classes()
        } else if matches!(self, Self::SpendingAdded) {
            Self::SpendingRemoved.classes()
        } else if matches!(self, Self::SpendingRemoved) {
            Self::SpendingAdded.classes()
        } else if matches!(self, Self::DefaultChanged) {
            classes
        } else {
            (classes.1, classes.0)
        }
    }
}

pub(super) fn class(changes: &[SchemaChange]) -> Compatibility {
    changes.iter().map(SchemaChange::compatibility).max().unwrap_or(Compatibility::None)
}

fn classes(before: &Value, after: &Value) -> (Compatibility, Compatibility) {
    let of = |reader| class(&compare(before, after, reader));
    (of(SchemaReader::Callee), of(SchemaReader::Caller))
}

/// Returns whether the value is valid, by an independent validator and by this crate's.
fn passes(schema: &Value, value: &Value) -> bool {
    let judge = jsonschema::validator_for(schema).expect("a schema");
    let own = Validator::compile(schema).expect("a schema");
    let report = own.check(&value.to_string(), &Limits::new(), Coerce::Off);
    judge.is_valid(value) && report.violations.is_empty()
}

fn passes_only(first: &Value, second: &Value, value: &Value, name: &str) {
    assert!(passes(first, value), "{name}: {value} does not pass {first}");
    assert!(!passes(second, value), "{name}: {value} passes {second}");
}

fn rule_and_location(change: &SchemaChange) -> String {
    let schema = match change.located_in() {
        ComparedVersion::Before => " before",
        ComparedVersion::After => "",
    };
    format!("{} {}{schema}", change.rule(), change.pointer())
}

fn check(row: &Row) {
    let Row { name, before, after, case, rules } = row;
    let changes = compare(before, after, SchemaReader::Callee);
    let mut found: Vec<_> = changes.iter().map(rule_and_location).collect();
    found.sort_unstable();
    let mut expected = rules.clone();
    expected.sort_unstable();
    assert_eq!(found, expected, "{name}");
    assert_eq!(classes(before, after), case.classes(), "{name}");
    assert_eq!(classes(after, before), case.reversed(), "{name}, turned round");
    if let Widened(new) | Both(new, _) = case {
        passes_only(after, before, new, name);
    }
    if let Narrowed(gone) | Unproven(gone) | Both(_, gone) = case {
        passes_only(before, after, gone, name);
        let counterexample = changes.iter().find_map(SchemaChange::counterexample);
        passes_only(
            before,
            after,
            counterexample.unwrap_or_else(|| panic!("{name}: no counterexample")),
            name,
        );
    }
}

fn rows() -> Vec<Row> {
    let parts = [
        values::rows,
        numbers::rows,
        strings::rows,
        objects::rows,
        names::rows,
        arrays::rows,
        choices::rows,
        annotations::rows,
        documents::rows,
    ];
    parts.into_iter().flat_map(|rows| rows()).collect()
}

#[test]
fn every_change_has_its_rule_its_place_and_its_class() {
    rows().iter().for_each(check);
}

#[test]
fn every_rule_is_documented_and_has_a_row() {
    let rows = rows();
    let rules = rows.iter().flat_map(|row| &row.rules).filter_map(|rule| rule.split(' ').next());
    let tried: BTreeSet<_> = rules.collect();
    assert_eq!(tried, documented());
}

/// The rules in the documentation of [`SchemaChange`].
pub(super) fn documented() -> BTreeSet<&'static str> {
    let table = include_str!("../../change.rs").lines().filter(|line| line.starts_with("/// | `"));
    let rules = table.filter_map(|line| line[4..].split(" | ").next());
    rules.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn a_schema_that_cannot_be_read_is_undecided_and_no_panic() {
    let broken = [
        json!({"type": "text"}),
        json!({"type": 1}),
        json!({"minimum": "1"}),
        json!({"multipleOf": 0}),
        json!({"multipleOf": -2}),
        json!({"minLength": -1}),
        json!({"pattern": 1}),
        json!({"pattern": "("}),
        json!({"enum": "a"}),
        json!({"required": "a"}),
        json!({"properties": []}),
        json!({"allOf": {}}),
        json!({"anyOf": 1}),
        json!({"oneOf": null}),
        json!({"not": 3}),
        json!({"if": "x"}),
        json!({"items": 3}),
        json!({"prefixItems": {}}),
        json!({"uniqueItems": 1}),
        json!({"dependentRequired": {"a": 1}}),
        json!({"dependentSchemas": {"a": 1}}),
        json!({"unevaluatedProperties": 1}),
        json!({"$ref": "#/nowhere"}),
        json!({"$ref": "https://example.org/schema"}),
        json!({"$ref": "#"}),
        json!({"$dynamicRef": "#x"}),
        json!({"not": {"$ref": "#"}}),
        json!({"oneOf": [{"$ref": "#"}, {"not": {"$ref": "#"}}]}),
        json!({"properties": {"a": {"$id": "x", "type": "string"}}}),
        json!(3),
        json!(null),
    ];
    for schema in broken {
        for other in [json!({}), json!({"$dynamicRef": "#y"}), json!(4)] {
            let changes = compare(&other, &schema, SchemaReader::Callee);
            assert_eq!(class(&changes), Compatibility::Breaking, "{other} {schema}");
            let _ = compare(&schema, &other, SchemaReader::Callee);
        }
        assert_eq!(compare(&schema, &schema, SchemaReader::Caller), []);
    }
}

#[test]
fn a_reference_out_of_the_document_is_the_same_while_its_text_is() {
    let beside = |title: &str, other: Value| {
        let outside = json!({"$ref": "https://example.org/schema", "title": title});
        json!({"prefixItems": [outside, other]})
    };
    let (before, after) = (json!({"type": "integer"}), json!({"type": "number"}));
    let wider = classes(&beside("it", before.clone()), &beside("it", after));
    assert_eq!(wider, (Compatibility::Compatible, Compatibility::Breaking));
    let found = classes(&beside("it", before.clone()), &beside("other", before));
    assert_eq!(found, (Compatibility::None, Compatibility::None));
}

#[test]
fn a_schema_nested_as_deep_as_json_is_read_is_no_panic() {
    let deep = |inner: Value| (0..120).fold(inner, |inner, _| json!({"items": inner}));
    let (before, after) = (deep(json!({"type": "integer"})), deep(json!({"type": "number"})));
    assert_eq!(class(&compare(&before, &after, SchemaReader::Callee)), Compatibility::Breaking);
    let titled = deep(json!({"type": "integer", "title": "inner"}));
    assert_eq!(class(&compare(&before, &titled, SchemaReader::Callee)), Compatibility::None);
}
