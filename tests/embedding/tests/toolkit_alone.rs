//! A program whose tools are all in toolkits: discovery finds no function in it.
#![allow(missing_docs)]

mod door;

use tools::BuildProblem;
use tools::prelude::*;

use self::door::Door;

#[test]
fn discovery_without_functions_is_fine_beside_a_toolkit() {
    let before =
        Runtime::builder().discover().toolkit(Door { answers: true }).build().expect("a toolkit");
    let after =
        Runtime::builder().toolkit(Door { answers: true }).discover().build().expect("a toolkit");
    assert!(before.spec("door.knock").is_some() && after.spec("door.knock").is_some());
}

#[test]
fn discovery_that_finds_nothing_at_all_is_a_problem() {
    let error = Runtime::builder().discover().build().expect_err("there is no tool");
    assert!(matches!(error.problems(), [BuildProblem::NothingDiscovered]), "{error}");
}
