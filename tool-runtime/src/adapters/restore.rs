//! Converts arguments from a declaration back to the tool's own schema.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use serde_json::Value;

use super::lower::{Definitions, admits_null};
use super::names;
use crate::json::{JsonKind, JsonNode, JsonView, equals_value, read};
use crate::limits::Limits;

/// The changes of one tool's schema in its declaration.
#[derive(Debug, Clone)]
pub(super) struct DeclarationChanges {
    /// The tool's own schema.
    pub(super) schema: Value,
    /// True if `null` represents an omitted property.
    pub(super) nulls: bool,
    /// True if properties are renamed.
    pub(super) names: bool,
}

impl DeclarationChanges {
    /// Converts arguments back; unchanged parts stay as they were written.
    ///
    /// A text that is not JSON, or repeats a property, is returned unchanged.
    pub(super) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Ok(tree) = read(text, &Limits::WIDEST) else { return Cow::Borrowed(text) };
        if !tree.duplicates().is_empty() {
            return Cow::Borrowed(text);
        }
        let mut walk = Restorer {
            undo: self,
            definitions: Definitions::new(&self.schema),
            view: tree.view(text),
            edits: Vec::new(),
        };
        walk.value(0, &[&self.schema]);
        edited(text, &walk.edits)
    }
}

/// The text with these ranges replaced, in order.
fn edited<'t>(text: &'t str, edits: &[(Range<usize>, String)]) -> Cow<'t, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in edits {
        result.push_str(&text[at..range.start]);
        result.push_str(with);
        at = range.end;
    }
    result.push_str(&text[at..]);
    Cow::Owned(result)
}

struct Restorer<'s, 't> {
    undo: &'s DeclarationChanges,
    definitions: Definitions<'s>,
    view: JsonView<'t>,
    edits: Vec<(Range<usize>, String)>,
}

/// The schemas that apply to one value.
#[derive(Default)]
struct ApplicableSchemas<'s> {
    /// Those that certainly apply.
    fit: Vec<&'s Value>,
    /// Branches of choices that may apply.
    chosen: Vec<&'s Value>,
    /// Branches of choices that do not apply.
    other: Vec<&'s Value>,
    /// Visited schemas by address, once per way of applying.
    seen: HashSet<(*const Value, Applicability)>,
}

/// The way in which a schema applies to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Applicability {
    /// It applies.
    Always,
    /// It applies if its branch is the intended one.
    Possibly,
    /// It is in a branch that is not intended.
    Nothing,
}

impl<'s> ApplicableSchemas<'s> {
    /// Adds a schema; returns false if it was visited already.
    fn add(&mut self, schema: &'s Value, applicability: Applicability) -> bool {
        let is_new = self.seen.insert((schema, applicability));
        if is_new {
            match applicability {
                Applicability::Always => self.fit.push(schema),
                Applicability::Possibly => self.chosen.push(schema),
                Applicability::Nothing => self.other.push(schema),
            }
        }
        is_new
    }

    fn held(&self) -> impl Iterator<Item = &'s Value> + use<'_, 's> {
        self.fit.iter().chain(&self.chosen).copied()
    }
}

