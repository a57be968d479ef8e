//! Loosens a schema by the patterns that cannot be checked.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde_json::{Map, Value, json};

use super::pattern::uncheckable_construct;
use super::reference::{escaped, pointer};
use super::subschemas::{SchemaKeyword, for_each_schema};
use crate::json::normalized;

/// Describes a part of a dynamic tool's schema that no argument is checked against.
///
/// It is a pattern with a construct of ECMA-262 that cannot be matched in time proportional to the
/// text, such as look-ahead; a pattern with a construct that only other syntaxes have, such as `(?i)`
/// or `\A`; or a rule such as `not` whose meaning depends on one.
///
/// # Examples
/// ```
/// use serde_json::json;
/// use tool_runtime::prelude::*;
///
/// let invite = DynamicTool::new("invite", Effect::Read)
///     .description("Invites.")
///     .input_schema(json!({
///         "type": "object",
///         "properties": {"email": {"type": "string", "pattern": "^(?!\\.)[^@]+@[^@]+$"}},
///     }))
///     .handler(|_| async { Ok::<_, Failure>(()) });
/// let runtime = Runtime::builder().dynamic(invite).build()?;
/// let unchecked: Vec<_> = runtime
///     .tools()
///     .unchecked_rules()
///     .map(|(tool, rule)| format!("{tool}: {rule}"))
///     .collect();
/// assert_eq!(unchecked, ["invite: input `/properties/email/pattern`: look-ahead is not checked"]);
/// # Ok::<(), tool_runtime::BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncheckedRule {
    schema_kind: SchemaKind,
    pointer: String,
    construct: &'static str,
}

/// Selects one of a tool's two schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaKind {
    /// The schema of the arguments.
    Input,
    /// The schema of the output.
    Output,
}

impl SchemaKind {
    /// Returns `input` or `output`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

impl fmt::Display for SchemaKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl UncheckedRule {
    /// Returns the schema that contains the rule.
    #[must_use]
    pub const fn schema_kind(&self) -> SchemaKind {
        self.schema_kind
    }

    /// Returns the location in the schema, as a JSON Pointer (RFC 6901).
    #[must_use]
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Describes the construct that cannot be checked.
    #[must_use]
    pub fn construct(&self) -> &str {
        self.construct
    }
}

impl fmt::Display for UncheckedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema_kind, pointer, construct } = self;
        write!(f, "{schema_kind} `{pointer}`: {construct} is not checked")
    }
}

/// A schema that accepts at least what the given one accepts, without the rules that cannot be
/// checked; and these rules.
#[must_use]
pub fn loosened(schema: &Value, schema_kind: SchemaKind) -> (Value, Vec<UncheckedRule>) {
    // The rules are listed in the order of the schema, which is one in every build.
    let mut loosened = normalized(schema.clone());
    let schema = &loosened.clone();
    let constructs = uncheckable_patterns(schema);
    let mut loosening = Loosening { root: schema, schema_kind, constructs, unchecked: Vec::new() };
    if !loosening.constructs.is_empty() {
        loosening.schema(&mut loosened, "");
    }
    (loosened, loosening.unchecked)
}

struct Loosening<'s> {
    root: &'s Value,
    schema_kind: SchemaKind,
    /// The patterns that cannot be checked, with the construct because of which they cannot.
    constructs: HashMap<&'s str, &'static str>,
    unchecked: Vec<UncheckedRule>,
}

