//! Properties of all comparisons, verified by an independent validator.

use std::cell::Cell;

use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestError, TestRunner};
use serde_json::Value;

use super::Tape;
use super::edits::{edit, tell};
use super::instances::{anything, disturbed, like};
use super::schemas::document;
use super::table::documented;
use crate::compare::{ComparedVersion, Compatibility, SchemaReader, compare};

/// Values per pair of schemas.
const INSTANCES: usize = 24;
/// Default number of cases.
const CASES: u32 = 128;

/// A few fixed cases, or `COMPARE_CASES` random ones.
fn config() -> ProptestConfig {
    let asked = std::env::var("COMPARE_CASES").ok().and_then(|cases| cases.parse().ok());
    let rng_seed = asked.map_or(RngSeed::Fixed(1), |_| RngSeed::Random);
    let cases = asked.unwrap_or(CASES);
    ProptestConfig { failure_persistence: None, cases, rng_seed, ..ProptestConfig::default() }
}

fn tapes() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<u32>(), 400)
}

fn breaks(before: &Value, after: &Value, reader: SchemaReader) -> bool {
    let changes = compare(before, after, reader);
    changes.iter().any(|change| change.compatibility() == Compatibility::Breaking)
}

/// Values, most of them close to valid ones.
fn instances(schema: &Value, tape: &mut Tape<'_>) -> Vec<Value> {
    let mut found = Vec::new();
    while found.len() < INSTANCES {
        let value = like(schema, schema, tape, 5);
        found.push(disturbed(&value, tape));
        found.push(value);
        found.push(anything(tape, 2));
    }
    found
}

/// Counters of a run.
#[derive(Debug, Default)]
struct Tally {
    pairs: Cell<usize>,
    /// Reported as compatible, though the documents differ.
    compatible: Cell<usize>,
    /// Compatible comparisons with a value that only the new schema accepts.
    widened: Cell<usize>,
    /// Values that were valid before, and so must be valid after.
    tried: Cell<usize>,
}

fn count(counter: &Cell<usize>, more: usize) {
    counter.set(counter.get() + more);
}

/// Every value that is valid by the narrower schema must be valid by the wider one.
fn check(
    before: &Value,
    after: &Value,
    tape: &mut Tape<'_>,
    tally: &Tally,
) -> Result<(), TestCaseError> {
    let (old, new) = (jsonschema::validator_for(before), jsonschema::validator_for(after));
    let (Ok(old), Ok(new)) = (old, new) else {
        return Err(TestCaseError::fail(format!("no schema: {before} {after}")));
    };
    for reader in [SchemaReader::Callee, SchemaReader::Caller] {
        count(&tally.pairs, 1);
        if breaks(before, after, reader) {
            continue;
        }
        let (schema, narrow, wide): (_, &Validator, &Validator) = match reader {
            SchemaReader::Callee => (before, &old, &new),
            SchemaReader::Caller => (after, &new, &old),
        };
        count(&tally.compatible, usize::from(before != after));
        let mut widened = false;
        for value in instances(schema, tape) {
            let passes = (narrow.is_valid(&value), wide.is_valid(&value));
            prop_assert!(passes != (true, false), "{:?}\n{}\n{}\n{}", reader, before, after, value);
            count(&tally.tried, usize::from(passes.0));
            widened |= passes == (false, true);
        }
        count(&tally.widened, usize::from(widened));
    }
    Ok(())
}

