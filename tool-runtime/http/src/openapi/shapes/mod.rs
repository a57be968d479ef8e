//! Restates schemas so that generators of clients make types of them; what they admit stays the same.
//!
//! A generator reads a type from `type`, `properties`, `items`, `enum`, `const`, `$ref` and unions of
//! such schemas, and takes each branch of `anyOf`, `oneOf` or `allOf` for a type. A branch that only
//! restricts another schema is no type: it moves under `else` of an `if` that nothing satisfies, which
//! validators apply and generators do not read. (`then` makes some generators ignore the whole schema.)

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

type Keywords = Map<String, Value>;

/// Keywords that restrict a value and that generators cannot express.
const CONDITIONS: [&str; 6] =
    ["not", "contains", "minContains", "maxContains", "dependentRequired", "dependentSchemas"];

/// The keywords of unions.
pub(super) const UNIONS: [&str; 2] = ["anyOf", "oneOf"];

/// Keywords that give a schema a separate type.
const SHAPE: [&str; 6] = ["$ref", "type", "enum", "const", "anyOf", "oneOf"];

/// Keywords that stay where a schema has no type.
const STAYING: [&str; 9] = [
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "x-sensitivity",
    // They hold the conditions.
    "if",
    "else",
];

/// Restates the schema of a component and its parts.
pub(super) fn restate(schema: &mut Value) {
    let is_null = schema.as_object().is_some_and(is_null);
    restate_part(schema);
    if !is_null {
        return;
    }
    if let Value::Object(keywords) = schema {
        // Generators make no type of an enumeration of null alone.
        keywords.remove("enum");
        add_condition(keywords, "type", "null".into());
    }
}

fn restate_part(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({"not": {}}),
        Value::Object(keywords) => {
            restate_null(keywords);
            restate_keywords(keywords);
        }
        _ => {}
    }
}

fn restate_keywords(keywords: &mut Keywords) {
    // Generators name types by titles, and two schemas may have the same.
    let is_text_or_number = keywords.get("type").is_some_and(|kind| {
        ["string", "number", "integer", "boolean"].iter().any(|scalar| kind == scalar)
    });
    if !is_text_or_number || keywords.contains_key("enum") {
        keywords.remove("title");
    }
    if has_ambiguous_names(keywords) {
        return hide_properties(keywords);
    }
    move_choice(keywords);
    list_constants(keywords);
    type_values(keywords);
    describe_keys(keywords);
    describe_items(keywords);
    move_conditions(keywords);
    widen_texts(keywords);
    for_each_part(keywords, &mut |place, part| match (place, part) {
        // A branch that is only `null` makes the others optional.
        (Part::Branch(_), Value::Object(branch)) => restate_keywords(branch),
        (Part::Values, Value::Bool(_)) => {}
        (_, part) => restate_part(part),
    });
}

/// The position of a schema inside another one, if generators make a type of it.
pub(super) enum Part<'a> {
    /// A property, by its name.
    Property(&'a str),
    /// A branch of `anyOf` or `oneOf`, by its index.
    Branch(usize),
    /// A branch of `allOf`.
    Base,
    /// The items of an array.
    Items,
    /// The other properties of an object.
    Values,
}