/// Finds the patterns of a document that cannot be checked. Each is compiled once.
fn uncheckable_patterns(document: &Value) -> HashMap<&str, &'static str> {
    let (mut open, mut patterns) = (vec![document], HashMap::new());
    while let Some(next) = open.pop() {
        match next {
            Value::Array(list) => open.extend(list),
            Value::Object(keywords) => {
                for text in patterns_of(keywords) {
                    patterns.entry(text).or_insert_with(|| uncheckable_construct(text));
                }
                open.extend(keywords.values());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    patterns.into_iter().filter_map(|(text, construct)| Some((text, construct?))).collect()
}

/// The patterns of one schema: of the value's text, and of the names of properties.
fn patterns_of(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = keywords.get("patternProperties").and_then(Value::as_object);
    let names = names.into_iter().flat_map(Map::keys).map(String::as_str);
    keywords.get("pattern").and_then(Value::as_str).into_iter().chain(names)
}

impl Loosening<'_> {
    /// The construct because of which a pattern cannot be checked.
    fn uncheckable(&self, pattern: &str) -> Option<&'static str> {
        self.constructs.get(pattern).copied()
    }

    fn schema(&mut self, schema: &mut Value, at: &str) {
        let Value::Object(loosened) = schema else { return };
        let keywords = std::mem::take(loosened);
        let has_condition = keywords.contains_key("if");
        for (keyword, value) in keywords {
            self.keyword(keyword, value, at, loosened);
        }
        if has_condition && !loosened.contains_key("if") {
            // A property that only the condition's branches name is no longer evaluated.
            loosened.retain(|keyword, _| !CONDITIONAL.contains(&keyword.as_str()));
        }
        if !loosened.contains_key("contains") {
            loosened
                .retain(|keyword, _| !["minContains", "maxContains"].contains(&keyword.as_str()));
        }
    }

    fn keyword(
        &mut self,
        name: String,
        mut value: Value,
        at: &str,
        loosened: &mut Map<String, Value>,
    ) {
        let place = || format!("{at}/{}", escaped(&name));
        match (name.as_str(), &mut value, SchemaKeyword::named(&name)) {
            ("pattern", Value::String(pattern), _) => {
                if let Some(construct) = self.uncheckable(pattern) {
                    return self.record(&place(), construct);
                }
            }
            ("patternProperties", Value::Object(named), _) => {
                self.pattern_properties(named, &place());
            }
            (_, inner, Some(keyword))
                if keyword.is_condition() && self.depends_on_unchecked(keyword, inner) =>
            {
                return self.record(&place(), "a rule with a pattern that cannot be checked");
            }
            (_, inner, Some(keyword)) => {
                let loses_limit = name == "oneOf" && self.depends_on_unchecked(keyword, inner);
                if loses_limit {
                    self.record(&place(), "the limit to one branch");
                }
                keyword.for_each_schema_mut(inner, &mut |step, schema| {
                    self.schema(schema, &format!("{at}{step}"));
                });
                if loses_limit {
                    return conjoin(loosened, json!({ "anyOf": value }));
                }
            }
            (_, _, None) => {}
        }
        match (name == "allOf", loosened.get_mut("allOf"), value) {
            // `oneOf` stands before it.
            (true, Some(Value::Array(known)), Value::Array(more)) => known.extend(more),
            (_, _, value) => drop(loosened.insert(name, value)),
        }
    }

    /// Properties whose names match a pattern that cannot be checked may have any value, and so
    /// may all that no other keyword names.
    fn pattern_properties(&mut self, named: &mut Map<String, Value>, at: &str) {
        for (name, mut schema) in std::mem::take(named) {
            let place = format!("{at}/{}", escaped(&name));
            if let Some(construct) = self.uncheckable(&name) {
                self.record(&place, construct);
                named.entry("").or_insert(Value::Bool(true));
            } else {
                self.schema(&mut schema, &place);
                named.insert(name, schema);
            }
        }
    }

    fn record(&mut self, at: &str, construct: &'static str) {
        let rule =
            UncheckedRule { schema_kind: self.schema_kind, pointer: at.to_owned(), construct };
        self.unchecked.push(rule);
    }

    /// Returns whether a pattern that cannot be checked can be reached from a keyword's schemas.
    fn depends_on_unchecked(&self, keyword: &'static SchemaKeyword, value: &Value) -> bool {
        let mut open: Vec<_> = keyword.schemas(value).map(|(_, schema)| schema).collect();
        let (mut depends, mut seen) = (false, HashSet::new());
        while let Some(next) = open.pop().filter(|_| !depends) {
            for_each_schema(next, &mut |_, keywords| {
                depends |= patterns_of(keywords).any(|text| self.uncheckable(text).is_some());
                let target = keywords.get("$ref").and_then(Value::as_str);
                let target = target.filter(|text| seen.insert(*text));
                open.extend(target.and_then(|text| self.root.pointer(&pointer(text)?)));
            });
        }
        depends
    }
}

/// Adds a schema that has to match beside the other keywords.
fn conjoin(keywords: &mut Map<String, Value>, schema: Value) {
    match keywords.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(all) => all.push(schema),
        other => *other = schema,
    }
}

