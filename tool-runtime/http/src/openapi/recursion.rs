//! Finds types that contain themselves without an object between, such as a list of lists.
//!
//! Generators of clients name only objects before they have all of their parts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::reference::PREFIX;
use super::shapes::{self, for_each_part};

/// Leaves such types without a form: their schemas apply as conditions.
pub(super) fn hide(schemas: &mut Map<String, Value>) {
    let mut members = BTreeMap::new();
    for (name, schema) in schemas.iter_mut() {
        if schema.get("properties").is_none() {
            let mut targets = BTreeSet::new();
            collect(schema, &mut targets);
            members.insert(name.clone(), targets);
        }
    }
    for name in in_cycles(members) {
        if let Some(Value::Object(keywords)) = schemas.get_mut(&name) {
            shapes::hide_type(keywords);
        }
    }
}

/// Collects the components that a type is made of.
fn collect(schema: &mut Value, targets: &mut BTreeSet<String>) {
    let Value::Object(keywords) = schema else { return };
    let reference = keywords.get("$ref").and_then(Value::as_str);
    targets.extend(reference.and_then(|it| it.strip_prefix(PREFIX)).map(str::to_owned));
    for_each_part(keywords, &mut |_, part| collect(part, targets));
}

/// Returns the types on cycles, and those between two cycles.
fn in_cycles(members: BTreeMap<String, BTreeSet<String>>) -> BTreeSet<String> {
    let mut users: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, targets) in &members {
        for target in targets.iter().filter(|target| members.contains_key(*target)) {
            users.entry(target.clone()).or_default().insert(name.clone());
        }
    }
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (target, names) in &users {
        for name in names {
            used.entry(name.clone()).or_default().insert(target.clone());
        }
    }
    let mut left: BTreeSet<String> = members.into_keys().collect();
    for (edges, back) in [(&users, used.clone()), (&used, users.clone())] {
        remove_ends(&mut left, edges, back);
    }
    left
}

/// Removes the types that lead to no cycle: those without members, then those that only have such.
fn remove_ends(
    left: &mut BTreeSet<String>,
    users: &BTreeMap<String, BTreeSet<String>>,
    mut members: BTreeMap<String, BTreeSet<String>>,
) {
    let has_none = |members: &BTreeMap<String, BTreeSet<String>>, name: &String| {
        members.get(name).is_none_or(BTreeSet::is_empty)
    };
    let mut ends: Vec<String> = left.iter().filter(|it| has_none(&members, it)).cloned().collect();
    while let Some(end) = ends.pop() {
        left.remove(&end);
        for user in users.get(&end).into_iter().flatten() {
            let Some(others) = members.get_mut(user) else { continue };
            if others.remove(&end) && others.is_empty() {
                ends.push(user.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::reference::schema_ref;
    use super::*;

    #[test]
    fn a_list_of_itself_has_no_type_and_an_object_with_itself_has_one() {
        let list = json!({"description": "A list.", "type": "array", "items": schema_ref("B")});
        let schemas = json!({
            "A": list,
            "B": {"anyOf": [schema_ref("A"), {"type": "string"}]},
            "Outer": {"type": "array", "items": schema_ref("A")},
            "Node": {"type": "object", "properties": {"next": schema_ref("Next")}},
            "Next": {"anyOf": [schema_ref("Node"), {"type": "null"}]},
        });
        let Value::Object(mut hidden) = schemas.clone() else { panic!("they have names") };
        hide(&mut hidden);
        let condition = |schema: Value| json!({"if": {"not": {}}, "else": schema});
        let mut of_list = condition(json!({"type": "array", "items": schema_ref("B")}));
        of_list["description"] = json!("A list.");
        assert_eq!(hidden["A"], of_list);
        assert_eq!(hidden["B"], condition(schemas["B"].clone()));
        for name in ["Outer", "Node", "Next"] {
            assert_eq!(hidden[name], schemas[name], "{name}");
        }
    }
}
