//! Makes components of the objects and enumerations inside other schemas.
//!
//! Generators of clients name such types themselves, by titles or by where they stand, and fail where
//! two get one name. They follow references to components only, and not to parts of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use tool_runtime_schema::schema::reference;
use tool_runtime_schema::schema::subschemas::{for_each_schema, for_each_schema_mut};

use super::names::{ComponentNames, camel_case};
use super::reference::{PREFIX, schema_ref};
use super::shapes::{Part, UNIONS, for_each_part};

type Keywords = Map<String, Value>;

/// Extracts the parts of components to which references refer.
pub(super) fn extract_targets(schemas: &mut Keywords) {
    let mut targets = BTreeSet::new();
    for schema in schemas.values() {
        for_each_schema(schema, &mut |_, keywords| targets.extend(inner_target(keywords)));
    }
    let (mut names, mut moved) = (ComponentNames::from_schemas(schemas), BTreeMap::new());
    // A part follows the parts around it, and is extracted before them.
    for target in targets.into_iter().rev() {
        let (component, part) = target.split_at(target.find('/').unwrap_or_default());
        let last = part.rsplit('/').next().unwrap_or_default();
        let Some(schema) = schemas.get_mut(component).and_then(|it| it.pointer_mut(part)) else {
            continue;
        };
        let name = names.take(&format!("{component}{}", camel_case(last)));
        let schema = std::mem::replace(schema, schema_ref(&name));
        schemas.insert(name.clone(), schema);
        moved.insert(target, name);
    }
    for schema in schemas.values_mut() {
        for_each_schema_mut(schema, &mut |keywords| {
            if let Some(name) = inner_target(keywords).and_then(|target| moved.get(&target)) {
                keywords.extend(schema_ref(name).as_object().cloned().unwrap_or_default());
            }
        });
    }
}

/// Returns the reference to a part of a component: its name, and the pointer inside it.
fn inner_target(keywords: &Keywords) -> Option<String> {
    let pointer = reference::pointer(keywords.get("$ref")?.as_str()?)?;
    let target = pointer.strip_prefix(&PREFIX[1..])?;
    target.contains('/').then(|| target.to_owned())
}

/// Extracts the nested objects and enumerations of all schemas.
pub(super) fn extract_types(schemas: &mut Keywords) {
    let mut names = ComponentNames::from_schemas(schemas);
    let mut types = Keywords::new();
    for (name, schema) in schemas.iter_mut() {
        extract(schema, name, &mut names, &mut types);
    }
    schemas.extend(types);
}

/// Extracts the types inside a schema, which are named after it.
fn extract(schema: &mut Value, owner: &str, names: &mut ComponentNames, types: &mut Keywords) {
    let Value::Object(keywords) = schema else { return };
    for_each_part(keywords, &mut |place, part| {
        let is_base = matches!(place, Part::Base);
        let name = match place {
            Part::Property(name) => format!("{owner}{}", camel_case(name)),
            Part::Branch(index) => format!("{owner}{}", branch_name(index, part)),
            Part::Base => owner.to_owned(),
            Part::Items => format!("{owner}Item"),
            Part::Values => format!("{owner}Value"),
        };
        if is_base || !is_type(part) {
            return extract(part, &name, names, types);
        }
        let name = names.take(&name);
        extract(part, &name, names, types);
        let mut reference = schema_ref(&name);
        if let Some(default) = part.as_object_mut().and_then(|keywords| keywords.remove("default"))
        {
            reference["default"] = default;
        }
        types.insert(name, std::mem::replace(part, reference));
    });
}

/// Names a branch of a union after the constant that it has, or the only property.
fn branch_name(index: usize, branch: &Value) -> String {
    let properties = branch.get("properties").and_then(Value::as_object);
    let constant = tags(branch).first().map(|(_, value)| camel_case(value));
    let only = properties
        .filter(|properties| properties.len() == 1)
        .and_then(|properties| properties.keys().next());
    constant
        .or_else(|| only.map(|name| camel_case(name)))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("Option{}", index + 1))
}

/// Returns whether generators make a named type of a schema.
fn is_type(schema: &Value) -> bool {
    let has_properties =
        || schema.get("properties").and_then(Value::as_object).is_some_and(|it| !it.is_empty());
    let has_texts = || {
        let values = schema.get("enum").and_then(Value::as_array);
        values.is_some_and(|values| values.iter().any(Value::is_string))
    };
    schema.get("$ref").is_none() && (has_properties() || has_texts())
}

/// The constants of required properties, by which an object differs from others.
fn tags(schema: &Value) -> Vec<(&str, &str)> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|it| it.iter().any(|it| it == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let constants = properties.into_iter().flatten().filter(|(name, _)| is_required(name));
    constants.filter_map(|(name, it)| Some((name.as_str(), it.get("const")?.as_str()?))).collect()
}