/// The keywords that have no meaning without the condition, or another.
const CONDITIONAL: [&str; 3] = ["then", "else", "unevaluatedProperties"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Validator;

    const AHEAD: &str = r"^(?!\.)[a-z.]+$";

    /// The loosened schema, of which these rules are not checked.
    #[track_caller]
    fn check(schema: &Value, expected: &Value, unchecked: &[&str]) {
        let (found, rules) = loosened(schema, SchemaKind::Input);
        assert_eq!(&found, expected);
        let pointers: Vec<_> = rules.iter().map(UncheckedRule::pointer).collect();
        assert_eq!(pointers, unchecked);
        Validator::compile(&found).expect("the loosened schema is checked");
    }

    #[test]
    fn a_pattern_that_cannot_be_checked_is_left_out_and_its_siblings_stay() {
        let schema = json!({"properties": {
            "email": {"type": "string", "pattern": AHEAD, "maxLength": 9},
            "list": {"items": {"$ref": "#/$defs/word"}},
            "pattern": {"type": "string", "pattern": "^[a-z]+$"},
        }, "$defs": {"word": {"anyOf": [{"pattern": r"(a)\1"}]}}});
        let expected = json!({"properties": {
            "email": {"type": "string", "maxLength": 9},
            "list": {"items": {"$ref": "#/$defs/word"}},
            "pattern": {"type": "string", "pattern": "^[a-z]+$"},
        }, "$defs": {"word": {"anyOf": [{}]}}});
        check(&schema, &expected, &["/$defs/word/anyOf/0/pattern", "/properties/email/pattern"]);
    }

    #[test]
    fn a_rule_that_a_looser_pattern_would_make_stricter_goes_with_it() {
        let word = json!({"pattern": AHEAD});
        check(&json!({"not": word}), &json!({}), &["/not"]);
        let conditional = json!({"if": word, "then": {"minLength": 2}, "else": {"minLength": 9}});
        check(&conditional, &json!({}), &["/if"]);
        let list =
            json!({"contains": {"$ref": "#/$defs/w"}, "maxContains": 1, "$defs": {"w": word}});
        check(&list, &json!({"$defs": {"w": {}}}), &["/$defs/w/pattern", "/contains"]);
        let one = json!({"oneOf": [word, {"type": "integer"}], "allOf": [{"minLength": 1}]});
        let any = json!({"allOf": [{"minLength": 1}, {"anyOf": [{}, {"type": "integer"}]}]});
        check(&one, &any, &["/oneOf", "/oneOf/0/pattern"]);
    }

    #[test]
    fn a_property_that_an_unchecked_condition_names_is_not_refused() {
        let condition = json!({"properties": {"a": {"type": "string", "pattern": AHEAD}}});
        let schema = json!({"properties": {"a": {"type": "string"}}, "if": condition,
            "then": {"properties": {"b": {"type": "string"}}}, "unevaluatedProperties": false});
        check(&schema, &json!({"properties": {"a": {"type": "string"}}}), &["/if"]);
        let checked = json!({"pattern": AHEAD, "if": {"required": ["a"]},
            "then": {"properties": {"b": true}}, "unevaluatedProperties": false});
        let expected = json!({"if": {"required": ["a"]}, "then": {"properties": {"b": true}},
            "unevaluatedProperties": false});
        check(&checked, &expected, &["/pattern"]);
    }

    #[test]
    fn properties_whose_names_cannot_be_checked_are_not_refused() {
        let schema = json!({"patternProperties": {AHEAD: {"type": "integer"}, "^x": {"type": "string"}},
            "additionalProperties": false});
        let expected = json!({"patternProperties": {"": true, "^x": {"type": "string"}},
            "additionalProperties": false});
        check(&schema, &expected, &[r"/patternProperties/^(?!\.)[a-z.]+$"]);
    }

    #[test]
    fn a_value_that_looks_like_a_pattern_removes_no_rule() {
        let schema = json!({"not": {"const": {"pattern": AHEAD}}, "default": {"pattern": AHEAD},
            "oneOf": [{"enum": [{"pattern": AHEAD}]}, {"type": "string"}]});
        check(&schema, &schema, &[]);
    }

    #[test]
    fn a_pattern_that_is_no_expression_is_an_error() {
        let schema = json!({"pattern": "(?=a"});
        let (found, rules) = loosened(&schema, SchemaKind::Input);
        assert_eq!((&found, rules.len()), (&schema, 0));
        let error = Validator::compile(&found).expect_err("the group is not closed");
        assert!(error.help().contains("no look-around"), "{error}");
        assert!(error.found().contains("a group is not closed"), "{error}");
    }
}
