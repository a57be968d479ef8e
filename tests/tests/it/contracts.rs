//! Locks of contracts that two branches change, merged by git. `left_out` names this module where
//! git is not installed.

use std::fs;

use serde_json::{Value, json};
use tool_runtime::contracts::Effect;
use tool_runtime::schema::{Export, ExportErrorKind};
use tool_runtime::{DynamicTool, Failure, Registry};
use tool_tests::git::{Merge, Repository, is_installed};

const LOCK: &str = "tools.lock.json";
/// The line of `.gitattributes` that the guide recommends.
const UNION: &str = "tools.lock.json merge=union\n";

/// The tools of one version of a program: names, and the versions of their contracts.
type Tools = &'static [(&'static str, &'static str)];

fn export(tools: Tools) -> Export {
    let tool = |(name, version): &(&str, &str)| {
        DynamicTool::new(*name, Effect::Read)
            .version(*version)
            .description(format!("Does {name}, by version {version}."))
            .input_schema(json!({"type": "object", "properties": {"query": {"type": "string"}}}))
            .handler(|_| async { Ok::<_, Failure>(()) })
    };
    Export::new(tools.iter().map(tool).fold(Registry::new(), Registry::dynamic))
}

/// A repository whose `main` has these tools in a lock.
fn repository(tools: Tools, attributes: &str) -> Repository {
    let repository = Repository::create();
    fs::write(repository.at(".gitattributes"), attributes).unwrap();
    commit(&repository, tools);
    repository
}

fn commit(repository: &Repository, tools: Tools) {
    export(tools).accepting().check(repository.at(LOCK)).expect("the change is admitted");
    repository.commit();
}

/// Commits each side on a branch of its own, and merges the second into the first.
fn merged(repository: &Repository, ours: Tools, theirs: Tools) -> Merge {
    repository.branch("theirs");
    commit(repository, theirs);
    repository.branch("ours");
    commit(repository, ours);
    repository.merge("theirs")
}

/// Merges two changes with and without `merge=union`: git merges the lines, and the result is a
/// lock of the tools of both sides.
#[track_caller]
fn check(base: Tools, ours: Tools, theirs: Tools, both: Tools) {
    if !is_installed() {
        return;
    }
    for attributes in ["", UNION] {
        let repository = repository(base, attributes);
        assert_eq!(merged(&repository, ours, theirs), Merge::Clean, "{attributes}");
        is_lock_of(&repository, both);
    }
}

#[track_caller]
fn is_lock_of(repository: &Repository, tools: Tools) {
    let text = fs::read_to_string(repository.at(LOCK)).unwrap();
    serde_json::from_str::<Value>(&text).expect("valid JSON");
    export(tools).frozen().check(repository.at(LOCK)).expect("the lock is that of both sides");
}

#[test]
fn changes_of_two_neighbouring_tools_are_merged() {
    check(
        &[("a", "1.0.0"), ("b", "1.0.0")],
        &[("a", "1.0.1"), ("b", "1.0.0")],
        &[("a", "1.0.0"), ("b", "1.0.1")],
        &[("a", "1.0.1"), ("b", "1.0.1")],
    );
}

#[test]
fn a_changed_and_an_added_tool_are_merged_at_either_end_of_the_lock() {
    check(
        &[("m", "1.0.0")],
        &[("m", "1.0.1")],
        &[("m", "1.0.0"), ("z", "1.0.0")],
        &[("m", "1.0.1"), ("z", "1.0.0")],
    );
    check(
        &[("m", "1.0.0")],
        &[("m", "1.0.1")],
        &[("a", "1.0.0"), ("m", "1.0.0")],
        &[("a", "1.0.0"), ("m", "1.0.1")],
    );
}

#[test]
fn tools_added_before_and_after_another_are_merged() {
    check(
        &[("m", "1.0.0")],
        &[("a", "1.0.0"), ("m", "1.0.0")],
        &[("m", "1.0.0"), ("z", "1.0.0")],
        &[("a", "1.0.0"), ("m", "1.0.0"), ("z", "1.0.0")],
    );
}

