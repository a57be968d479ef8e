//! Converts a schema for dialects that support only some keywords.

use serde_json::{Map, Value, json};

use super::choice::nullable;
use super::definitions::admits_null;
use super::full_schema::is_width;
use super::normalize::{closes, is_annotation, is_secret, types, values};
use super::profile::EnumValues;
use super::{Lowering, below, sentences};

type Keywords = Map<String, Value>;

impl Lowering<'_> {
    pub(super) fn subset(&mut self, keywords: Keywords, at: &str) -> Value {
        let combines = keywords.contains_key("allOf") || keywords.contains_key("$ref");
        let keywords = if combines { self.combined(keywords, at) } else { keywords };
        for word in ["anyOf", "oneOf"] {
            if keywords.get(word).is_some_and(Value::is_array) {
                return self.choice(keywords, word, at);
            }
        }
        self.plain(&keywords, at)
    }

    /// Converts a schema without choices.
    pub(super) fn plain(&mut self, keywords: &Keywords, at: &str) -> Value {
        let mut said = SchemaDraft { words: Keywords::new(), sentences: Vec::new() };
        let kinds = types(keywords);
        match kinds.as_slice() {
            [] => self.block_strict(at, "type", "any value"),
            [kind] => said.word("type", kind.as_str().into()),
            kinds => said.word("type", kinds.into()),
        }
        self.values(keywords, at, &mut said);
        let holds = |kind: &str, word: &str| {
            kinds.iter().any(|own| own == kind) || keywords.contains_key(word)
        };
        if holds("object", "properties") || keywords.contains_key("additionalProperties") {
            self.object(keywords, at, &mut said);
        }
        if holds("array", "items") || keywords.contains_key("prefixItems") {
            self.array(keywords, at, &mut said);
        }
        for (word, value) in keywords {
            self.assertion(word, value, keywords, at, &mut said);
        }
        self.finished(keywords, said)
    }

    /// The description, extended by sentences.
    pub(super) fn annotations(&self, keywords: &Keywords) -> Value {
        self.finished(keywords, SchemaDraft { words: Keywords::new(), sentences: Vec::new() })
    }

    /// The schema with its description, extended by sentences.
    fn finished(&self, keywords: &Keywords, said: SchemaDraft) -> Value {
        let SchemaDraft { mut words, mut sentences } = said;
        let default =
            keywords.get("default").filter(|value| !value.is_null() && !is_secret(keywords));
        sentences.extend(default.and_then(|value| sentences::said("default", value)));
        if let Some(title) = keywords.get("title").filter(|title| self.titles && title.is_string())
        {
            if self.profile.knows("title") {
                words.insert("title".to_owned(), title.clone());
            } else {
                sentences.extend(sentences::said("title", title));
            }
        }
        let own = keywords.get("description").and_then(Value::as_str).map(str::to_owned);
        let join = |text: Option<String>, sentence: &String| {
            Some(sentences::joined(text.as_deref(), sentence))
        };
        if let Some(description) = sentences.iter().fold(own, join) {
            words.insert("description".to_owned(), description.into());
        }
        Value::Object(words)
    }

    fn knows(&self, word: &str, at: &str) -> bool {
        self.profile.knows(word) || (at.is_empty() && self.profile.root.contains(&word))
    }

    /// Omits a keyword, and adds a sentence to the description if possible.
    fn leave(&mut self, word: &str, value: &Value, at: &str, said: &mut SchemaDraft) {
        match sentences::said(word, value) {
            Some(sentence) => {
                said.sentences.push(sentence);
                self.record_loss(at, word, "moved to the description");
            }
            None => self.record_loss(at, word, "omitted"),
        }
    }

    fn values(&mut self, keywords: &Keywords, at: &str, said: &mut SchemaDraft) {
        let Some(listed) = values(keywords) else { return };
        let word = if keywords.contains_key("const") { "const" } else { "enum" };
        let fits = |value: &Value| match self.profile.values {
            EnumValues::Scalars => !value.is_array() && !value.is_object(),
            EnumValues::StringsAndNumbers => value.is_string() || value.is_number(),
        };
        if listed.iter().all(fits) {
            said.word("enum", Value::Array(listed));
        } else if !listed.iter().all(Value::is_null) {
            let value = if word == "const" { listed[0].clone() } else { Value::Array(listed) };
            self.leave(word, &value, at, said);
        }
    }

    fn object(&mut self, keywords: &Keywords, at: &str, said: &mut SchemaDraft) {
        let empty = Keywords::new();
        let named = keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let listed = keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> =
            listed.filter_map(Value::as_str).filter(|name| named.contains_key(*name)).collect();
        let mut properties = self.properties(named, at);
        if self.profile.strict {
            self.allow_null_for_optional(named, &required, &mut properties);
            let all: Vec<Value> = properties.keys().map(|name| name.as_str().into()).collect();
            said.word("required", all.into());
        } else if !required.is_empty() {
            let needed = self.property_names(&json!(required));
            if self.knows("required", at) {
                said.word("required", needed);
            } else {
                self.leave("required", &needed, at, said);
            }
        }
        if keywords.contains_key("properties") || self.profile.strict {
            said.word("properties", Value::Object(properties));
        }
        self.further(keywords, at, said);
    }

    /// Lets `null` represent each optional property.
    fn allow_null_for_optional(
        &mut self,
        named: &Keywords,
        required: &[&str],
        properties: &mut Keywords,
    ) {
        for (name, schema) in named {
            if required.contains(&name.as_str()) || admits_null(schema, self.definitions) {
                continue;
            }
            let wire = self.property_name(name);
            if let Some(said) = properties.get_mut(&wire) {
                *said = nullable(said.take());
                self.nulls = true;
            }
        }
    }

    /// Converts the rules for undeclared properties.
    fn further(&mut self, keywords: &Keywords, at: &str, said: &mut SchemaDraft) {
        let spoken = keywords.get("additionalProperties");
        let closed = spoken == Some(&Value::Bool(false)) || (spoken.is_none() && closes(keywords));
        if keywords.contains_key("patternProperties") {
            self.block_strict(at, "patternProperties", "properties that are not named");
            if spoken.is_some_and(|spoken| *spoken != Value::Bool(true)) || closed {
                self.record_loss(at, "additionalProperties", "omitted");
            }
            return;
        }
        if !closed {
            self.block_strict(at, "additionalProperties", "properties that are not named");
        }
        match spoken {
            _ if closed && self.knows("additionalProperties", at) => {
                said.word("additionalProperties", false.into());
            }
            _ if closed => self.record_loss(at, "additionalProperties", "omitted"),
            Some(schema @ Value::Object(_)) if self.knows("additionalProperties", at) => {
                let schema = self.node(schema, &below(at, &["additionalProperties"]));
                said.word("additionalProperties", schema);
            }
            Some(Value::Object(_)) => self.record_loss(at, "additionalProperties", "omitted"),
            _ => {}
        }
    }

    fn array(&mut self, keywords: &Keywords, at: &str, said: &mut SchemaDraft) {
        let prefix = keywords.get("prefixItems").and_then(Value::as_array);
        let inside = self.profile.inside_items;
        let outside = self.profile;
        self.profile = inside.unwrap_or(outside);
        let prefix: Option<Vec<Value>> = prefix.map(|items| {
            let place = |index: usize| below(at, &["prefixItems", &index.to_string()]);
            items.iter().enumerate().map(|(index, item)| self.node(item, &place(index))).collect()
        });
        let rest = match keywords.get("items") {
            Some(Value::Bool(false)) => None,
            Some(items) => Some(self.node(items, &below(at, &["items"]))),
            None => Some(json!({})),
        };
        self.profile = outside;
        match prefix {
            Some(prefix) if self.knows("prefixItems", at) => {
                said.word("prefixItems", Value::Array(prefix));
                if let (Some(rest), true) = (rest, keywords.contains_key("items")) {
                    said.word("items", rest);
                }
            }
            Some(prefix) => self.tuple(prefix, rest, keywords, at, said),
            None => match rest {
                Some(rest) if keywords.contains_key("items") => said.word("items", rest),
                Some(_) => self.block_strict(at, "items", "items of any kind"),
                None => self.record_loss(at, "items", "omitted"),
            },
        }
    }

    /// Converts a tuple to a list of which each item matches any of the tuple's schemas.
    fn tuple(
        &mut self,
        mut items: Vec<Value>,
        rest: Option<Value>,
        keywords: &Keywords,
        at: &str,
        said: &mut SchemaDraft,
    ) {
        let count = items.len();
        let longest = keywords.get("maxItems").and_then(Value::as_u64);
        let ends = longest.is_some_and(|longest| longest <= count as u64);
        match rest {
            Some(rest) if !ends => {
                if rest == json!({}) {
                    self.block_strict(at, "items", "items of any kind");
                }
                items.push(rest);
            }
            None if !ends && self.knows("maxItems", at) => said.word("maxItems", count.into()),
            _ => {}
        }
        let mut kinds: Vec<Value> = Vec::new();
        for item in items {
            if !kinds.contains(&item) {
                kinds.push(item);
            }
        }
        said.word(
            "items",
            if kinds.len() == 1 { kinds.remove(0) } else { json!({ "anyOf": kinds }) },
        );
        if kinds.len() > 1 || count > 1 {
            self.record_loss(at, "prefixItems", "each item may match any of them");
        }
    }

    /// Converts one assertion keyword.
    fn assertion(
        &mut self,
        word: &str,
        value: &Value,
        beside: &Keywords,
        at: &str,
        said: &mut SchemaDraft,
    ) {
        match (word, value) {
            (
                "type"
                | "enum"
                | "const"
                | "properties"
                | "required"
                | "additionalProperties"
                | "unevaluatedProperties"
                | "items"
                | "prefixItems",
                _,
            ) => {}
            _ if is_annotation(word) => {}
            ("format", Value::String(format)) if is_width(format, beside) => {}
            ("format", Value::String(format))
                if self.profile.formats.contains(&format.as_str()) =>
            {
                said.word(word, value.clone());
            }
            ("format", _) => self.leave(word, value, at, said),
            ("uniqueItems", Value::Bool(false)) => {}
            ("maxItems", _) if said.words.contains_key("maxItems") => {}
            ("exclusiveMinimum" | "exclusiveMaximum", _) if !self.knows(word, at) => {
                self.exclusive(word, value, beside, at, said);
            }
            _ if self.knows(word, at) => said.word(word, value.clone()),
            _ if ASSERTIONS.contains(&word) => self.leave(word, value, at, said),
            _ => {}
        }
    }

    /// Converts an exclusive bound to an inclusive one, exactly for integers.
    fn exclusive(
        &mut self,
        word: &str,
        value: &Value,
        beside: &Keywords,
        at: &str,
        said: &mut SchemaDraft,
    ) {
        let (bound, step) = match word {
            "exclusiveMinimum" => ("minimum", 1),
            _ => ("maximum", -1),
        };
        let integral = types(beside).iter().all(|kind| kind == "integer" || kind == "null");
        let next = value.as_i64().and_then(|value| value.checked_add(step)).filter(|_| integral);
        if !self.knows(bound, at) || beside.contains_key(bound) {
            return self.leave(word, value, at, said);
        }
        if let Some(next) = next {
            return said.word(bound, next.into());
        }
        said.word(bound, value.clone());
        self.leave(word, value, at, said);
    }
}

/// Assertion keywords without special handling.
const ASSERTIONS: &[&str] = &[
    "contains",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "pattern",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "uniqueItems",
];

/// A schema under construction.
struct SchemaDraft {
    words: Keywords,
    sentences: Vec<String>,
}

impl SchemaDraft {
    fn word(&mut self, word: &str, value: Value) {
        self.words.insert(word.to_owned(), value);
    }
}
