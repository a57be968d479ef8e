//! Changes of Rust types, by their schemas as arguments and as outputs.

#![allow(dead_code, reason = "only their schemas count")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tool_runtime_schema::schema::{ChoiceReading, close, input_generator, output_generator};

use super::table::class;
use crate::compare::Compatibility::{self, Breaking, Compatible, None as Nothing};
use crate::compare::{SchemaReader, compare};

fn input<T: JsonSchema>() -> Value {
    let mut schema = input_generator().into_root_schema_for::<T>().to_value();
    close(&mut schema, ChoiceReading::OneBranch);
    schema
}

/// Checks the effect of a change of arguments on the callee, and of an output on the caller.
#[track_caller]
fn check<Before: JsonSchema, After: JsonSchema>(argument: Compatibility, answer: Compatibility) {
    let changes = compare(&input::<Before>(), &input::<After>(), SchemaReader::Callee);
    assert_eq!(
        class(&changes),
        argument,
        "{changes:#?}\n{:#}\n{:#}",
        input::<Before>(),
        input::<After>()
    );
    let output = |schema: schemars::Schema| schema.to_value();
    let before = output(output_generator().into_root_schema_for::<Before>());
    let after = output(output_generator().into_root_schema_for::<After>());
    let changes = compare(&before, &after, SchemaReader::Caller);
    assert_eq!(class(&changes), answer, "{changes:#?}\n{before:#}\n{after:#}");
}

/// Two versions of the same types.
macro_rules! versions {
    ($before:item $after:item) => {
        mod before {
            use super::*;
            #[derive(Serialize, Deserialize, JsonSchema)]
            $before
        }
        mod after {
            use super::*;
            #[derive(Serialize, Deserialize, JsonSchema)]
            $after
        }
    };
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    children: Vec<Tree>,
}

#[test]
fn an_option_more_is_compatible() {
    versions! {
        pub(super) struct Query { text: String }
        pub(super) struct Query { text: String, limit: Option<u32>, near: Option<Point> }
    }
    check::<before::Query, after::Query>(Compatible, Compatible);
}

#[test]
fn a_field_more_is_not() {
    versions! {
        pub(super) struct Query { text: String }
        pub(super) struct Query { text: String, limit: u32 }
    }
    check::<before::Query, after::Query>(Breaking, Compatible);
}

#[test]
fn a_variant_more_is_for_who_reads_arguments() {
    versions! {
        #[serde(tag = "kind")]
        pub(super) enum Shape { Circle { radius: f64 }, Point(Point) }
        #[serde(tag = "kind")]
        pub(super) enum Shape { Circle { radius: f64 }, Square { side: f64 }, Point(Point) }
    }
    check::<before::Shape, after::Shape>(Compatible, Breaking);
}

#[test]
fn an_option_more_in_a_variant_is_compatible() {
    versions! {
        #[serde(tag = "kind")]
        pub(super) enum Shape { Circle { radius: f64 }, Empty }
        #[serde(tag = "kind")]
        pub(super) enum Shape { Circle { radius: f64, at: Option<Point> }, Empty }
    }
    check::<before::Shape, after::Shape>(Compatible, Compatible);
}

#[test]
fn variants_in_another_order_and_documented_are_the_same() {
    versions! {
        pub(super) enum Order { Newest, Oldest, By(String) }
        pub(super) enum Order {
            /// By a field.
            By(String),
            /// The oldest first.
            Oldest,
            /// The newest first.
            Newest,
        }
    }
    check::<before::Order, after::Order>(Nothing, Nothing);
}

#[test]
fn a_tagged_and_documented_variant_that_is_gone_breaks_the_callee() {
    versions! {
        #[serde(tag = "kind", content = "of")]
        pub(super) enum Shape { A(u8), B(String), C }
        #[serde(tag = "kind", content = "of")]
        pub(super) enum Shape { A(u8), C }
    }
    check::<before::Shape, after::Shape>(Breaking, Compatible);
}

#[test]
fn a_wider_integer_is_for_who_reads_arguments() {
    versions! {
        pub(super) struct Query { limit: u32, sizes: Vec<i16>, pair: (u8, u8) }
        pub(super) struct Query { limit: u64, sizes: Vec<i64>, pair: (u8, u16) }
    }
    check::<before::Query, after::Query>(Compatible, Breaking);
}

#[test]
fn another_name_for_a_type_is_no_change() {
    versions! {
        pub(super) struct Query { at: Point, trees: BTreeMap<String, Tree> }
        pub(super) struct Query { at: super::renamed::Spot, trees: BTreeMap<String, super::renamed::Plant> }
    }
    check::<before::Query, after::Query>(Nothing, Nothing);
}

mod renamed {
    use super::{Deserialize, JsonSchema, Serialize};

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Spot {
        x: f64,
        y: f64,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    pub(super) struct Plant {
        name: String,
        children: Vec<Plant>,
    }
}

#[test]
fn a_flattened_type_is_written_in_place() {
    versions! {
        pub(super) struct Query { text: String, #[serde(flatten)] at: Point }
        pub(super) struct Query { text: String, x: f64, y: f64 }
    }
    check::<before::Query, after::Query>(Nothing, Nothing);
}

#[test]
fn a_field_beside_a_flattened_enum_is_compatible_if_it_may_be_left_out() {
    versions! {
        pub(super) struct Query { #[serde(flatten)] by: Choice }
        pub(super) struct Query {
            #[serde(flatten)] by: Choice,
            limit: Option<u8>,
        }
    }
    check::<before::Query, after::Query>(Compatible, Compatible);
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by")]
pub(super) enum Choice {
    Name { name: String },
    Id { id: u64 },
}

#[test]
fn text_that_becomes_an_id_breaks_the_callee() {
    versions! {
        pub(super) struct Query { id: String }
        pub(super) struct Query { id: uuid::Uuid }
    }
    check::<before::Query, after::Query>(Breaking, Compatible);
}

#[test]
fn either_of_two_may_become_either_of_three() {
    versions! {
        #[serde(untagged)]
        pub(super) enum Id { Number(u64), Name(String) }
        #[serde(untagged)]
        pub(super) enum Id { Number(u64), Name(String), At(Point) }
    }
    check::<before::Id, after::Id>(Compatible, Breaking);
}
