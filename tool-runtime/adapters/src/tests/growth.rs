//! A tool's schema is declared in steps that are proportional to its size, whatever its author sends.

use tool_runtime_schema::test_cost;

use super::*;

/// In every dialect, twice the size takes at most about twice the steps.
#[track_caller]
fn check(what: &str, schema: &dyn Fn(usize) -> Value) {
    let large = schema(800);
    let size = large.to_string().len() as u64;
    let specs = [schema(400), large]
        .map(|it| ToolSpec::builder("t", Effect::Read).input_schema(it).build().unwrap());
    for dialect in Dialect::ALL {
        let [few, many] =
            [0, 1].map(|at: usize| test_cost::measure(|| Adapter::new(dialect, [&specs[at]])).1);
        assert!(many <= few * 5 / 2, "{what}, {dialect}: {few} steps become {many}");
        assert!(many <= 100 * size, "{what}, {dialect}: {many} steps for {size} bytes");
    }
}

/// The schema at the root, and as that of a property.
#[track_caller]
fn check_everywhere(what: &str, schema: &dyn Fn(usize) -> Value) {
    check(what, schema);
    let inside = |count| {
        let mut it = schema(count);
        let definitions = it.as_object_mut().unwrap().remove("$defs").unwrap_or(json!({}));
        json!({"type": "object", "properties": {"it": it}, "additionalProperties": false,
            "$defs": definitions})
    };
    check(&format!("{what}, inside"), &inside);
}

fn named(name: &str, at: usize) -> String {
    format!("{name}{at}")
}

/// Properties `p0` to `pN`.
fn properties(count: usize) -> Value {
    (0..count).map(|at| (named("p", at), json!({"type": "string"}))).collect()
}

fn list(count: usize, item: impl Fn(usize) -> Value) -> Value {
    (0..count).map(item).collect()
}

const CHOICES: [&str; 3] = ["anyOf", "oneOf", "allOf"];

#[test]
fn a_choice_of_required_properties_grows_with_their_number() {
    for keyword in CHOICES {
        check_everywhere(&format!("{keyword} of required"), &|count| {
            json!({"type": "object", "properties": properties(count),
                keyword: list(count, |at| json!({"required": [named("p", at)]}))})
        });
    }
}

#[test]
fn a_choice_of_objects_grows_with_their_number_beside_properties() {
    for keyword in CHOICES {
        let branch = |at: usize| {
            json!({"type": "object", "properties": {named("own", at): {"type": "integer"}},
                "required": [named("own", at)]})
        };
        check_everywhere(
            &format!("{keyword} of objects"),
            &|count| json!({"type": "object", "properties": properties(count), keyword: list(count, branch)}),
        );
        check_everywhere(&format!("{keyword} of objects beside required"), &|count| {
            json!({"type": "object", "required": list(count, |at| named("p", at).into()),
                keyword: list(count, branch)})
        });
    }
}

#[test]
fn a_choice_beside_another_choice_grows_with_their_branches() {
    let branch = |at: usize| json!({"properties": {named("own", at): {"type": "integer"}}});
    check_everywhere(
        "anyOf beside oneOf",
        &|count| json!({"type": "object", "anyOf": list(count, branch), "oneOf": list(count, branch)}),
    );
}

#[test]
fn branches_that_share_a_base_grow_with_their_number() {
    for keyword in CHOICES {
        check_everywhere(&format!("{keyword} of a base"), &|count| {
            let base = json!({"type": "object", "properties": properties(count)});
            let branch = |at: usize| {
                json!({"allOf": [{"$ref": "#/$defs/Base"}], "properties": {"kind": {"const": at}},
                    "required": ["kind"]})
            };
            json!({"type": "object", keyword: list(count, branch), "$defs": {"Base": base}})
        });
    }
}

#[test]
fn conjunctions_of_long_lists_grow_with_their_lengths() {
    let values = |name: &'static str| move |at: usize| Value::from(named(name, at));
    for other in ["v", "w"] {
        check("two lists", &|count| {
            let lists =
                json!([{"enum": list(count, values("v"))}, {"enum": list(count, values(other))}]);
            json!({"type": "object", "properties": {"it": {"type": "string", "allOf": lists}}})
        });
        check("a list and many others", &|count| {
            let others = list(count, |_| json!({"enum": [other]}));
            json!({"type": "object", "properties":
                {"it": {"type": "string", "enum": list(count, values("v")), "allOf": others}}})
        });
    }
    check("nested parts", &|count| {
        let part = |at: usize| {
            json!({"properties": {"it": {"type": "object", "required": [named("p", at)],
                "properties": {named("p", at): {"type": "string"}}}}})
        };
        json!({"type": "object", "allOf": list(count, part)})
    });
    check("a tuple", &|count| {
        let items = list(count, |at| json!({"const": at}));
        json!({"type": "object", "properties": {"it": {"type": "array", "prefixItems": items}}})
    });
}

#[test]
fn references_grow_with_their_number() {
    let reference = |name: &str| json!({"$ref": format!("#/$defs/{name}")});
    check("a chain", &|count| {
        let level = |at: usize| {
            let next = reference(&named("L", at + 1));
            (named("L", at), json!({"type": "object", "properties": {"next": next}}))
        };
        let mut levels: serde_json::Map<_, _> = (0..count).map(level).collect();
        levels.insert(named("L", count), json!({"type": "string"}));
        json!({"type": "object", "properties": {"it": reference("L0")}, "$defs": levels})
    });
    check("a chain with a choice at each level", &|count| {
        let level = |at: usize| {
            let next = reference(&named("L", at + 1));
            let choice = json!({"oneOf": [next, {"type": "object", "minProperties": 1}]});
            (named("L", at), json!({"type": "object", "properties": {"next": choice}}))
        };
        let mut levels: serde_json::Map<_, _> = (0..count).map(level).collect();
        levels.insert(named("L", count), json!({"type": ["string", "null"], "default": null}));
        json!({"type": "object", "properties": {"it": reference("L0")}, "$defs": levels})
    });
    for beside in [json!({}), json!({"minLength": 1})] {
        check("many references to a long list", &|count| {
            let listed = json!({"type": "string", "enum": list(count, |at| named("v", at).into())});
            let mut property = beside.clone();
            property["$ref"] = "#/$defs/E".into();
            let named: Value = (0..count).map(|at| (named("p", at), property.clone())).collect();
            json!({"type": "object", "properties": named, "additionalProperties": false,
                "$defs": {"E": listed}})
        });
    }
    check("definitions with one name", &|count| {
        let place = |at: usize| (named("d", at), json!({"x": {"type": "string"}}));
        let named: Value = (0..count)
            .map(|at| (named("p", at), json!({"$ref": format!("#/$defs/d{at}/x")})))
            .collect();
        let groups: Value = (0..count).map(place).collect();
        json!({"type": "object", "properties": named, "$defs": groups})
    });
}
