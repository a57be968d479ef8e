//! A program that forbids the lints which generated code could trip: an `#[allow]` of a macro would not
//! compile here.
#![forbid(dead_code, deprecated, unreachable_code, unsafe_code, unused_variables)]
#![allow(missing_docs)]

use tools::prelude::*;
use tools::schemars::JsonSchema;
use tools::serde::Serialize;

/// A route.
#[ai_type]
#[derive(Debug)]
struct Route {
    /// The names of the stops.
    #[arg(default)]
    stops: Vec<String>,
}

/// The reason why there is no route.
#[derive(Debug, ToolFailure)]
enum NoRoute {
    /// A stop is closed until another day.
    #[failure(UNAVAILABLE, message = "{stop} is closed", retry_after_ms = wait_ms)]
    Closed { stop: String, wait_ms: u64, line: u8 },
    /// A part of the net.
    #[failure(NOT_FOUND, message = "no stop on line {line}", details(line))]
    Lost { line: u8, place: String },
    /// The operator's failure.
    #[failure(UPSTREAM_ERROR, hide)]
    Operator,
    /// A limit that has its own failure.
    #[failure(transparent)]
    Limit(Limit),
}

/// A limit.
#[derive(Debug, ToolFailure)]
#[failure(RATE_LIMITED, message = "at most {most} routes")]
struct Limit {
    most: u32,
}

/// Finds a route; only discovery refers to its handle.
#[ai_tool(effect = "read")]
fn find_route(
    /// The number of stops.
    #[arg(default = 2)]
    stops: u8,
) -> Result<Route, NoRoute> {
    match stops {
        0 => Err(NoRoute::Closed { stop: "Main".to_owned(), wait_ms: 5, line: 1 }),
        1 => Err(NoRoute::Lost { line: 1, place: "Main".to_owned() }),
        8 => Err(NoRoute::Operator),
        9 => Err(NoRoute::Limit(Limit { most: 3 })),
        _ => Ok(Route { stops: vec!["Main".to_owned(); stops.into()] }),
    }
}

/// Counts the stops, with an answer whose type has no name.
#[ai_tool(effect = "read")]
fn count_stops(
    /// The route.
    route: Route,
) -> impl Serialize + JsonSchema {
    route.stops.len()
}

struct Net {
    lines: u8,
}

/// The net of lines.
#[ai_toolkit]
impl Net {
    /// Lists the lines.
    #[ai_tool(effect = "read")]
    fn lines(&self) -> Vec<u8> {
        vec![self.lines]
    }
}

#[test]
fn the_macros_allow_no_lint_that_a_crate_may_forbid() {
    let runtime =
        Runtime::builder().discover().toolkit(Net { lines: 1 }).build().expect("three tools");
    let mut names: Vec<_> = runtime.specs().map(|spec| spec.name().to_owned()).collect();
    names.sort_unstable();
    assert_eq!(names, ["count_stops", "find_route", "net.lines"]);
}
