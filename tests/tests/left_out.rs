//! Lists, at the end of a plain `cargo test`, every test of every package that did not run.

use std::env;
use std::process::Command;

use tool_tests::bfcl;

fn main() {
    let left_out = left_out();
    println!();
    if left_out.is_empty() {
        println!("nothing was left out");
    }
    for test in left_out {
        println!("left out: {test}");
    }
    println!("further steps (formatting, lints, docs, each feature alone): bash .ci/run");
}

/// Returns the tests of all packages that need something this machine lacks, and the remedy.
fn left_out() -> Vec<String> {
    let mut left_out = Vec::new();
    if bfcl::files_beside_the_project().is_none() {
        left_out.push("tool-tests, bfcl: the data of real models' calls is not there".to_owned());
    }
    if bfcl::conversations_beside_the_project().is_none() {
        left_out.push("tool-tests, retention: the long conversations are not there".to_owned());
    }
    if !tool_messages::pins_compiler_output() {
        left_out.push(format!(
            "tool-messages, every_mistake_has_its_message: the messages are those of rustc {}",
            tool_messages::RECORDED_WITH
        ));
    }
    if env::var_os("HERITAGE_POSTGRES").is_none() {
        left_out.push(
            "tool-runtime-postgres, and heritage-server on PostgreSQL: TEST_POSTGRES and \
             HERITAGE_POSTGRES name no server; with one: tests/postgres/run cargo test"
                .to_owned(),
        );
    }
    if env::var_os("HERITAGE_POSTGRES").is_some() && env::var_os("TEST_PGBOUNCER").is_none() {
        left_out.push(
            "tool-runtime-postgres through a pooler: PgBouncer is not there; install it".to_owned(),
        );
    }
    if env::var_os("TOON_MODULES").is_none() {
        left_out.push(
            "tool-tests, articulate::oracle: the reference implementation of TOON is not there; \
             with it: tests/toon/run cargo test"
                .to_owned(),
        );
    }
    if env::var_os("WEBHOOK_MODULES").is_none() {
        left_out.push(
            "tool-runtime-webhooks, standard_webhooks_verifies_the_requests: the library of Standard \
             Webhooks is not there; with it: tests/webhooks/run cargo test"
                .to_owned(),
        );
    }
    if !has_python() {
        left_out.push(
            "worker-process, and the Python functions of proxy-agent: there is no python3 of \
             version 3.10 or newer; install it"
                .to_owned(),
        );
    }
    if env::var_os("NEEDLE_PYTHON").is_none() {
        left_out.push(
            "needle-model: the real model is not installed; with it: \
             examples/proxy-agent/real-model/run cargo test -p needle-model"
                .to_owned(),
        );
    }
    if env::var_os("EMBEDDER_URL").is_none() {
        left_out.push(
            "tool-tests, agent::openai::embedder: no server of embeddings is there; with one: \
             examples/proxy-agent/real-embedder/run cargo test -p tool-tests --test it"
                .to_owned(),
        );
    }
    #[cfg(unix)]
    if tool_tests::faults::clock_steps::library().is_none() {
        left_out.push(
            "tool-tests, a_write_is_not_repeated_after_the_wall_clock_was_set: libfaketime is not \
             there; install Debian's package faketime"
                .to_owned(),
        );
    }
    if !tool_tests::git::is_installed() {
        left_out.push(
            "tool-tests, contracts: merges of locks are not tried; git is not there, install \
             Debian's package git"
                .to_owned(),
        );
    }
    left_out
}

fn has_python() -> bool {
    let script = "import sys; sys.exit(sys.version_info < (3, 10))";
    Command::new("python3").args(["-c", script]).status().is_ok_and(|status| status.success())
}