#[test]
fn a_removed_and_a_changed_tool_are_merged() {
    check(
        &[("a", "1.0.0"), ("b", "1.0.0"), ("c", "1.0.0")],
        &[("a", "1.0.0"), ("c", "1.0.0")],
        &[("a", "1.0.1"), ("b", "1.0.0"), ("c", "1.0.1")],
        &[("a", "1.0.1"), ("c", "1.0.1")],
    );
}

/// git cannot order two insertions at one place by itself.
#[test]
fn tools_added_at_the_same_place_are_merged_by_the_recommended_attribute() {
    if !is_installed() {
        return;
    }
    let cases: [[Tools; 4]; 3] = [
        [&[], &[("a", "1.0.0")], &[("b", "1.0.0")], &[("a", "1.0.0"), ("b", "1.0.0")]],
        [
            &[("a", "1.0.0"), ("z", "1.0.0")],
            &[("a", "1.0.0"), ("n", "1.0.0"), ("z", "1.0.0")],
            &[("a", "1.0.0"), ("m", "1.0.0"), ("z", "1.0.0")],
            &[("a", "1.0.0"), ("m", "1.0.0"), ("n", "1.0.0"), ("z", "1.0.0")],
        ],
        [
            &[("a", "1.0.0")],
            &[("a", "1.0.1"), ("x", "1.0.0"), ("y", "1.0.0")],
            &[("a", "1.0.0"), ("z", "1.0.0")],
            &[("a", "1.0.1"), ("x", "1.0.0"), ("y", "1.0.0"), ("z", "1.0.0")],
        ],
    ];
    for [base, ours, theirs, both] in cases {
        let repository = repository(base, UNION);
        assert_eq!(merged(&repository, ours, theirs), Merge::Clean, "{ours:?} {theirs:?}");
        is_lock_of(&repository, both);
    }
}

#[test]
fn two_changes_of_one_tool_are_a_conflict_that_says_how_to_go_on() {
    if !is_installed() {
        return;
    }
    let (base, ours, theirs): (Tools, Tools, Tools) =
        (&[("a", "1.0.0")], &[("a", "1.0.1")], &[("a", "1.1.0")]);
    for (attributes, merge) in [("", Merge::Conflicts), (UNION, Merge::Clean)] {
        let repository = repository(base, attributes);
        assert_eq!(merged(&repository, ours, theirs), merge);
        for export in [export(theirs), export(theirs).frozen(), export(theirs).accepting()] {
            let error = export.check(repository.at(LOCK)).unwrap_err();
            assert_eq!(error.kind(), ExportErrorKind::Conflict, "{error}");
            assert!(error.to_string().contains("git checkout origin/main -- "), "{error}");
        }
        // The command of the message, with a local branch.
        repository.run(&["checkout", "--quiet", "main", "--", LOCK]);
        export(theirs).accepting().check(repository.at(LOCK)).expect("the base is a lock");
        is_lock_of(&repository, theirs);
    }
}

#[test]
fn a_conflict_in_the_style_of_diff3_is_one_too() {
    if !is_installed() {
        return;
    }
    let repository = repository(&[("a", "1.0.0")], "");
    repository.run(&["config", "merge.conflictStyle", "diff3"]);
    let merge = merged(&repository, &[("a", "1.0.1")], &[("a", "1.1.0")]);
    assert_eq!(merge, Merge::Conflicts);
    let error = export(&[("a", "1.1.0")]).accepting().check(repository.at(LOCK)).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Conflict, "{error}");
    assert!(error.to_string().contains("(`|||||||`)"), "{error}");
}

