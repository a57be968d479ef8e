//! Compiles each keyword.

use serde_json::{Map, Value};

use super::super::error::SchemaError;
use super::super::model::{
    AdditionalProperties, AllowedValues, ArrayRules, Choice, Condition, ContainsRule,
    DependentRule, LogicRules, ObjectRules, PropertyRule, SchemaId, SchemaNode, SensitivityFlags,
    StringRules,
};
use super::super::number::{IntegerWidth, NumberBounds, NumberReader, NumericLimit};
use super::super::types::Types;
use super::{SchemaCompiler, SchemaSource};
use crate::schema::pattern::Pattern;

/// Assertion keywords that are not enforced, with their replacements.
const UNSUPPORTED: [(&str, &str); 7] = [
    ("unevaluatedItems", "describe all items by `prefixItems` and `items`"),
    ("$dynamicRef", "write a `$ref`"),
    ("$recursiveRef", "write a `$ref`"),
    ("$dynamicAnchor", "name the schema in `$defs`"),
    ("extends", "write `allOf`"),
    ("disallow", "write `not`"),
    ("divisibleBy", "write `multipleOf`"),
];

type Optional<T> = Result<Option<T>, SchemaError>;

impl<'s> SchemaCompiler<'s> {
    pub(super) fn keywords(
        &mut self,
        source: SchemaSource<'s, '_>,
    ) -> Result<SchemaNode, SchemaError> {
        for (keyword, help) in UNSUPPORTED {
            if source.has(keyword) {
                return Err(source.error(keyword, "a keyword that is not supported", help));
            }
        }
        let types = types(source)?;
        Ok(SchemaNode {
            types,
            reader: reader(source, types)?,
            own_sensitivity: sensitivity(source),
            numbers: bounds(source)?.map(Box::new),
            strings: strings(source)?.map(Box::new),
            arrays: self.arrays(source)?.map(Box::new),
            objects: self.objects(source)?.map(Box::new),
            values: values(source)?.map(Box::new),
            logic: self.logic(source)?.map(Box::new),
            title: source.get("title").and_then(Value::as_str).map(Box::from),
            format: source.get("format").and_then(Value::as_str).map(Box::from),
            ..SchemaNode::default()
        })
    }