/// States by which property the members of each union differ.
pub(super) fn discriminate(schemas: &mut Keywords) {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let tags: BTreeMap<String, Tags> = schemas
        .iter()
        .map(|(name, schema)| {
            (format!("{PREFIX}{name}"), tags(schema).into_iter().map(owned).collect())
        })
        .collect();
    for schema in schemas.values_mut() {
        for_each_schema_mut(schema, &mut |keywords| discriminate_union(keywords, &tags));
    }
}

type Tags = BTreeMap<String, String>;

fn discriminate_union(keywords: &mut Keywords, tags: &BTreeMap<String, Tags>) {
    if keywords.contains_key("discriminator") {
        return;
    }
    let Some((union, discriminator)) = UNIONS.iter().find_map(|union| {
        let members = keywords.get(*union)?.as_array().filter(|members| members.len() > 1)?;
        let member = |it: &'_ Value| {
            Some((it.get("$ref")?.as_str()?.to_owned(), tags.get(it.get("$ref")?.as_str()?)?))
        };
        let members: Option<Vec<_>> = members.iter().map(member).collect();
        Some((*union, discriminator(&members?)?))
    }) else {
        return;
    };
    // The members exclude each other.
    if let Some(members) = keywords.remove(union) {
        keywords.insert("oneOf".to_owned(), members);
        keywords.insert("discriminator".to_owned(), discriminator);
    }
}

/// Returns the property whose constant is another in each member.
fn discriminator(members: &[(String, &Tags)]) -> Option<Value> {
    let (_, first) = members.first()?;
    first.keys().find_map(|name| {
        let mut mapping = Keywords::new();
        for (reference, tags) in members {
            mapping.insert(tags.get(name)?.clone(), reference.clone().into());
        }
        (mapping.len() == members.len()).then(|| json!({"propertyName": name, "mapping": mapping}))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(change: fn(&mut Keywords), schemas: Value, expected: &Value) {
        let Value::Object(mut schemas) = schemas else { panic!("they have names") };
        change(&mut schemas);
        assert_eq!(&Value::Object(schemas), expected);
    }

    #[test]
    fn a_nested_object_and_a_list_of_texts_have_names() {
        check(
            extract_types,
            json!({
                "A": {"type": "object", "properties": {
                    "at": {"type": "object", "properties": {"kind": {"type": "string", "enum": ["x"]}}},
                    "more": {"type": "array", "items": {"properties": {"b": {}}}},
                    "kind": {"type": "string", "enum": ["y"], "default": "y"},
                }},
                "AAt": {},
            }),
            &json!({
                "A": {"type": "object", "properties": {
                    "at": schema_ref("AAt2"),
                    "more": {"type": "array", "items": schema_ref("AMoreItem")},
                    "kind": {"$ref": "#/components/schemas/AKind", "default": "y"},
                }},
                "AAt": {},
                "AAt2": {"type": "object", "properties": {"kind": schema_ref("AAt2Kind")}},
                "AAt2Kind": {"type": "string", "enum": ["x"]},
                "AMoreItem": {"properties": {"b": {}}},
                "AKind": {"type": "string", "enum": ["y"]},
            }),
        );
    }

    #[test]
    fn the_members_of_a_union_have_names_and_differ_by_a_property() {
        let member =
            |kind: &str| json!({"properties": {"kind": {"const": kind}}, "required": ["kind"]});
        check(
            |schemas| {
                extract_types(schemas);
                discriminate(schemas);
            },
            json!({"A": {"anyOf": [member("b c"), member("d")]}}),
            &json!({
                "A": {
                    "oneOf": [schema_ref("ABC"), schema_ref("AD")],
                    "discriminator": {"propertyName": "kind", "mapping": {
                        "b c": "#/components/schemas/ABC", "d": "#/components/schemas/AD",
                    }},
                },
                "ABC": member("b c"),
                "AD": member("d"),
            }),
        );
    }

    #[test]
    fn a_part_that_is_referred_to_is_a_component() {
        let inside = |rest: &str| json!({"$ref": format!("#/components/schemas/A/{rest}")});
        check(
            extract_targets,
            json!({
                "A": {"properties": {"a b": {"properties": {"c": {"type": "string"}}}}},
                "B": {"anyOf": [inside("properties/a%20b"), inside("properties/a b/properties/c")]},
            }),
            &json!({
                "A": {"properties": {"a b": schema_ref("AAB")}},
                "AAB": {"properties": {"c": schema_ref("AC")}},
                "AC": {"type": "string"},
                "B": {"anyOf": [schema_ref("AAB"), schema_ref("AC")]},
            }),
        );
    }
}
