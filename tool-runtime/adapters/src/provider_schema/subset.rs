//! Converts a schema for dialects that support only some keywords.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::choice::nullable;
use super::definitions::admits_null;
use super::full_schema::is_width;
use super::normalize::{closes, is_annotation, is_secret, types, values};
use super::profile::EnumValues;
use super::{Keywords, SchemaConverter, below, sentences};
use crate::strict_nulls::OMITTED_AS_NULL;

impl SchemaConverter<'_> {
    pub(super) fn subset(&mut self, keywords: Keywords, at: &str) -> Value {
        let combines = keywords.contains_key("allOf") || keywords.contains_key("$ref");
        let keywords = if combines { self.combined(keywords, at) } else { keywords };
        for keyword in ["anyOf", "oneOf"] {
            if keywords.get(keyword).is_some_and(Value::is_array) {
                return self.choice(keywords, keyword, at);
            }
        }
        self.convert_without_choices(&keywords, at)
    }

    /// Converts a schema without choices.
    pub(super) fn convert_without_choices(&mut self, keywords: &Keywords, at: &str) -> Value {
        let mut draft = SchemaDraft { words: Keywords::new(), sentences: Vec::new() };
        if let Some(keyword) = PRESENCE_RULES.iter().find(|rule| keywords.contains_key(**rule)) {
            self.keep_null_defaults(keywords, &[], keyword, at);
        }
        let kinds = types(keywords);
        match kinds.as_slice() {
            [] => self.block_strict(at, "type", "any value"),
            [kind] => draft.set("type", kind.as_str().into()),
            kinds => draft.set("type", kinds.into()),
        }
        self.convert_enum(keywords, at, &mut draft);
        let holds = |kind: &str, keyword: &str| {
            kinds.iter().any(|own| own == kind) || keywords.contains_key(keyword)
        };
        if holds("object", "properties") || keywords.contains_key("additionalProperties") {
            self.object(keywords, at, &mut draft);
        }
        if holds("array", "items") || keywords.contains_key("prefixItems") {
            self.array(keywords, at, &mut draft);
        }
        for (keyword, value) in keywords {
            self.assertion(keyword, value, keywords, at, &mut draft);
        }
        self.finish(keywords, draft)
    }

    /// The description, extended by sentences.
    pub(super) fn annotations(&self, keywords: &Keywords) -> Value {
        self.finish(keywords, SchemaDraft { words: Keywords::new(), sentences: Vec::new() })
    }

    /// The schema with its description, extended by sentences.
    fn finish(&self, keywords: &Keywords, draft: SchemaDraft) -> Value {
        let SchemaDraft { mut words, mut sentences } = draft;
        let default =
            keywords.get("default").filter(|value| !value.is_null() && !is_secret(keywords));
        sentences.extend(default.and_then(|value| sentences::sentence("default", value)));
        if let Some(title) = keywords.get("title").filter(|title| self.titles && title.is_string())
        {
            if self.profile.supports("title") {
                words.insert("title".to_owned(), title.clone());
            } else {
                sentences.extend(sentences::sentence("title", title));
            }
        }
        let own_description =
            keywords.get("description").and_then(Value::as_str).map(str::to_owned);
        let join = |text: Option<String>, sentence: &String| {
            Some(sentences::joined(text.as_deref(), sentence))
        };
        if let Some(description) = sentences.iter().fold(own_description, join) {
            words.insert("description".to_owned(), description.into());
        }
        Value::Object(words)
    }

    fn supports(&self, keyword: &str, at: &str) -> bool {
        self.profile.supports(keyword)
            // A reference to the root has its location, too, and a depth.
            || (at.is_empty() && self.depth == 0 && self.profile.root_keywords.contains(&keyword))
    }

    /// Omits a keyword, and adds a sentence to the description if possible.
    fn move_to_description(
        &mut self,
        keyword: &str,
        value: &Value,
        at: &str,
        draft: &mut SchemaDraft,
    ) {
        match sentences::sentence(keyword, value) {
            Some(sentence) => {
                draft.sentences.push(sentence);
                self.record_loss(at, keyword, "moved to the description");
            }
            None => self.record_loss(at, keyword, "omitted"),
        }
    }

    fn convert_enum(&mut self, keywords: &Keywords, at: &str, draft: &mut SchemaDraft) {
        let Some(listed) = values(keywords) else { return };
        let keyword = if keywords.contains_key("const") { "const" } else { "enum" };
        let fits = |value: &Value| match self.profile.enum_values {
            EnumValues::Scalars => !value.is_array() && !value.is_object(),
            EnumValues::StringsAndNumbers => value.is_string() || value.is_number(),
        };
        if listed.iter().all(fits) {
            draft.set("enum", Value::Array(listed));
        } else if !listed.iter().all(Value::is_null) {
            let value = if keyword == "const" { listed[0].clone() } else { Value::Array(listed) };
            self.move_to_description(keyword, &value, at, draft);
        }
    }

    fn object(&mut self, keywords: &Keywords, at: &str, draft: &mut SchemaDraft) {
        let empty = Keywords::new();
        let declared_properties =
            keywords.get("properties").and_then(Value::as_object).unwrap_or(&empty);
        let required_names =
            keywords.get("required").and_then(Value::as_array).into_iter().flatten();
        let (required, unlisted): (Vec<&str>, Vec<&str>) = required_names
            .filter_map(Value::as_str)
            .partition(|name| declared_properties.contains_key(*name));
        if !unlisted.is_empty() {
            self.move_to_description("required", &json!(unlisted), at, draft);
        }
        let mut properties = self.properties(declared_properties, at);
        if self.profile.requires_all {
            self.allow_null_for_optional(keywords, &required, &mut properties, at);
            let all_names: Vec<Value> =
                properties.keys().map(|name| name.as_str().into()).collect();
            draft.set("required", all_names.into());
        } else if !required.is_empty() {
            let needed = self.property_names(&json!(required));
            if self.supports("required", at) {
                draft.set("required", needed);
            } else {
                self.move_to_description("required", &needed, at, draft);
            }
        }
        if keywords.contains_key("properties") || self.profile.strict {
            draft.set("properties", Value::Object(properties));
        }
        self.additional_properties(keywords, at, draft);
    }

    /// Lets `null` stand for each optional property, unless `null` is also a value of its own.
    fn allow_null_for_optional(
        &mut self,
        keywords: &Keywords,
        required: &[&str],
        properties: &mut Keywords,
        at: &str,
    ) {
        let required: HashSet<&str> = required.iter().copied().collect();
        for (name, schema) in
            keywords.get("properties").and_then(Value::as_object).into_iter().flatten()
        {
            let Some(property) = properties.get_mut(name) else { continue };
            if required.contains(name.as_str()) {
                continue;
            }
            let admits_null = admits_null(schema, self.definitions, &mut self.reads);
            let is_clear = !self.reads.is_spent() && schema.get("default") == Some(&Value::Null);
            if admits_null && !is_clear {
                self.block_strict(&below(at, &["properties", name]), "required", NULL_OR_ABSENT);
            }
            if !admits_null {
                *property = nullable(property.take());
            }
            if let Some(words) = property.as_object_mut() {
                words.insert(OMITTED_AS_NULL.to_owned(), true.into());
            }
        }
    }

    /// Converts the rules for undeclared properties.
    fn additional_properties(&mut self, keywords: &Keywords, at: &str, draft: &mut SchemaDraft) {
        let additional_schema = keywords.get("additionalProperties");
        let closed = additional_schema == Some(&Value::Bool(false))
            || (additional_schema.is_none() && closes(keywords));
        if keywords.contains_key("patternProperties") {
            self.block_strict(at, "patternProperties", "properties that are not named");
            if additional_schema
                .is_some_and(|additional_schema| *additional_schema != Value::Bool(true))
                || closed
            {
                self.record_loss(at, "additionalProperties", "omitted");
            }
            return;
        }
        if !closed {
            self.block_strict(at, "additionalProperties", "properties that are not named");
        }
        match additional_schema {
            _ if closed && self.supports("additionalProperties", at) => {
                draft.set("additionalProperties", false.into());
            }
            _ if closed => self.record_loss(at, "additionalProperties", "omitted"),
            Some(schema @ Value::Object(_)) if self.supports("additionalProperties", at) => {
                let schema = self.node(schema, &below(at, &["additionalProperties"]));
                draft.set("additionalProperties", schema);
            }
            Some(Value::Object(_)) => self.record_loss(at, "additionalProperties", "omitted"),
            _ => {}
        }
    }

    fn array(&mut self, keywords: &Keywords, at: &str, draft: &mut SchemaDraft) {
        let prefix = keywords.get("prefixItems").and_then(Value::as_array);
        let inside = self.profile.inside_items;
        let outside = self.profile;
        self.profile = inside.unwrap_or(outside);
        let prefix: Option<Vec<Value>> = prefix.map(|items| {
            let place = |index: usize| below(at, &["prefixItems", &index.to_string()]);
            items.iter().enumerate().map(|(index, item)| self.node(item, &place(index))).collect()
        });
        let items_schema = match keywords.get("items") {
            Some(Value::Bool(false)) => None,
            Some(items) => Some(self.node(items, &below(at, &["items"]))),
            None => Some(json!({})),
        };
        self.profile = outside;
        match prefix {
            Some(prefix) if self.supports("prefixItems", at) => {
                draft.set("prefixItems", Value::Array(prefix));
                if let (Some(items_schema), true) = (items_schema, keywords.contains_key("items")) {
                    draft.set("items", items_schema);
                }
            }
            Some(prefix) => self.tuple(prefix, items_schema, keywords, at, draft),
            None => match items_schema {
                Some(items_schema) if keywords.contains_key("items") => {
                    draft.set("items", items_schema);
                }
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
        draft: &mut SchemaDraft,
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
            None if !ends && self.supports("maxItems", at) => draft.set("maxItems", count.into()),
            _ => {}
        }
        let mut texts = HashSet::new();
        let mut kinds = items;
        kinds.retain(|item| texts.insert(item.to_string()));
        draft.set(
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
        keyword: &str,
        value: &Value,
        siblings: &Keywords,
        at: &str,
        draft: &mut SchemaDraft,
    ) {
        match (keyword, value) {
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
            _ if is_annotation(keyword) => {}
            ("format", Value::String(format)) if is_width(format, siblings) => {}
            ("format", Value::String(format))
                if self.profile.formats.contains(&format.as_str()) =>
            {
                draft.set(keyword, value.clone());
            }
            ("format", _) => self.move_to_description(keyword, value, at, draft),
            ("pattern", Value::String(pattern)) if !self.profile.accepts_pattern(pattern) => {
                self.move_to_description(keyword, value, at, draft);
            }
            ("uniqueItems", Value::Bool(false)) => {}
            ("maxItems", _) if draft.words.contains_key("maxItems") => {}
            ("exclusiveMinimum" | "exclusiveMaximum", _) if !self.supports(keyword, at) => {
                self.exclusive(keyword, value, siblings, at, draft);
            }
            _ if self.supports(keyword, at) => draft.set(keyword, value.clone()),
            _ if ASSERTIONS.contains(&keyword) => {
                self.move_to_description(keyword, value, at, draft);
            }
            _ => {}
        }
    }

    /// Converts an exclusive bound to an inclusive one, exactly for integers.
    fn exclusive(
        &mut self,
        keyword: &str,
        value: &Value,
        siblings: &Keywords,
        at: &str,
        draft: &mut SchemaDraft,
    ) {
        let (bound, step) = match keyword {
            "exclusiveMinimum" => ("minimum", 1),
            _ => ("maximum", -1),
        };
        let integral = types(siblings).iter().all(|kind| kind == "integer" || kind == "null");
        let next = value.as_i64().and_then(|value| value.checked_add(step)).filter(|_| integral);
        if !self.supports(bound, at) || siblings.contains_key(bound) {
            return self.move_to_description(keyword, value, at, draft);
        }
        if let Some(next) = next {
            return draft.set(bound, next.into());
        }
        draft.set(bound, value.clone());
        self.move_to_description(keyword, value, at, draft);
    }
}

/// The reason for which an optional property that accepts `null` is not declared strict.
const NULL_OR_ABSENT: &str = "the property may be `null` or absent, which a strict call cannot \
     tell apart; `\"default\": null` in its schema says that both mean the same";

/// Rules by which an object, or what contains it, depends on the presence of properties.
const PRESENCE_RULES: &[&str] = &[
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "if",
    "maxProperties",
    "minProperties",
    "not",
    "propertyNames",
    "uniqueItems",
];

/// Assertion keywords without special handling.
const ASSERTIONS: &[&str] = &[
    "contains",
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
    fn set(&mut self, keyword: &str, value: Value) {
        self.words.insert(keyword.to_owned(), value);
    }
}