    fn below(&mut self, source: SchemaSource<'s, '_>, path: &[&str]) -> Optional<SchemaId> {
        let value = path.iter().try_fold(None, |at: Option<&'s Value>, name| {
            Some(Some(match at {
                None => source.get(name)?,
                Some(Value::Array(list)) => list.get(name.parse::<usize>().ok()?)?,
                Some(value) => value.get(name)?,
            }))
        });
        match value.flatten() {
            Some(value) => self.schema(value, &source.below(path)).map(Some),
            None => Ok(None),
        }
    }

    fn list(
        &mut self,
        source: SchemaSource<'s, '_>,
        keyword: &str,
    ) -> Result<Vec<SchemaId>, SchemaError> {
        let list = source.list(keyword)?.unwrap_or_default();
        let at = |index: usize| source.below(&[keyword, &index.to_string()]);
        list.iter().enumerate().map(|(index, value)| self.schema(value, &at(index))).collect()
    }

    fn arrays(&mut self, source: SchemaSource<'s, '_>) -> Optional<ArrayRules> {
        let tuple = source.get("items").is_some_and(Value::is_array);
        let (prefix, items) =
            if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let arrays = ArrayRules {
            prefix: self.list(source, prefix)?,
            items: self.below(source, &[items])?,
            contains: self.contains(source)?,
            min: source.size("minItems")?.unwrap_or(0),
            max: source.size("maxItems")?.unwrap_or(usize::MAX),
            unique: source.flag("uniqueItems")?,
        };
        let rules = [prefix, "items", "contains", "minItems", "maxItems", "uniqueItems"];
        Ok(rules.iter().any(|rule| source.has(rule)).then_some(arrays))
    }

    fn contains(&mut self, source: SchemaSource<'s, '_>) -> Optional<ContainsRule> {
        let Some(schema) = self.below(source, &["contains"])? else { return Ok(None) };
        let min = source.size("minContains")?.unwrap_or(1);
        let max = source.size("maxContains")?.unwrap_or(usize::MAX);
        Ok(Some(ContainsRule { schema, min, max }))
    }

    fn objects(&mut self, source: SchemaSource<'s, '_>) -> Optional<ObjectRules> {
        let properties = self.properties(source)?;
        let objects = ObjectRules {
            required: properties.iter().any(|property| property.required),
            has_aliases: properties.iter().any(|property| !property.aliases.is_empty()),
            properties,
            patterns: self.patterns(source)?,
            additional: self.additional(source)?,
            names: self.below(source, &["propertyNames"])?,
            min: source.size("minProperties")?.unwrap_or(0),
            max: source.size("maxProperties")?.unwrap_or(usize::MAX),
            dependents: self.dependents(source)?,
            unevaluated: self.below(source, &["unevaluatedProperties"])?,
        };
        let asserts = !objects.properties.is_empty()
            || !objects.patterns.is_empty()
            || objects.additional != AdditionalProperties::Open
            || objects.names.is_some()
            || objects.min > 0
            || objects.max < usize::MAX
            || !objects.dependents.is_empty()
            || objects.unevaluated.is_some();
        Ok(asserts.then_some(objects))
    }

    fn properties(
        &mut self,
        source: SchemaSource<'s, '_>,
    ) -> Result<Vec<PropertyRule>, SchemaError> {
        let required = source.names("required")?;
        let mut properties = Vec::new();
        for (name, value) in source.object("properties")?.into_iter().flatten() {
            let schema = self.schema(value, &source.below(&["properties", name]))?;
            let required = required.contains(&name.as_str());
            properties.push(PropertyRule {
                name: name.as_str().into(),
                aliases: aliases(value),
                schema: Some(schema),
                required,
            });
        }
        for name in required {
            if !properties.iter().any(|property| &*property.name == name) {
                properties.push(PropertyRule {
                    name: name.into(),
                    aliases: Box::default(),
                    schema: None,
                    required: true,
                });
            }
        }
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(properties)
    }

    fn patterns(
        &mut self,
        source: SchemaSource<'s, '_>,
    ) -> Result<Vec<(Pattern, SchemaId)>, SchemaError> {
        let mut patterns = Vec::new();
        for (pattern, value) in source.object("patternProperties")?.into_iter().flatten() {
            let pointer = source.below(&["patternProperties", pattern]);
            patterns.push((regex(pattern, &pointer)?, self.schema(value, &pointer)?));
        }
        Ok(patterns)
    }

    fn additional(
        &mut self,
        source: SchemaSource<'s, '_>,
    ) -> Result<AdditionalProperties, SchemaError> {
        match source.get("additionalProperties") {
            None => Ok(AdditionalProperties::Open),
            Some(Value::Bool(false)) => Ok(AdditionalProperties::Closed),
            Some(value) => {
                let pointer = source.below(&["additionalProperties"]);
                self.schema(value, &pointer).map(AdditionalProperties::Checked)
            }
        }
    }

    /// `dependentRequired`, `dependentSchemas`, and the older `dependencies`, which combines both.
    fn dependents(
        &mut self,
        source: SchemaSource<'s, '_>,
    ) -> Result<Vec<DependentRule>, SchemaError> {
        let mut dependents = Vec::new();
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for (name, value) in source.object(keyword)?.into_iter().flatten() {
                let mut dependent = DependentRule {
                    name: name.as_str().into(),
                    required: Vec::new(),
                    schema: None,
                };
                if value.is_array() && keyword != "dependentSchemas" {
                    dependent.required = dependent_names(source, keyword, name)?;
                } else if keyword == "dependentRequired" {
                    return Err(source.error(
                        keyword,
                        "a value that is not an array",
                        "list the property names",
                    ));
                } else {
                    dependent.schema = Some(self.schema(value, &source.below(&[keyword, name]))?);
                }
                dependents.push(dependent);
            }
        }
        Ok(dependents)
    }

    fn logic(&mut self, source: SchemaSource<'s, '_>) -> Optional<LogicRules> {
        let logic = LogicRules {
            reference: self.reference(source)?,
            all: self.list(source, "allOf")?,
            any: self.choice(source, "anyOf")?,
            one: self.choice(source, "oneOf")?,
            not: self.below(source, &["not"])?,
            condition: self.condition(source)?,
        };
        let empty = logic.inline().next().is_none();
        Ok((!empty).then_some(logic))
    }

    fn choice(&mut self, source: SchemaSource<'s, '_>, keyword: &str) -> Optional<Choice> {
        if !source.has(keyword) {
            return Ok(None);
        }
        let branches = self.list(source, keyword)?;
        if branches.is_empty() {
            return Err(source.error(keyword, "an empty array", "list at least one schema"));
        }
        Ok(Some(Choice { branches, tag: None }))
    }

    fn condition(&mut self, source: SchemaSource<'s, '_>) -> Optional<Condition> {
        let Some(test) = self.below(source, &["if"])? else { return Ok(None) };
        let (pass, fail) = (self.below(source, &["then"])?, self.below(source, &["else"])?);
        Ok(Some(Condition { test, pass, fail }))
    }
}