#[track_caller]
fn run(law: impl Fn(&mut Tape<'_>, &Tally) -> Result<(), TestCaseError>) -> Tally {
    let tally = Tally::default();
    let outcome =
        TestRunner::new(config()).run(&tapes(), |choices| law(&mut Tape::new(&choices), &tally));
    if let Err(TestError::Fail(why, _)) = outcome {
        panic!("{why}");
    }
    println!("{tally:?}");
    tally
}

#[test]
fn edited_schemas_called_compatible_are_compatible() {
    let tally = run(|tape, tally| {
        let before = document(tape);
        let mut after = before.clone();
        for _ in 0..=tape.pick(2) {
            edit(&mut after, tape);
        }
        check(&before, &after, tape, tally)
    });
    assert!(tally.compatible.get() * 4 > tally.pairs.get(), "{tally:?}");
    assert!(tally.widened.get() * 100 > tally.pairs.get(), "{tally:?}");
}

#[test]
fn random_schemas_called_compatible_are_compatible() {
    let tally = run(|tape, tally| {
        let (before, after) = (document(tape), document(tape));
        check(&before, &after, tape, tally)
    });
    assert!(tally.compatible.get() > 0, "{tally:?}");
}

#[test]
fn a_schema_has_not_changed_from_itself() {
    run(|tape, _| {
        let schema = document(tape);
        prop_assert_eq!(compare(&schema, &schema.clone(), SchemaReader::Callee), []);
        Ok(())
    });
}

#[test]
fn an_annotation_changes_nothing() {
    run(|tape, _| {
        let before = document(tape);
        let mut after = before.clone();
        let added = tell(&mut after, tape);
        for reader in [SchemaReader::Callee, SchemaReader::Caller] {
            let changes = compare(&before, &after, reader);
            prop_assert!(
                changes.iter().all(|change| change.compatibility() == Compatibility::None),
                "{}\n{}\n{:?}",
                before,
                after,
                changes
            );
            prop_assert!(!added.is_empty() || !changes.is_empty(), "{}\n{}", before, after);
        }
        Ok(())
    });
}

#[test]
fn a_change_that_breaks_one_reader_breaks_the_other_in_reverse() {
    run(|tape, _| {
        let before = document(tape);
        let mut after = before.clone();
        edit(&mut after, tape);
        let there = breaks(&before, &after, SchemaReader::Callee);
        prop_assert_eq!(
            there,
            breaks(&after, &before, SchemaReader::Caller),
            "{}\n{}",
            before,
            after
        );
        Ok(())
    });
}

/// Compares an edited document with its original, and two documents that have nothing in common.
fn each_comparison(
    tape: &mut Tape<'_>,
    mut law: impl FnMut(&Value, &Value, SchemaReader) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let before = document(tape);
    let mut after = before.clone();
    for _ in 0..=tape.pick(3) {
        edit(&mut after, tape);
    }
    let other = document(tape);
    for (before, after) in [(&before, &after), (&after, &before), (&before, &other)] {
        law(before, after, SchemaReader::Callee)?;
        law(before, after, SchemaReader::Caller)?;
    }
    Ok(())
}

#[test]
fn every_pointer_leads_to_a_part_of_a_document() {
    run(|tape, _| {
        each_comparison(tape, |before, after, reader| {
            for change in compare(before, after, reader) {
                let schema = match change.located_in() {
                    ComparedVersion::Before => before,
                    ComparedVersion::After => after,
                };
                let found = schema.pointer(change.pointer());
                prop_assert!(found.is_some(), "{:?}\n{}\n{}", change, before, after);
            }
            Ok(())
        })
    });
}

#[test]
fn every_rule_that_is_reported_is_documented() {
    let documented = documented();
    run(|tape, _| {
        each_comparison(tape, |before, after, reader| {
            for change in compare(before, after, reader) {
                prop_assert!(documented.contains(change.rule()), "{:?}", change);
            }
            Ok(())
        })
    });
}

#[test]
fn an_undecided_change_is_never_called_compatible() {
    run(|tape, _| {
        each_comparison(tape, |before, after, reader| {
            for change in compare(before, after, reader) {
                let breaks = change.compatibility() == Compatibility::Breaking;
                let decided = change.rule() != "undecided";
                prop_assert!(decided || breaks, "{:?}\n{}\n{}", change, before, after);
            }
            Ok(())
        })
    });
}

/// Returns whether a number is beyond the integers of 64 bits. This crate's validator refuses it as
/// an integer, as the comparison documents, and JSON Schema does not.
fn exceeds_integers(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() >= 9.0e18),
        Value::Array(list) => list.iter().any(exceeds_integers),
        Value::Object(map) => map.values().any(exceeds_integers),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Each counterexample is one by an independent validator, and most breaking pairs have one, nearly
/// all of those for which random values show the change.
#[test]
fn a_counterexample_is_accepted_by_one_schema_and_refused_by_the_other() {
    let (broken, shown, missed) = (Cell::new(0), Cell::new(0), Cell::new(0));
    run(|tape, _| {
        let before = document(tape);
        let mut after = before.clone();
        for _ in 0..=tape.pick(2) {
            edit(&mut after, tape);
        }
        for (reader, narrow, wide) in
            [(SchemaReader::Callee, &before, &after), (SchemaReader::Caller, &after, &before)]
        {
            let changes = compare(&before, &after, reader);
            if !changes.iter().any(|change| change.compatibility() == Compatibility::Breaking) {
                prop_assert!(changes.iter().all(|change| change.counterexample().is_none()));
                continue;
            }
            count(&broken, 1);
            let accepts = jsonschema::validator_for(narrow).expect("a schema");
            let refuses = jsonschema::validator_for(wide).expect("a schema");
            let is_counterexample = |value: &Value| {
                accepts.is_valid(value) && (!refuses.is_valid(value) || exceeds_integers(value))
            };
            let counterexamples: Vec<_> =
                changes.iter().filter_map(|change| change.counterexample()).collect();
            for counterexample in &counterexamples {
                prop_assert!(
                    is_counterexample(counterexample),
                    "{:?}\n{}\n{}\n{}",
                    reader,
                    before,
                    after,
                    counterexample
                );
            }
            if !counterexamples.is_empty() {
                count(&shown, 1);
            } else if instances(narrow, tape).iter().any(is_counterexample) {
                count(&missed, 1);
            }
        }
        Ok(())
    });
    println!("broken {broken:?}, shown {shown:?}, missed {missed:?}");
    assert!(shown.get() * 10 > broken.get() * 7, "{shown:?} of {broken:?}");
    assert!(missed.get() * 20 < broken.get(), "{missed:?} of {broken:?}");
}
