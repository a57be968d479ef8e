//! Titles of nested types, taken from the names of the types that contain them.

use std::collections::BTreeMap;

use schemars::Schema;
use serde_json::{Map, Value};

use super::reference::pointer;
use super::subschemas::for_each_schema_mut;
use super::title::is_scalar;

/// Titles the definitions and nested schemas of a document.
///
/// A container's type name holds the full names of its type arguments, as in
/// `alloc::vec::Vec<shop::Item>`. A definition that no titled schema names keeps its `$defs` name
/// as title, because plain derives do not record the module.
pub(super) fn title_nested(schema: Schema) -> Schema {
    let mut document = schema.to_value();
    let mut titles = BTreeMap::new();
    for_each_schema_mut(&mut document, &mut |schema| {
        let title = schema.get("title").and_then(Value::as_str).filter(|it| it.contains("::"));
        if let Some(title) = title.map(str::to_owned) {
            title_contents(schema, &title, &mut titles);
        }
    });
    for (place, name) in titles {
        if let Some(Value::Object(definition)) = document.pointer_mut(&place) {
            set_title(definition, &name);
        }
    }
    if let Some(Value::Object(definitions)) = document.get_mut("$defs") {
        for (name, definition) in definitions {
            if let Value::Object(definition) = definition {
                set_title(definition, name);
            }
        }
    }
    // An object schema converts back without failing.
    Schema::try_from(document).unwrap_or_default()
}

/// Titles of definitions, by JSON Pointer.
type DefinitionTitles = BTreeMap<String, String>;

/// Titles the subschemas of a schema of this type.
fn title_contents(schema: &mut Map<String, Value>, name: &str, titles: &mut DefinitionTitles) {
    if let Some(place) = schema.get("$ref").and_then(Value::as_str).and_then(pointer) {
        titles.entry(place).or_insert_with(|| without_pointers(name).to_owned());
        return;
    }
    match TypeArguments::parse(name) {
        TypeArguments::Same(inner) => {
            let branches = schema.get_mut("anyOf").and_then(Value::as_array_mut);
            for branch in branches.into_iter().flatten() {
                title_schema(branch, inner, titles);
            }
            title_contents(schema, inner, titles);
        }
        TypeArguments::Items(inner) => title_keyword(schema, "items", inner, titles),
        TypeArguments::Values(inner) => {
            title_keyword(schema, "additionalProperties", inner, titles);
        }
        TypeArguments::Each(types) => {
            let items = schema.get_mut("prefixItems").and_then(Value::as_array_mut);
            for (item, inner) in items.into_iter().flatten().zip(types) {
                title_schema(item, inner, titles);
            }
        }
        TypeArguments::Unknown => {}
    }
}

fn title_keyword(
    schema: &mut Map<String, Value>,
    keyword: &str,
    name: &str,
    titles: &mut DefinitionTitles,
) {
    if let Some(inner) = schema.get_mut(keyword) {
        title_schema(inner, name, titles);
    }
}

/// Titles a schema of this type and its subschemas.
fn title_schema(schema: &mut Value, name: &str, titles: &mut DefinitionTitles) {
    let Value::Object(schema) = schema else { return };
    if !schema.contains_key("$ref") {
        set_title(schema, name);
    }
    title_contents(schema, name, titles);
}

fn set_title(schema: &mut Map<String, Value>, name: &str) {
    if !is_scalar(schema) {
        schema.entry("title").or_insert_with(|| name.into());
    }
}

/// The location of the type arguments' schemas within a type's schema.
enum TypeArguments<'n> {
    /// The argument has the same schema, perhaps combined with `null`.
    Same(&'n str),
    /// In `items`.
    Items(&'n str),
    /// In `additionalProperties`.
    Values(&'n str),
    /// In `prefixItems`.
    Each(Vec<&'n str>),
    /// The type has no arguments, or is not a known container.
    Unknown,
}

impl<'n> TypeArguments<'n> {
    fn parse(name: &'n str) -> Self {
        if let Some(inner) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            return Self::Items(inner.rsplit_once("; ").map_or(inner, |(inner, _)| inner));
        }
        if let Some(inner) = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
            return Self::Each(arguments(inner));
        }
        let Some((path, rest)) = name.split_once('<') else { return Self::Unknown };
        let Some(inside) = rest.strip_suffix('>') else { return Self::Unknown };
        let crate_roots = ["alloc::", "core::", "std::", "indexmap::"];
        if !crate_roots.iter().any(|root| path.starts_with(root)) {
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

/// The type without references and smart pointers.
fn without_pointers(name: &str) -> &str {
    match TypeArguments::parse(name) {
        TypeArguments::Same(inner) => without_pointers(inner),
        TypeArguments::Items(_)
        | TypeArguments::Values(_)
        | TypeArguments::Each(_)
        | TypeArguments::Unknown => name,
    }
}

/// The types of a generic argument list, without lifetimes.
fn arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut titles) = (0_usize, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                titles.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    titles.push(text[from..].trim());
    titles.retain(|argument| !argument.is_empty() && !argument.starts_with('\''));
    titles
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