/// Other names of a property, which `#[serde(alias)]` gives it.
fn aliases(schema: &Value) -> Box<[Box<str>]> {
    let alias_list = schema.get("x-aliases").and_then(Value::as_array);
    alias_list.into_iter().flatten().filter_map(Value::as_str).map(Box::from).collect()
}

fn sensitivity(source: SchemaSource<'_, '_>) -> SensitivityFlags {
    let is = |level: &str| source.get("x-sensitivity").is_some_and(|found| found == level);
    SensitivityFlags { secret: is("secret"), pii: is("pii") }
}

fn types(source: SchemaSource<'_, '_>) -> Result<Types, SchemaError> {
    let help = "the types are null, boolean, integer, number, string, array and object";
    let parse_type = |value: &Value| {
        let name = value.as_str();
        let unknown = || source.error("type", unknown_type(name), help);
        name.and_then(Types::named).ok_or_else(unknown)
    };
    let types = match source.get("type") {
        None => return Ok(Types::ANY),
        Some(Value::Array(list)) => list.iter().try_fold(Types::NONE, |types, value| {
            parse_type(value).map(|parse_type| types.or(parse_type))
        })?,
        Some(value) => parse_type(value)?,
    };
    if types == Types::NONE {
        return Err(source.error("type", "an empty array", help));
    }
    Ok(if source.flag("nullable")? { types.or(Types::NULL) } else { types })
}

