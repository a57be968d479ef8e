//! Converts the keywords of older drafts and of OpenAPI 3.0 to draft 2020-12.

use serde_json::{Map, Value, json};

/// Converts the keywords of one schema, without those of the schemas within it.
pub fn to_current_draft(keywords: &mut Map<String, Value>) {
    tuple(keywords);
    dependencies(keywords);
    exclusive(keywords, "minimum", "exclusiveMinimum");
    exclusive(keywords, "maximum", "exclusiveMaximum");
    nullable(keywords);
}

/// Draft 2019-09: `items` as a list, and `additionalItems` for the rest.
fn tuple(keywords: &mut Map<String, Value>) {
    if !keywords.get("items").is_some_and(Value::is_array) {
        return;
    }
    if let Some(items) = keywords.remove("items") {
        keywords.insert("prefixItems".to_owned(), items);
    }
    if let Some(additional_items) = keywords.remove("additionalItems") {
        keywords.insert("items".to_owned(), additional_items);
    }
}

/// Draft 7: `dependencies` for both kinds of rules.
fn dependencies(keywords: &mut Map<String, Value>) {
    let Some(Value::Object(rules)) = keywords.remove("dependencies") else { return };
    for (property, rule) in rules {
        let keyword = if rule.is_array() { "dependentRequired" } else { "dependentSchemas" };
        let rules_of_kind = keywords.entry(keyword).or_insert_with(|| json!({}));
        if let Value::Object(rules_of_kind) = rules_of_kind {
            rules_of_kind.insert(property, rule);
        }
    }
}

/// Draft 4: `exclusiveMinimum: true` with `minimum`.
fn exclusive(keywords: &mut Map<String, Value>, bound: &str, exclusive: &str) {
    let Some(Value::Bool(excludes)) = keywords.get(exclusive).cloned() else { return };
    keywords.remove(exclusive);
    if let Some(value) = excludes.then(|| keywords.remove(bound)).flatten() {
        keywords.insert(exclusive.to_owned(), value);
    }
}

/// OpenAPI 3.0: `nullable: true` adds null to the types, and to no other keyword.
fn nullable(keywords: &mut Map<String, Value>) {
    if keywords.remove("nullable") != Some(Value::Bool(true)) {
        return;
    }
    let Some(kind) = keywords.get_mut("type").filter(|kind| *kind != "null") else { return };
    let mut names = match kind.take() {
        Value::Array(names) => names,
        name => vec![name],
    };
    if !names.contains(&"null".into()) {
        names.push("null".into());
    }
    *kind = Value::Array(names);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(old: Value, expected: &Value) {
        let Value::Object(mut keywords) = old else { panic!("it is an object") };
        to_current_draft(&mut keywords);
        assert_eq!(&Value::Object(keywords), expected);
    }

    #[test]
    fn older_spellings_become_the_current_one() {
        check(
            json!({"minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": false}),
            &json!({"exclusiveMinimum": 1, "maximum": 2}),
        );
        check(json!({"type": "string", "nullable": true}), &json!({"type": ["string", "null"]}));
        check(json!({"type": "null", "nullable": true}), &json!({"type": "null"}));
        check(
            json!({"items": [{"type": "string"}], "additionalItems": false}),
            &json!({"prefixItems": [{"type": "string"}], "items": false}),
        );
        check(
            json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}),
            &json!({"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}}),
        );
    }
}