impl<'s> Restorer<'s, '_> {
    fn value(&mut self, id: u32, schemas: &[&'s Value]) {
        let mut applicable = ApplicableSchemas::default();
        for schema in schemas {
            self.collect(id, schema, Applicability::Always, &mut applicable, 0);
        }
        match self.view.node(id).kind {
            JsonKind::Object => self.object(id, &applicable),
            JsonKind::Array => self.array(id, &applicable),
            _ => {}
        }
    }

    /// Collects every schema of the same value, through references and branches.
    fn collect(
        &self,
        id: u32,
        schema: &'s Value,
        applicability: Applicability,
        into: &mut ApplicableSchemas<'s>,
        depth: usize,
    ) {
        const DEEPEST: usize = 32;
        if depth > DEEPEST || !into.add(schema, applicability) {
            return;
        }
        if let Some(target) = self.definitions.target(schema) {
            self.collect(id, target, applicability, into, depth + 1);
        }
        for branch in branches(schema, "allOf") {
            self.collect(id, branch, applicability, into, depth + 1);
        }
        for branch in ["anyOf", "oneOf"].iter().flat_map(|keyword| branches(schema, keyword)) {
            let may_match = applicability != Applicability::Nothing
                && self.may_match(id, self.definitions.resolved(branch));
            let applicability =
                if may_match { Applicability::Possibly } else { Applicability::Nothing };
            self.collect(id, branch, applicability, into, depth + 1);
        }
    }

    /// Returns whether the value may match a branch, by type, discriminators and properties.
    fn may_match(&self, id: u32, branch: &Value) -> bool {
        let node = self.view.node(id);
        if !admits_kind(branch, node.kind) {
            return false;
        }
        if node.kind != JsonKind::Object {
            return true;
        }
        let properties = branch["properties"].as_object().into_iter().flatten();
        let tagged = |(name, schema): (&String, &Value)| match self.member(id, name) {
            Some(member) => {
                let kind = self.view.node(member).kind;
                if kind != JsonKind::Null && !admits_kind(self.definitions.resolved(schema), kind) {
                    return false;
                }
                let listed = schema["enum"].as_array();
                schema.get("const").is_none_or(|tag| equals_value(self.view, member, tag))
                    && listed
                        .is_none_or(|tags| tags.iter().any(|t| equals_value(self.view, member, t)))
            }
            None => true,
        };
        let present = |name: &Value| {
            let Some(name) = name.as_str() else { return true };
            self.member(id, name).is_some_and(|member| {
                self.view.node(member).kind != JsonKind::Null
                    || admits_null(&branch["properties"][name], self.definitions)
            })
        };
        properties.into_iter().all(tagged)
            && branch["required"].as_array().into_iter().flatten().all(present)
    }

    /// The property with this name in the tool's schema.
    fn member(&self, object: u32, name: &str) -> Option<u32> {
        let written = |key: &str| key == name || (self.undo.names && key == names::property(name));
        self.view.children(object).find(|(_, node)| written(&self.view.key(node))).map(|(id, _)| id)
    }

    fn object(&mut self, id: u32, schemas: &ApplicableSchemas<'s>) {
        let members: Vec<_> = self.view.children(id).collect();
        let gone: Vec<bool> =
            members.iter().map(|(_, node)| self.is_omitted(node, schemas)).collect();
        let kept = gone.iter().rposition(|gone| !gone).map_or(0, |last| last + 1);
        for (at, (child, node)) in members.iter().enumerate().take(kept) {
            if gone[at] {
                let range = node.member_start()..members[at + 1].1.member_start();
                self.edits.push((range, String::new()));
                continue;
            }
            self.rename(node, schemas);
            let inner = self.owned(&self.view.key(node), schemas.held());
            self.value(*child, &inner.into_iter().map(|(_, _, schema)| schema).collect::<Vec<_>>());
        }
        if let (Some((_, first)), Some((_, last))) = (members.get(kept), members.last()) {
            let start = kept.checked_sub(1).map_or(first.member_start(), |at| members[at].1.end());
            self.edits.push((start..last.end(), String::new()));
        }
    }

    /// Returns whether the `null` represents an omitted property.
    fn is_omitted(&self, node: &JsonNode, schemas: &ApplicableSchemas<'s>) -> bool {
        if !self.undo.nulls || node.kind != JsonKind::Null {
            return false;
        }
        let key = self.view.key(node);
        let declared = self.owned(&key, schemas.held());
        let needed = declared.iter().any(|(owner, name, _)| {
            let required = owner["required"].as_array().into_iter().flatten();
            required.into_iter().any(|required| required == name)
        });
        let takes = |(_, _, schema): &(_, _, &Value)| admits_null(schema, self.definitions);
        let (always, perhaps) = (
            self.owned(&key, schemas.fit.iter().copied()),
            self.owned(&key, schemas.chosen.iter().copied()),
        );
        // One of several possible branches is sufficient.
        let meant = !declared.is_empty()
            && always.iter().all(takes)
            && (perhaps.is_empty() || perhaps.iter().any(takes));
        let known =
            !declared.is_empty() || !self.owned(&key, schemas.other.iter().copied()).is_empty();
        known && !needed && !meant
    }

    /// The schemas that declare this property, with the tool's name and schema of it.
    fn owned(
        &self,
        key: &str,
        schemas: impl Iterator<Item = &'s Value>,
    ) -> Vec<(&'s Value, &'s str, &'s Value)> {
        let mut found = Vec::new();
        for owner in schemas {
            let Some(properties) = owner["properties"].as_object() else { continue };
            let exact = properties.get_key_value(key);
            let respelt = || {
                properties.iter().find(|(name, _)| self.undo.names && names::property(name) == key)
            };
            if let Some((name, schema)) = exact.or_else(respelt) {
                found.push((owner, name.as_str(), schema));
            }
        }
        found
    }

    fn rename(&mut self, node: &JsonNode, schemas: &ApplicableSchemas<'s>) {
        if !self.undo.names {
            return;
        }
        let key = self.view.key(node);
        let meant = self.owned(&key, schemas.held()).first().map(|(_, name, _)| *name);
        let Some(name) = meant.filter(|name| *name != key) else { return };
        let start = node.member_start() + 1;
        let quoted = Value::from(name).to_string();
        let range = start..start + self.view.raw_key(node).len();
        self.edits.push((range, quoted[1..quoted.len() - 1].to_owned()));
    }

    fn array(&mut self, id: u32, schemas: &ApplicableSchemas<'s>) {
        let view = self.view;
        for (at, (child, _)) in view.children(id).enumerate() {
            let inner: Vec<_> = schemas.held().filter_map(|schema| item(schema, at)).collect();
            self.value(child, &inner);
        }
    }
}