/// Describes a type that JSON Schema does not have, by its name where that is a word.
fn unknown_type(name: Option<&str>) -> String {
    let is_word = |name: &&str| {
        name.len() <= 32 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match name.filter(is_word) {
        Some(name) => format!("the unknown type `{name}`"),
        None => "an unknown type".to_owned(),
    }
}

/// The number type that reads numbers at this location.
fn reader(source: SchemaSource<'_, '_>, types: Types) -> Result<NumberReader, SchemaError> {
    let format = source.text("format")?.unwrap_or_default();
    if types == Types::ANY || !types.intersects(Types::NUMBER) {
        return Ok(NumberReader::Any);
    }
    if !types.contains(Types::FRACTION) {
        return Ok(NumberReader::Integer(
            IntegerWidth::named(format).unwrap_or(IntegerWidth::WIDEST),
        ));
    }
    let both = source.get("type").and_then(Value::as_array);
    if IntegerWidth::named(format).is_some()
        || both.is_some_and(|list| list.contains(&"integer".into()))
    {
        return Ok(NumberReader::Any);
    }
    Ok(if format == "float" { NumberReader::Single } else { NumberReader::Double })
}

/// The bounds of numbers; OpenAPI 3.0 writes `exclusiveMinimum: true`.
fn bounds(source: SchemaSource<'_, '_>) -> Optional<NumberBounds> {
    let mut bounds = NumberBounds {
        min: source.limit("minimum")?,
        max: source.limit("maximum")?,
        step: source.limit("multipleOf")?,
        ..NumberBounds::default()
    };
    match source.get("exclusiveMinimum") {
        Some(Value::Bool(true)) => bounds.above = bounds.min.take(),
        Some(Value::Bool(false)) => {}
        _ => bounds.above = source.limit("exclusiveMinimum")?,
    }
    match source.get("exclusiveMaximum") {
        Some(Value::Bool(true)) => bounds.below = bounds.max.take(),
        Some(Value::Bool(false)) => {}
        _ => bounds.below = source.limit("exclusiveMaximum")?,
    }
    if bounds.step.as_ref().is_some_and(|step| !step.is_positive()) {
        return Err(source.error(
            "multipleOf",
            "a number that is not positive",
            "write one above 0",
        ));
    }
    Ok((!bounds.is_empty()).then_some(bounds))
}

fn strings(source: SchemaSource<'_, '_>) -> Optional<StringRules> {
    let pattern = match source.text("pattern")? {
        Some(pattern) => Some(regex(pattern, &source.below(&["pattern"]))?),
        None => None,
    };
    let min = source.size("minLength")?.unwrap_or(0);
    let max = source.size("maxLength")?.unwrap_or(usize::MAX);
    let asserts = pattern.is_some() || min > 0 || max < usize::MAX;
    Ok(asserts.then_some(StringRules { min, max, pattern }))
}

fn regex(pattern: &str, pointer: &str) -> Result<Pattern, SchemaError> {
    Pattern::new(pattern).map_err(|error| {
        let problem = format!("a regular expression that cannot be compiled ({error})");
        SchemaError::new(pointer.to_owned(), problem, PATTERN_SYNTAX)
    })
}

/// The syntax of patterns, which are matched with the meaning of ECMA-262 in time proportional to
/// the text.
const PATTERN_SYNTAX: &str = "patterns have the syntax of ECMA-262 without flags: literals, `.`, \
     classes (`[a-z]`, `\\d`, `\\w`, `\\s`), groups, `|`, `*`, `+`, `?`, `{1,5}`, `^`, `$` and `\\b`; no \
     look-around, back-references or `\\p`";

/// `const` takes precedence over `enum`, which must contain it.
fn values(source: SchemaSource<'_, '_>) -> Optional<AllowedValues> {
    let enum_values = source.list("enum")?;
    let constant = source.get("const");
    let (rule, list) = match (constant, enum_values) {
        (None, None) => return Ok(None),
        (None, Some(list)) => ("enum", list),
        (Some(value), None) => ("const", std::slice::from_ref(value)),
        (Some(value), Some(list)) if list.contains(value) => ("const", std::slice::from_ref(value)),
        (Some(_), Some(_)) => {
            return Err(source.error(
                "const",
                "a value that `enum` lacks",
                "leave one of them out",
            ));
        }
    };
    let mut strings: Vec<Box<str>> =
        list.iter().filter_map(|v| v.as_str().map(Box::from)).collect();
    strings.sort_unstable();
    let others = list.iter().filter(|value| !value.is_string()).cloned().collect();
    Ok(Some(AllowedValues { rule, strings, others, expected: list_values(list).into() }))
}

/// Allowed values as text, limited to a readable length.
pub(super) fn list_values<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
    const ROOM: usize = 400;
    let mut texts: Vec<String> = Vec::new();
    let mut left = 0;
    for text in values.into_iter().map(Value::to_string) {
        if texts.iter().map(String::len).sum::<usize>() + text.len() > ROOM {
            left += 1;
        } else {
            texts.push(text);
        }
    }
    let more = if left > 0 { format!(" or {left} more") } else { String::new() };
    match texts.as_slice() {
        [only] if left == 0 => only.clone(),
        texts => format!("one of {}{more}", texts.join(", ")),
    }
}

fn dependent_names(
    source: SchemaSource<'_, '_>,
    keyword: &str,
    name: &str,
) -> Result<Vec<Box<str>>, SchemaError> {
    let empty = Map::new();
    let keywords = source.object(keyword)?.unwrap_or(&empty);
    let inner = SchemaSource { keywords, pointer: &source.below(&[keyword]) };
    Ok(inner.names(name)?.into_iter().map(Box::from).collect())
}

impl NumericLimit {
    fn is_positive(&self) -> bool {
        !self.text.starts_with('-') && self.text.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
    }
}
