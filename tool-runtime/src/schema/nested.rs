//! Titles of nested types: taken from the names of the types that hold them.

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::{Map, Value};

use super::export::subschemas::each;
use super::reference::pointer;
use super::title::is_scalar;

/// Titles what the titled schemas of a document hold, and every definition.
///
/// The name of a container has the full names of what it holds, as in
/// `alloc::vec::Vec<shop::Item>`. A definition that no titled schema names gets the name that it
/// has in `$defs`, since a type with plain derives does not tell its module.
pub(super) fn title_nested(schema: Schema) -> Schema {
    let mut document = schema.to_value();
    let mut found = BTreeMap::new();
    each(&mut document, &mut |schema| {
        let title = schema.get("title").and_then(Value::as_str).filter(|it| it.contains("::"));
        if let Some(title) = title.map(str::to_owned) {
            hold(schema, &title, &mut found);
        }
    });
    for (place, name) in found {
        if let Some(Value::Object(definition)) = document.pointer_mut(&place) {
            set(definition, &name);
        }
    }
    if let Some(Value::Object(definitions)) = document.get_mut("$defs") {
        for (name, definition) in definitions {
            if let Value::Object(definition) = definition {
                set(definition, name);
            }
        }
    }
    // An object stays one.
    Schema::try_from(document).unwrap_or_default()
}

/// The names of definitions, by their places.
type Found = BTreeMap<String, String>;

/// Titles what a schema of this type holds.
fn hold(schema: &mut Map<String, Value>, name: &str, found: &mut Found) {
    if let Some(place) = schema.get("$ref").and_then(Value::as_str).and_then(pointer) {
        found.entry(place).or_insert_with(|| bare(name).to_owned());
        return;
    }
    match Holds::of(name) {
        Holds::Same(inner) => {
            let branches = schema.get_mut("anyOf").and_then(Value::as_array_mut);
            for branch in branches.into_iter().flatten() {
                give(branch, inner, found);
            }
            hold(schema, inner, found);
        }
        Holds::Items(inner) => give_at(schema, "items", inner, found),
        Holds::Values(inner) => give_at(schema, "additionalProperties", inner, found),
        Holds::Each(types) => {
            let items = schema.get_mut("prefixItems").and_then(Value::as_array_mut);
            for (item, inner) in items.into_iter().flatten().zip(types) {
                give(item, inner, found);
            }
        }
        Holds::Unknown => {}
    }
}

fn give_at(schema: &mut Map<String, Value>, keyword: &str, name: &str, found: &mut Found) {
    if let Some(inner) = schema.get_mut(keyword) {
        give(inner, name, found);
    }
}

/// Titles a schema of this type, and what it holds.
fn give(schema: &mut Value, name: &str, found: &mut Found) {
    let Value::Object(schema) = schema else { return };
    if !schema.contains_key("$ref") {
        set(schema, name);
    }
    hold(schema, name, found);
}

fn set(schema: &mut Map<String, Value>, name: &str) {
    if !is_scalar(schema) {
        schema.entry("title").or_insert_with(|| name.into());
    }
}

/// Where the schema of a type has the schemas of its type arguments.
enum Holds<'n> {
    /// The argument's schema is the type's own, perhaps beside `null`.
    Same(&'n str),
    /// In `items`.
    Items(&'n str),
    /// In `additionalProperties`.
    Values(&'n str),
    /// In `prefixItems`.
    Each(Vec<&'n str>),
    /// It has none, or nothing is known of the type.
    Unknown,
}

impl<'n> Holds<'n> {
    fn of(name: &'n str) -> Self {
        if let Some(inner) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return Self::Items(inner.rsplit_once("; ").map_or(inner, |(inner, _)| inner));
        }
        if let Some(inner) = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Self::Each(arguments(inner));
        }
        let Some((path, rest)) = name.split_once('<') else { return Self::Unknown };
        let Some(inside) = rest.strip_suffix('>') else { return Self::Unknown };
        let known = ["alloc::", "core::", "std::", "indexmap::"];
        if !known.iter().any(|root| path.starts_with(root)) {
            return Self::Unknown;
        }
        let arguments = arguments(inside);
        let last = path.rsplit("::").next().unwrap_or(path);
        match (last, arguments.as_slice()) {
            ("Option" | "Box" | "Rc" | "Arc" | "Cow", [inner, ..]) => Self::Same(inner),
            (
                "Vec" | "VecDeque" | "LinkedList" | "HashSet" | "BTreeSet" | "BinaryHeap"
                | "IndexSet",
                [inner, ..],
            ) => Self::Items(inner),
            ("HashMap" | "BTreeMap" | "IndexMap", [_, value, ..]) => Self::Values(value),
            _ => Self::Unknown,
        }
    }
}

/// The type itself, without what only points to it.
fn bare(name: &str) -> &str {
    match Holds::of(name) {
        Holds::Same(inner) => bare(inner),
        _ => name,
    }
}

/// The types of a list, without lifetimes.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found.retain(|argument| !argument.is_empty() && !argument.starts_with('\''));
    found
}

#[cfg(test)]
mod tests {
    use super::arguments;

    #[test]
    fn arguments_come_apart_where_no_bracket_is_open() {
        assert_eq!(arguments("a::B<c::D, e::F>, (g, h)"), ["a::B<c::D, e::F>", "(g, h)"]);
        assert_eq!(arguments("'_, [u8; 4]"), ["[u8; 4]"]);
        assert_eq!(arguments(""), [""; 0]);
    }
}