fn branches<'s>(schema: &'s Value, keyword: &str) -> impl Iterator<Item = &'s Value> + use<'s> {
    schema.get(keyword).and_then(Value::as_array).into_iter().flatten()
}

fn item(schema: &Value, at: usize) -> Option<&Value> {
    let listed = schema.get("prefixItems").and_then(|items| items.get(at));
    listed.or_else(|| schema.get("items"))
}

fn admits_kind(schema: &Value, kind: JsonKind) -> bool {
    let admits = |name: &Value| match kind {
        JsonKind::Null => name == "null",
        JsonKind::Bool => name == "boolean",
        JsonKind::Number => name == "number" || name == "integer",
        JsonKind::String => name == "string",
        JsonKind::Array => name == "array",
        JsonKind::Object => name == "object",
    };
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(admits),
        Some(name) => admits(name),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(schema: &Value, written: &str, meant: &str) {
        let undo = DeclarationChanges { schema: schema.clone(), nulls: true, names: true };
        assert_eq!(undo.restore(written), meant);
    }

    fn optional() -> Value {
        json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "string"},
                "c": {"type": ["string", "null"]},
                "d": {"type": "array", "items": {"$ref": "#"}},
            },
            "required": ["b"],
        })
    }

    #[test]
    fn a_null_that_says_nothing_is_taken_out_wherever_it_stands() {
        check(&optional(), r#"{"a":null,"b":"x"}"#, r#"{"b":"x"}"#);
        check(&optional(), r#"{"b":"x","a":null}"#, r#"{"b":"x"}"#);
        check(&optional(), r#"{ "b" : "x" , "a" : null , "d" : null }"#, r#"{ "b" : "x" }"#);
        check(&optional(), r#"{"a":null, "d":null}"#, "{}");
        check(&optional(), r#"{"a":null,"b":"x","d":null}"#, r#"{"b":"x"}"#);
        check(&optional(), r#"{"d":[{"a":null,"b":"y"}],"b":"x"}"#, r#"{"d":[{"b":"y"}],"b":"x"}"#);
    }

    #[test]
    fn a_null_that_says_something_stays() {
        for text in [r#"{"b":null}"#, r#"{"b":"x","c":null}"#, r#"{"b":"x","e":null}"#, "null"] {
            check(&optional(), text, text);
        }
    }

    #[test]
    fn what_no_reader_takes_is_left_to_it() {
        let twice = r#"{"a":null,"b":"x","a":null}"#;
        for text in [twice, r#"{"a":null"#, r#"{"a":nul}"#, "", r#"{"b":01,"a":null}"#] {
            check(&optional(), text, text);
        }
        check(&optional(), r#"{"b":1e999,"a":null}"#, r#"{"b":1e999}"#);
        check(&optional(), r#"{"\u0061":null,"b":"\ud83d\ude00"}"#, r#"{"b":"\ud83d\ude00"}"#);
    }

    #[test]
    fn the_branch_that_is_meant_decides() {
        let schema = json!({"type": "object", "properties": {"it": {"oneOf": [
            {"type": "object", "required": ["kind"], "properties": {
                "kind": {"const": "a"}, "note": {"type": "string"},
            }},
            {"type": "object", "required": ["kind", "note"], "properties": {
                "kind": {"const": "b"}, "note": {"type": ["string", "null"]},
            }},
        ]}}});
        let b = r#"{"it":{"kind":"b","note":null}}"#;
        check(&schema, r#"{"it":{"kind":"a","note":null}}"#, r#"{"it":{"kind":"a"}}"#);
        check(&schema, b, b);
    }

    #[test]
    fn a_null_that_one_of_the_branches_takes_stays() {
        let of = |id: &str, note: &Value| json!({"type": "object", "properties": {"id": {"type": id}, "note": note}});
        let (text, clears) = (json!({"type": "string"}), json!({"type": ["string", "null"]}));
        let it = |branches: [Value; 2]| json!({"properties": {"it": {"anyOf": branches}}});
        let (number, word) = (r#"{"it":{"id":1,"note":null}}"#, r#"{"it":{"id":"x","note":null}}"#);
        let alike = it([of("integer", &clears), of("integer", &text)]);
        check(&alike, number, number);
        let told_apart = it([of("integer", &clears), of("string", &text)]);
        check(&told_apart, number, number);
        check(&told_apart, word, r#"{"it":{"id":"x"}}"#);
    }

    #[test]
    fn a_type_that_many_paths_lead_to_is_looked_at_once() {
        let level = |at: usize| {
            let next = json!({"$ref": format!("#/$defs/{}", at + 1)});
            (at.to_string(), json!({"anyOf": [next, next]}))
        };
        let mut types: serde_json::Map<_, _> = (0..30).map(level).collect();
        types.insert("30".to_owned(), json!({"properties": {"a": {"type": "string"}}}));
        let schema = json!({"properties": {"it": {"$ref": "#/$defs/20"}}, "$defs": types});
        check(&schema, r#"{"it":{"a":null}}"#, r#"{"it":{}}"#);
        let definitions = Definitions::new(&schema);
        assert!(!admits_null(&json!({"type": "string", "$ref": "#/$defs/0"}), definitions));
        let text = json!({"$defs": {"t": {"anyOf": [{"type": "string"}]}}});
        assert!(!admits_null(&json!({"$ref": "#/$defs/t"}), Definitions::new(&text)));
    }

    #[test]
    fn a_property_gets_its_own_name_back_at_every_depth() {
        let schema = json!({"type": "object", "properties": {
            "$top": {"type": "object", "properties": {"@\"of": {"type": "string"}}},
        }});
        let (top, of) = (names::property("$top"), names::property("@\"of"));
        let written = format!(r#"{{ "{top}": {{"{of}": "x"}} }}"#);
        check(&schema, &written, r#"{ "$top": {"@\"of": "x"} }"#);
    }
}
