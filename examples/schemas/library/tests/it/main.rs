//! Tests of both ways of exporting by cargo, offline, in a copy of each example.

#![allow(clippy::unwrap_used, reason = "this is all test code")]

mod project;

use self::project::Project;

/// The file and the text that a test changes in an example.
struct Example {
    package: &'static str,
    source: &'static str,
    tool: &'static str,
    description: &'static str,
    version: &'static str,
    next: &'static str,
}

#[test]
fn tools_in_a_crate_of_their_own_are_exported_by_who_builds_with_them() {
    check(&Example {
        package: "library",
        source: "tools/src/lib.rs",
        tool: "send_parcel",
        description: "Sends a parcel.",
        version: "\"2.1.0\"",
        next: "\"3.0.0\"",
    });
}

#[test]
fn tools_in_a_module_are_exported_by_the_script_that_includes_it() {
    check(&Example {
        package: "module",
        source: "src/tools.rs",
        tool: "book_room",
        description: "Books a room for an hour.",
        version: "\"1.0.0\"",
        next: "\"2.0.0\"",
    });
}

/// Runs the checks in one project, since each build takes a second or two.
fn check(example: &Example) {
    let project = Project::copied(example.package);
    committed_files_are_those_of_the_tools(&project);
    a_build_with_nothing_to_do_does_nothing(&project);
    lost_and_edited_files_are_written_again(&project, example);
    a_change_that_hurts_nobody_passes_with_a_warning(&project, example);
    a_broken_promise_fails_the_build(&project, example);
}

fn committed_files_are_those_of_the_tools(project: &Project) {
    let committed = project.contracts();
    assert!(committed.len() >= 5, "{:?}", committed.keys());
    project.build(&[("TOOLS_LOCK", "frozen")]).passes();
    project.remove("schemas");
    project.remove("tools.lock.json");
    project.build(&[]).fails().says("there is no lock").says("TOOLS_LOCK=accept");
    project.build(&[("TOOLS_LOCK", "accept")]).passes();
    assert_eq!(project.contracts(), committed);
    project.remove("tools.lock.json");
    project.build(&[]).fails().says("there is no lock").says("schemas/tools.json lists contracts");
    project.build(&[("TOOLS_LOCK", "accept")]).passes();
    assert_eq!(project.contracts(), committed);
}

fn a_build_with_nothing_to_do_does_nothing(project: &Project) {
    project.build(&[]).passes();
    project.build(&[]).passes().did_nothing();
    // Files that are not part of the tools are not watched.
    project.append("src/main.rs", "\n// A remark.\n");
    project.append("NOTES.md", "A remark.");
    project.build(&[]).passes().did_not_export();
}

fn lost_and_edited_files_are_written_again(project: &Project, example: &Example) {
    let committed = project.contracts();
    let input = format!("schemas/{}.input.json", example.tool);
    project.remove(&input);
    project.append("schemas/TOOLS.md", "By hand.");
    project.build(&[]).passes().exported();
    assert_eq!(project.contracts(), committed);
    project.build(&[]).passes().did_nothing();
}

fn a_change_that_hurts_nobody_passes_with_a_warning(project: &Project, example: &Example) {
    project.edit(example.source, example.description, "Says something else.");
    let built = project.build(&[]).passes().exported();
    built.says("tools.lock.json is not up to date").says("TOOLS_LOCK=accept").says(example.tool);
    assert!(project.read("schemas/TOOLS.md").contains("Says something else."));
    project.build(&[("TOOLS_LOCK", "frozen")]).fails().says(example.tool).says("frozen");
}

fn a_broken_promise_fails_the_build(project: &Project, example: &Example) {
    let lock = project.read("tools.lock.json");
    let Example { source, tool, version, next, .. } = example;
    project.edit(source, "dry_run: &DryRun,", "dry_run: &DryRun, /// New.\n urgent: bool,");
    let (change, cure) = (format!("`{tool}` input"), format!("`{tool}`: set `version = {next}`"));
    project.build(&[]).fails().says(&change).says(&cure);
    project.build(&[("TOOLS_LOCK", "accept")]).fails().says(&change).says(&cure);
    assert_eq!(project.read("tools.lock.json"), lock);

    project.edit(source, version, next);
    project.build(&[("TOOLS_LOCK", "accept")]).passes().says("tools.lock.json was written");
    assert!(project.read("tools.lock.json").contains("urgent"));
    the_base_lock_is_compared_too(project, example, &lock);
}

/// The version declares the change; without the new version the base would refuse it.
fn the_base_lock_is_compared_too(project: &Project, example: &Example, base: &str) {
    let Example { source, tool, version, next, .. } = example;
    let frozen = [("TOOLS_LOCK", "frozen"), ("TOOLS_LOCK_BASE", "main.lock")];
    project.build(&frozen).fails().says("`TOOLS_LOCK_BASE` names main.lock, which does not exist");
    project.append("main.lock", base);
    project.build(&frozen).passes();

    project.edit("tools.lock.json", next, version);
    project.edit(source, next, version);
    project.build(&[]).passes();
    project.build(&[("TOOLS_LOCK", "frozen")]).passes();
    project.build(&frozen).fails().says(&format!("`{tool}`: set `version = {next}`"));
}