/// Visits the parts that generators make types of.
pub(super) fn for_each_part(keywords: &mut Keywords, visit: &mut impl FnMut(Part<'_>, &mut Value)) {
    for (keyword, inner) in keywords.iter_mut() {
        match (keyword.as_str(), inner) {
            ("properties", Value::Object(named)) => {
                named.iter_mut().for_each(|(name, part)| visit(Part::Property(name), part));
            }
            ("anyOf" | "oneOf", Value::Array(list)) => {
                list.iter_mut()
                    .enumerate()
                    .for_each(|(index, part)| visit(Part::Branch(index), part));
            }
            ("allOf", Value::Array(list)) => {
                for part in list {
                    visit(Part::Base, part);
                }
            }
            ("prefixItems", Value::Array(list)) => {
                for part in list {
                    visit(Part::Items, part);
                }
            }
            ("items", part) => visit(Part::Items, part),
            ("additionalProperties", part) => visit(Part::Values, part),
            _ => {}
        }
    }
}

/// States that only `null` is admitted by an enumeration: generators have no type of `null` alone.
fn restate_null(keywords: &mut Keywords) {
    if is_null(keywords) {
        keywords.remove("const");
        keywords.insert("type".to_owned(), json!(["string", "null"]));
        keywords.insert("enum".to_owned(), json!([null]));
    }
}

fn is_null(keywords: &Keywords) -> bool {
    let is_type = |kind: &Value| *kind == "null" || *kind == json!(["null"]);
    keywords.get("type").is_some_and(is_type) || keywords.get("const") == Some(&Value::Null)
}

/// Turns a union of described constants into an enumeration, which the description explains.
fn list_constants(keywords: &mut Keywords) {
    let Some((union, kind, values, text)) = UNIONS.iter().find_map(|union| {
        let (kind, values, text) = constants(keywords.get(*union)?)?;
        Some((*union, kind, values, text))
    }) else {
        return;
    };
    if keywords.contains_key("enum") || keywords.contains_key("type") {
        return;
    }
    keywords.remove(union);
    keywords.insert("type".to_owned(), kind);
    keywords.insert("enum".to_owned(), values);
    let described = keywords.get("description").and_then(Value::as_str).unwrap_or_default();
    let separator = if described.is_empty() || text.is_empty() { "" } else { "\n\n" };
    let described = format!("{described}{separator}{text}");
    if !described.is_empty() {
        keywords.insert("description".to_owned(), described.into());
    }
}

/// Returns the type of all constants of a union, the constants, and a list of their descriptions.
fn constants(branches: &Value) -> Option<(Value, Value, String)> {
    let branches = branches.as_array().filter(|branches| !branches.is_empty())?;
    let (mut values, mut lines) = (Vec::<Value>::new(), Vec::new());
    for branch in branches {
        let branch = branch.as_object()?;
        let known_keywords = ["const", "type", "title", "description"];
        let value = branch.get("const")?;
        if !branch.keys().all(|keyword| known_keywords.contains(&keyword.as_str()))
            || values.contains(value)
        {
            return None;
        }
        if let Some(text) = branch.get("description").and_then(Value::as_str) {
            lines.push(format!(
                "- `{}`: {text}",
                value.as_str().map_or(value.to_string(), str::to_owned)
            ));
        }
        values.push(value.clone());
    }
    let kind = branches[0].get("type")?;
    let is_common = branches.iter().all(|branch| branch.get("type") == Some(kind));
    is_common.then(|| (kind.clone(), values.into(), lines.join("\n")))
}

/// Gives the values of `enum` and `const` their type, and moves those that clients cannot compare:
/// values of several types, truth values, and texts that would be one identifier.
fn type_values(keywords: &mut Keywords) {
    for keyword in ["enum", "const"] {
        let Some(value) = keywords.get(keyword) else { continue };
        let values = match value {
            Value::Array(values) if keyword == "enum" => values.as_slice(),
            value => std::slice::from_ref(value),
        };
        let kind = kind_of_all(values);
        if kind.is_none() || values.iter().any(Value::is_boolean) || collide(values) {
            move_aside(keywords, &[keyword]);
        }
        if let Some(kind) = kind {
            keywords.entry("type").or_insert(kind);
        }
    }
}

/// Returns the type that all values have, together with `null` if one is; `None` if they have several.
fn kind_of_all(values: &[Value]) -> Option<Value> {
    let kinds: BTreeSet<&str> = values.iter().filter(|it| !it.is_null()).map(kind_of).collect();
    let kind = match &Vec::from_iter(kinds)[..] {
        [kind @ ("string" | "boolean" | "integer" | "number")] => *kind,
        ["integer", "number"] => "number",
        [] if !values.is_empty() => "string",
        _ => return None,
    };
    let is_optional = values.iter().any(Value::is_null);
    Some(if is_optional { json!([kind, "null"]) } else { kind.into() })
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Returns whether two texts would be one identifier in a client.
fn collide(values: &[Value]) -> bool {
    let texts = || values.iter().filter_map(Value::as_str);
    let identifier = |text| identifier(text, char::is_alphanumeric);
    texts().map(identifier).collect::<BTreeSet<_>>().len() < texts().count()
}

/// Returns what the identifiers that clients make of a text have in common.
fn identifier(text: &str, is_part: impl Fn(char) -> bool) -> String {
    text.chars().filter(|it| is_part(*it)).flat_map(char::to_lowercase).collect()
}

/// Returns whether two properties would be one identifier in a client (`userId` and `user_id`), or
/// one would be none (`城市`): the client would not compile, or lose a property.
fn has_ambiguous_names(keywords: &Keywords) -> bool {
    let names = property_names(keywords);
    let identifiers: BTreeSet<String> =
        names.iter().map(|name| identifier(name, |it| it.is_ascii_alphanumeric())).collect();
    identifiers.len() < names.len() || identifiers.contains("")
}

/// Makes a map of an object. Its properties move to the conditions, together with what closes it.
fn hide_properties(keywords: &mut Keywords) {
    let stays = |keyword: &str| {
        ["type", "title"].contains(&keyword)
            || STAYING.contains(&keyword) && !["if", "else"].contains(&keyword)
    };
    let (staying, moved) =
        std::mem::take(keywords).into_iter().partition::<Keywords, _>(|(word, _)| stays(word));
    *keywords = staying;
    keywords.insert("additionalProperties".to_owned(), json!({}));
    add_condition(keywords, "allOf", json!([moved]));
}

/// States the values of a map with keys of one pattern by `additionalProperties`.
fn describe_keys(keywords: &mut Keywords) {
    let is_closed = keywords.get("additionalProperties") == Some(&Value::Bool(false));
    let has_others = keywords.get("properties").is_some_and(|named| *named != json!({}));
    if !is_closed || has_others || keywords.contains_key("propertyNames") {
        return;
    }
    let Some(Value::Object(patterns)) = keywords.get("patternProperties") else { return };
    if let [(pattern, value)] = &Vec::from_iter(patterns)[..] {
        let (names, value) = (json!({"pattern": pattern}), (*value).clone());
        keywords.remove("patternProperties");
        keywords.insert("propertyNames".to_owned(), names);
        keywords.insert("additionalProperties".to_owned(), value);
    }
}

/// Says that the items of an array are anything, where nothing says what they are.
fn describe_items(keywords: &mut Keywords) {
    let is_array = keywords
        .get("type")
        .is_some_and(|kind| *kind == "array" || *kind == json!(["array", "null"]));
    if is_array && !keywords.contains_key("prefixItems") {
        keywords.entry("items").or_insert_with(|| json!({}));
    }
}

/// Replaces listed strings by any string in a union with objects: clients do not tell the two apart.
fn widen_texts(keywords: &mut Keywords) {
    for union in UNIONS {
        let Some(Value::Array(branches)) = keywords.get_mut(union) else { continue };
        let has_objects = branches.iter().any(|it| it.get("properties").is_some());
        for branch in branches.iter_mut().filter(|it| has_objects && it["type"] == "string") {
            if let Value::Object(branch) = branch {
                move_aside(branch, &["enum", "const"]);
            }
        }
    }
}

/// Moves the branches that have no type of their own, and lists of types that generators cannot name.
fn move_conditions(keywords: &mut Keywords) {
    if mixes_types(keywords) {
        return hide_type(keywords);
    }
    move_aside(keywords, &CONDITIONS);
    let has_properties = keywords.get("properties").is_some_and(|named| *named != json!({}));
    let is_condition = |union: &&str| {
        let branches = keywords.get(*union).and_then(Value::as_array);
        // Generators take either the properties or the branches.
        branches.is_some_and(|branches| has_properties || !branches.iter().all(has_shape))
    };
    let moved: Vec<&str> = UNIONS.into_iter().filter(|it| is_condition(it)).collect();
    move_aside(keywords, &moved);
    move_restrictions(keywords);
}

/// Moves everything by which a generator makes a type.
pub(super) fn hide_type(keywords: &mut Keywords) {
    let is_condition = |keyword: &&String| !STAYING.contains(&keyword.as_str());
    let moved: Vec<String> = keywords.keys().filter(is_condition).cloned().collect();
    let moved: Vec<&str> = moved.iter().map(String::as_str).collect();
    move_aside(keywords, &moved);
}

/// Returns whether a value may be an object or array, and something else that is not `null`.
fn mixes_types(keywords: &Keywords) -> bool {
    let Some(Value::Array(kinds)) = keywords.get("type") else { return false };
    let others = kinds.iter().filter(|kind| *kind != "null").count();
    others > 1 && kinds.iter().any(|kind| kind == "object" || kind == "array")
}

fn has_shape(branch: &Value) -> bool {
    let Value::Object(keywords) = branch else { return false };
    let in_all = || keywords.get("allOf").and_then(Value::as_array);
    SHAPE.iter().any(|keyword| keywords.contains_key(*keyword))
        || in_all().is_some_and(|branches| branches.iter().any(has_shape))
}

/// Leaves the types in `allOf`, with the objects that add properties to them, and moves the others.
fn move_restrictions(keywords: &mut Keywords) {
    let Some(Value::Array(branches)) = keywords.remove("allOf") else { return };
    let mut names = property_names(keywords);
    let (mut types, mut restrictions) = (Vec::new(), Vec::new());
    let is_object = keywords.get("type").is_some_and(|kind| kind == "object");
    let has_type =
        is_object || keywords.contains_key("type") || keywords.contains_key("properties");
    for branch in branches {
        let added = branch.as_object().map(property_names).unwrap_or_default();
        let is_extension = branch.get("type").is_none_or(|kind| kind == "object")
            && (is_object || !types.is_empty())
            && !added.is_empty()
            && names.is_disjoint(&added);
        let is_first = types.is_empty() && !has_type && has_shape(&branch);
        if is_first || is_extension || branch.get("$ref").is_some() {
            names.extend(added);
            types.push(branch);
        } else {
            restrictions.push(branch);
        }
    }
    if !types.is_empty() {
        keywords.insert("allOf".to_owned(), types.into());
    }
    if !restrictions.is_empty() {
        add_condition(keywords, "allOf", restrictions.into());
    }
}

fn property_names(keywords: &Keywords) -> BTreeSet<String> {
    let properties = keywords.get("properties").and_then(Value::as_object);
    properties.into_iter().flat_map(Map::keys).cloned().collect()
}

/// Moves `if`, `then` and `else`.
fn move_choice(keywords: &mut Keywords) {
    let mut choice = Keywords::new();
    for keyword in ["if", "then", "else"] {
        choice.extend(keywords.remove(keyword).map(|value| (keyword.to_owned(), value)));
    }
    if choice.contains_key("if") {
        add_condition(keywords, "allOf", json!([choice]));
    }
}

/// Moves keywords out of the sight of generators.
fn move_aside(keywords: &mut Keywords, moved: &[&str]) {
    for keyword in moved {
        if let Some(value) = keywords.remove(*keyword) {
            add_condition(keywords, keyword, value);
        }
    }
}

/// Adds a keyword to the conditions, which always apply.
fn add_condition(keywords: &mut Keywords, keyword: &str, value: Value) {
    keywords.insert("if".to_owned(), json!({"not": {}}));
    let conditions = keywords.entry("else").or_insert_with(|| json!({}));
    let Some(conditions) = conditions.as_object_mut() else { return };
    if !conditions.contains_key(keyword) {
        conditions.insert(keyword.to_owned(), value);
        return;
    }
    let more = match value {
        Value::Array(more) if keyword == "allOf" => more,
        value => vec![json!({ keyword: value })],
    };
    if let Value::Array(conditions) = conditions.entry("allOf").or_insert_with(|| json!([])) {
        conditions.extend(more);
    }
}
