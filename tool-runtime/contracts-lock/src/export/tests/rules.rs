//! Every rule for a tool's description, in both directions.

use std::collections::BTreeMap;

use serde_json::json;
use tool_contracts::{
    Effect, Permission, ToolAnnotations, ToolErrorType, ToolSpec, ToolSpecBuilder,
};

use super::super::contract::Contract;
use super::super::lock::{self, LockFile};
use crate::Compatibility::{self, Breaking, Compatible, None as Nothing};
use crate::{ComparedVersion, ContractChange, ContractChanges, ExportError};

fn compare(before: &[Contract], after: &[Contract]) -> Result<ContractChanges, ExportError> {
    lock::compare(&LockFile { tools: before.to_vec(), ..LockFile::default() }, after, "the lock")
}

fn contract(set: impl FnOnce(ToolSpecBuilder) -> ToolSpecBuilder) -> Contract {
    with(Effect::Read, &[], set)
}

fn with(
    effect: Effect,
    codes: &[(&str, ToolErrorType)],
    set: impl FnOnce(ToolSpecBuilder) -> ToolSpecBuilder,
) -> Contract {
    let spec = ToolSpec::builder("it", effect).version("1.0.0").timeout_ms(1);
    let codes: BTreeMap<_, _> =
        codes.iter().map(|(code, error_type)| ((*code).to_owned(), *error_type)).collect();
    Contract { spec: set(spec).build().unwrap(), codes }
}

/// Asserts that the location of a change is in the contract that it names.
#[track_caller]
fn leads_to_a_part(change: &ContractChange, before: &Contract, after: &Contract) {
    let contract = match change.located_in() {
        ComparedVersion::Before => before,
        ComparedVersion::After => after,
    };
    assert!(contract.to_value().pointer(change.pointer()).is_some(), "{change}");
    assert_eq!(
        change.to_string().contains(" of the lock"),
        change.located_in() == ComparedVersion::Before
    );
}

type Expected = (&'static str, Compatibility);

/// Compares in both directions.
#[track_caller]
fn check(one: &Contract, other: &Contract, there: Expected, back: Expected) {
    for (before, after, expected) in [(one, other, there), (other, one, back)] {
        // A later major version admits everything, so that only the type is compared.
        let changes = compare(std::slice::from_ref(before), std::slice::from_ref(after)).unwrap();
        let found: Vec<_> = changes
            .iter()
            .filter(|change| change.rule() != "version-kept")
            .map(|change| (change.rule(), change.compatibility()))
            .collect();
        assert_eq!(found, [expected], "{changes}");
        changes.iter().for_each(|change| leads_to_a_part(change, before, after));
        let kept = changes.iter().any(|change| change.rule() == "version-kept");
        assert_eq!(kept, expected.1 == Compatible, "{changes}");
    }
}

#[test]
fn an_effect_may_become_weaker_and_not_stronger() {
    let of = |effect| with(effect, &[], |spec| spec);
    let (stronger, weaker) = (("effect-strengthened", Breaking), ("effect-weakened", Compatible));
    let permission = ("annotation", Nothing);
    for (one, other) in [
        (Effect::Read, Effect::Write),
        (Effect::Write, Effect::Destructive),
        (Effect::Read, Effect::Destructive),
    ] {
        for (before, after, expected) in [(one, other, stronger), (other, one, weaker)] {
            let changes = compare(&[of(before)], &[of(after)]).unwrap();
            let found: Vec<_> =
                changes.iter().map(|change| (change.rule(), change.compatibility())).collect();
            assert_eq!(found[0], expected, "{before} {after}");
            let by_default = before.default_permission() != after.default_permission();
            assert_eq!(found.contains(&permission), by_default, "{before} {after}");
        }
    }
}

#[test]
fn a_promise_may_be_added_and_not_taken_back() {
    let plain = contract(|spec| spec);
    let annotated = |annotations: ToolAnnotations| contract(|spec| spec.annotations(annotations));
    let new = ToolAnnotations::new;
    check(
        &plain,
        &annotated(new().with_idempotent(true)),
        ("idempotent-gained", Compatible),
        ("idempotent-lost", Breaking),
    );
    check(
        &plain,
        &annotated(new().with_open_world(true)),
        ("open-world-gained", Breaking),
        ("open-world-lost", Compatible),
    );
    check(
        &plain,
        &contract(|spec| spec.requires_auth(false)),
        ("auth-dropped", Compatible),
        ("auth-added", Breaking),
    );
    check(
        &plain,
        &contract(|spec| spec.ai_callable(false)),
        ("ai-callable-lost", Breaking),
        ("ai-callable-gained", Compatible),
    );
}

#[test]
fn a_tool_that_is_denied_is_as_good_as_gone() {
    let of = |permission| contract(|spec| spec.permission(permission));
    let denied = of(Permission::Deny);
    for open in [of(Permission::Allow), of(Permission::Ask)] {
        let (there, back) = (("permission-denied", Breaking), ("permission-granted", Compatible));
        check(&open, &denied, there, back);
    }
    let told = ("annotation", Nothing);
    check(&of(Permission::Allow), &of(Permission::Ask), told, told);
}

#[test]
fn codes_come_and_go_and_keep_their_type() {
    let of = |codes: &[(&str, ToolErrorType)]| with(Effect::Read, codes, |spec| spec);
    let (none, fatal) = (of(&[]), of(&[("GONE", ToolErrorType::Fatal)]));
    check(&none, &fatal, ("code-added", Compatible), ("code-removed", Compatible));
    let retryable = of(&[("GONE", ToolErrorType::Retryable)]);
    check(&fatal, &retryable, ("code-reclassed", Breaking), ("code-reclassed", Breaking));
}

#[test]
fn texts_and_times_change_nothing() {
    let plain = contract(|spec| spec);
    let others = [
        contract(|spec| spec.title("It")),
        contract(|spec| spec.description("Is it.")),
        contract(|spec| spec.category("it")),
        contract(|spec| spec.ttl_seconds(5)),
        contract(|spec| spec.input_example(json!({}))),
        contract(|spec| spec.timeout_ms(5)),
    ];
    for other in others {
        check(&plain, &other, ("annotation", Nothing), ("annotation", Nothing));
    }
    let raised = contract(|spec| spec.version("1.0.1"));
    let changes = compare(&[plain], &[raised]).unwrap();
    assert_eq!(changes.iter().map(ContractChange::rule).collect::<Vec<_>>(), ["version-raised"]);
}

#[test]
fn schemas_are_read_by_who_reads_them() {
    let input = |required: serde_json::Value| {
        let n = json!({"n": {"type": "integer"}});
        contract(|spec| {
            spec.input_schema(json!({"type": "object", "properties": n, "required": required}))
        })
    };
    let changes = compare(&[input(json!([]))], &[input(json!(["n"]))]).unwrap();
    assert_eq!(changes.compatibility(), Breaking, "{changes}");

    let kind = |kind: serde_json::Value| contract(|spec| spec.output_schema(json!({"type": kind})));
    let (one, both) = (kind(json!("string")), kind(json!(["string", "null"])));
    let changes = compare(&[one], &[both]).unwrap();
    assert_eq!(changes.compatibility(), Breaking, "{changes}");
}