#[test]
fn a_committed_lock_is_restored_and_not_written_anew() {
    if !is_installed() {
        return;
    }
    const TOOLS: Tools = &[("search", "1.0.0")];
    let repository = Repository::create();
    fs::create_dir(repository.at("package")).unwrap();
    let (lock, path) = ("package/tools.lock.json", repository.at("package/tools.lock.json"));
    let accept = |tools: Tools| export(tools).accepting().check(&path);
    let refused = |commit: &str| {
        let path = path.display();
        format!(
            "there is no lock at {path}, but the commit `{commit}` has one, with the contracts that \
             callers were given: restore it by `git checkout {commit} -- {path}`, and run the build \
             with `TOOLS_LOCK=accept` again"
        )
    };
    accept(TOOLS).expect("it is the first one");
    repository.run(&["add", "--all"]);
    fs::remove_file(&path).unwrap();
    accept(TOOLS).expect("it was never committed");
    repository.commit();
    let written = fs::read_to_string(&path).unwrap();

    // In the second case it is gone from the index too, which is no commit yet.
    for remove in [&["reset", "--quiet"][..], &["rm", "--quiet", "--cached", lock]] {
        repository.run(remove);
        fs::remove_file(&path).unwrap();
        for tools in [TOOLS, &[("other", "1.0.0")]] {
            let error = accept(tools).unwrap_err();
            assert_eq!(error.kind(), ExportErrorKind::NoLock, "{error}");
            assert_eq!(error.to_string(), refused("HEAD"), "{error}");
        }
        repository.run(&["checkout", "HEAD", "--", lock]);
    }
    accept(TOOLS).expect("it is restored");
    assert_eq!(fs::read_to_string(&path).unwrap(), written);

    // A commit that removes it with its folder, and a merge of that, hide nothing.
    let last = hash_of(&repository, "main");
    repository.branch("feature");
    fs::remove_file(&path).unwrap();
    repository.commit();
    repository.checkout("main");
    repository.commit();
    assert_eq!(repository.merge("feature"), Merge::Clean);
    assert!(!repository.at("package").exists());
    let error = accept(&[("other", "1.0.0")]).unwrap_err();
    assert_eq!(error.to_string(), refused(&last));
    repository.run(&["checkout", &last, "--", lock]);
    accept(TOOLS).expect("it is restored by what the error says");
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
}

fn hash_of(repository: &Repository, commit: &str) -> String {
    let hash = repository.output(&["log", "-1", "--format=%h", "--abbrev=12", commit]);
    hash.trim().to_owned()
}

#[test]
fn a_lock_that_a_merge_has_made_is_restored_from_the_merge() {
    if !is_installed() {
        return;
    }
    const BASE: Tools = &[("a", "1.0.0"), ("b", "1.0.0"), ("c", "1.0.0")];
    let repository = repository(BASE, "");
    let ours: Tools = &[("a", "2.0.0"), ("b", "1.0.0"), ("c", "1.0.0")];
    let theirs: Tools = &[("a", "1.0.0"), ("b", "1.0.0"), ("c", "2.0.0")];
    assert_eq!(merged(&repository, ours, theirs), Merge::Clean);
    let merge = hash_of(&repository, "HEAD");
    let refused = |commit: &str| {
        fs::remove_file(repository.at(LOCK)).ok();
        let error = export(BASE).accepting().check(repository.at(LOCK)).unwrap_err();
        let cure = format!("`git checkout {commit} -- ");
        assert!(error.to_string().contains(&cure), "{error}");
    };
    refused("HEAD");
    repository.commit();
    refused(&merge);
}

#[test]
fn the_lock_of_the_base_branch_reveals_a_lock_that_was_replaced() {
    if !is_installed() {
        return;
    }
    let repository = repository(&[("a", "2.0.0")], "");
    repository.branch("feature");
    let other = repository.at("other.lock");
    export(&[("a", "1.0.0")]).accepting().check(&other).expect("it is the first one of its name");
    fs::rename(other, repository.at(LOCK)).unwrap();
    repository.commit();
    let frozen = || export(&[("a", "1.0.0")]).frozen();
    frozen().check(repository.at(LOCK)).expect("the lock alone does not tell");

    let fork = repository.output(&["merge-base", "main", "HEAD"]);
    let base = repository.output(&["show", &format!("{}:{LOCK}", fork.trim())]);
    fs::write(repository.at("base.lock"), base).unwrap();
    let error = frozen().base("base.lock").check(repository.at(LOCK)).unwrap_err();
    assert_eq!(error.kind(), ExportErrorKind::Version, "{error}");
}
