//! What each keyword asks for.

use regex_lite::Regex;
use serde_json::{Map, Value};

use super::super::error::SchemaError;
use super::super::model::{
    Additional, Arrays, Choice, Condition, Contains, Dependent, Logic, Objects, Property, Schema,
    SchemaId, Sensitive, Strings, Values,
};
use super::super::number::{Bounds, Limit, Reader, Width};
use super::super::types::Types;
use super::{Compiler, Place};

/// Keywords that assert something which is not enforced here, and what to write instead.
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

impl<'s> Compiler<'s> {
    pub(super) fn keywords(&mut self, place: Place<'s, '_>) -> Result<Schema, SchemaError> {
        for (keyword, cure) in UNSUPPORTED {
            if place.has(keyword) {
                return Err(place.error(keyword, "a keyword that is not supported", cure));
            }
        }
        let types = types(place)?;
        Ok(Schema {
            types,
            reader: reader(place, types)?,
            marked: sensitivity(place),
            numbers: bounds(place)?.map(Box::new),
            strings: strings(place)?.map(Box::new),
            arrays: self.arrays(place)?.map(Box::new),
            objects: self.objects(place)?.map(Box::new),
            values: values(place)?.map(Box::new),
            logic: self.logic(place)?.map(Box::new),
            title: place.get("title").and_then(Value::as_str).map(Box::from),
            format: place.get("format").and_then(Value::as_str).map(Box::from),
            ..Schema::default()
        })
    }

    fn below(&mut self, place: Place<'s, '_>, path: &[&str]) -> Optional<SchemaId> {
        let value = path.iter().try_fold(None, |at: Option<&'s Value>, name| {
            Some(Some(match at {
                None => place.get(name)?,
                Some(Value::Array(list)) => list.get(name.parse::<usize>().ok()?)?,
                Some(value) => value.get(name)?,
            }))
        });
        match value.flatten() {
            Some(value) => self.schema(value, &place.below(path)).map(Some),
            None => Ok(None),
        }
    }

    fn list(&mut self, place: Place<'s, '_>, keyword: &str) -> Result<Vec<SchemaId>, SchemaError> {
        let list = place.list(keyword)?.unwrap_or_default();
        let at = |index: usize| place.below(&[keyword, &index.to_string()]);
        list.iter().enumerate().map(|(index, value)| self.schema(value, &at(index))).collect()
    }

    fn arrays(&mut self, place: Place<'s, '_>) -> Optional<Arrays> {
        let tuple = place.get("items").is_some_and(Value::is_array);
        let (prefix, items) =
            if tuple { ("items", "additionalItems") } else { ("prefixItems", "items") };
        let arrays = Arrays {
            prefix: self.list(place, prefix)?,
            items: self.below(place, &[items])?,
            contains: self.contains(place)?,
            min: place.size("minItems")?.unwrap_or(0),
            max: place.size("maxItems")?.unwrap_or(usize::MAX),
            unique: place.flag("uniqueItems")?,
        };
        let rules = [prefix, "items", "contains", "minItems", "maxItems", "uniqueItems"];
        Ok(rules.iter().any(|rule| place.has(rule)).then_some(arrays))
    }

    fn contains(&mut self, place: Place<'s, '_>) -> Optional<Contains> {
        let Some(schema) = self.below(place, &["contains"])? else { return Ok(None) };
        let min = place.size("minContains")?.unwrap_or(1);
        let max = place.size("maxContains")?.unwrap_or(usize::MAX);
        Ok(Some(Contains { schema, min, max }))
    }

    fn objects(&mut self, place: Place<'s, '_>) -> Optional<Objects> {
        let properties = self.properties(place)?;
        let objects = Objects {
            required: properties.iter().any(|property| property.required),
            properties,
            patterns: self.patterns(place)?,
            additional: self.additional(place)?,
            names: self.below(place, &["propertyNames"])?,
            min: place.size("minProperties")?.unwrap_or(0),
            max: place.size("maxProperties")?.unwrap_or(usize::MAX),
            dependents: self.dependents(place)?,
            unevaluated: self.below(place, &["unevaluatedProperties"])?,
        };
        let asserts = !objects.properties.is_empty()
            || !objects.patterns.is_empty()
            || objects.additional != Additional::Open
            || objects.names.is_some()
            || objects.min > 0
            || objects.max < usize::MAX
            || !objects.dependents.is_empty()
            || objects.unevaluated.is_some();
        Ok(asserts.then_some(objects))
    }

    fn properties(&mut self, place: Place<'s, '_>) -> Result<Vec<Property>, SchemaError> {
        let required = place.names("required")?;
        let mut properties = Vec::new();
        for (name, value) in place.object("properties")?.into_iter().flatten() {
            let schema = self.schema(value, &place.below(&["properties", name]))?;
            let required = required.contains(&name.as_str());
            properties.push(Property {
                name: name.as_str().into(),
                schema: Some(schema),
                required,
            });
        }
        for name in required {
            if !properties.iter().any(|property| &*property.name == name) {
                properties.push(Property { name: name.into(), schema: None, required: true });
            }
        }
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(properties)
    }

    fn patterns(&mut self, place: Place<'s, '_>) -> Result<Vec<(Regex, SchemaId)>, SchemaError> {
        let mut patterns = Vec::new();
        for (pattern, value) in place.object("patternProperties")?.into_iter().flatten() {
            let pointer = place.below(&["patternProperties", pattern]);
            patterns.push((regex(pattern, &pointer)?, self.schema(value, &pointer)?));
        }
        Ok(patterns)
    }

    fn additional(&mut self, place: Place<'s, '_>) -> Result<Additional, SchemaError> {
        match place.get("additionalProperties") {
            None => Ok(Additional::Open),
            Some(Value::Bool(false)) => Ok(Additional::Closed),
            Some(value) => {
                let pointer = place.below(&["additionalProperties"]);
                self.schema(value, &pointer).map(Additional::Checked)
            }
        }
    }

    /// `dependentRequired`, `dependentSchemas`, and `dependencies`, which was both.
    fn dependents(&mut self, place: Place<'s, '_>) -> Result<Vec<Dependent>, SchemaError> {
        let mut dependents = Vec::new();
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            for (name, value) in place.object(keyword)?.into_iter().flatten() {
                let mut dependent =
                    Dependent { name: name.as_str().into(), required: Vec::new(), schema: None };
                if value.is_array() && keyword != "dependentSchemas" {
                    dependent.required = dependent_names(place, keyword, name)?;
                } else if keyword == "dependentRequired" {
                    return Err(place.error(keyword, "no array", "list the property names"));
                } else {
                    dependent.schema = Some(self.schema(value, &place.below(&[keyword, name]))?);
                }
                dependents.push(dependent);
            }
        }
        Ok(dependents)
    }

    fn logic(&mut self, place: Place<'s, '_>) -> Optional<Logic> {
        let logic = Logic {
            reference: self.reference(place)?,
            all: self.list(place, "allOf")?,
            any: self.choice(place, "anyOf")?,
            one: self.choice(place, "oneOf")?,
            not: self.below(place, &["not"])?,
            condition: self.condition(place)?,
        };
        let empty = logic.inline().next().is_none();
        Ok((!empty).then_some(logic))
    }

    fn choice(&mut self, place: Place<'s, '_>, keyword: &str) -> Optional<Choice> {
        if !place.has(keyword) {
            return Ok(None);
        }
        let branches = self.list(place, keyword)?;
        if branches.is_empty() {
            return Err(place.error(keyword, "an empty array", "list at least one schema"));
        }
        Ok(Some(Choice { branches, tag: None }))
    }

    fn condition(&mut self, place: Place<'s, '_>) -> Optional<Condition> {
        let Some(test) = self.below(place, &["if"])? else { return Ok(None) };
        let (pass, fail) = (self.below(place, &["then"])?, self.below(place, &["else"])?);
        Ok(Some(Condition { test, pass, fail }))
    }
}

fn sensitivity(place: Place<'_, '_>) -> Sensitive {
    let is = |level: &str| place.get("x-sensitivity").is_some_and(|found| found == level);
    Sensitive { secret: is("secret"), pii: is("pii") }
}

fn types(place: Place<'_, '_>) -> Result<Types, SchemaError> {
    let cure = "the types are null, boolean, integer, number, string, array and object";
    let named = |value: &Value| {
        let name = value.as_str();
        name.and_then(Types::named).ok_or_else(|| place.error("type", "no known type", cure))
    };
    let types = match place.get("type") {
        None => return Ok(Types::ANY),
        Some(Value::Array(list)) => list
            .iter()
            .try_fold(Types::NONE, |types, value| named(value).map(|named| types.or(named)))?,
        Some(value) => named(value)?,
    };
    if types == Types::NONE {
        return Err(place.error("type", "an empty array", cure));
    }
    Ok(if place.flag("nullable")? { types.or(Types::NULL) } else { types })
}

/// Who reads the numbers of this place.
fn reader(place: Place<'_, '_>, types: Types) -> Result<Reader, SchemaError> {
    let format = place.text("format")?.unwrap_or_default();
    if types == Types::ANY || !types.meets(Types::NUMBER) {
        return Ok(Reader::Any);
    }
    if !types.holds(Types::FRACTION) {
        return Ok(Reader::Integer(Width::named(format).unwrap_or(Width::WIDEST)));
    }
    let both = place.get("type").and_then(Value::as_array);
    if Width::named(format).is_some() || both.is_some_and(|list| list.contains(&"integer".into())) {
        return Ok(Reader::Any);
    }
    Ok(if format == "float" { Reader::Single } else { Reader::Double })
}

/// The bounds of numbers; `exclusiveMinimum: true` is how OpenAPI 3.0 says it.
fn bounds(place: Place<'_, '_>) -> Optional<Bounds> {
    let mut bounds = Bounds {
        min: place.limit("minimum")?,
        max: place.limit("maximum")?,
        step: place.limit("multipleOf")?,
        ..Bounds::default()
    };
    match place.get("exclusiveMinimum") {
        Some(Value::Bool(true)) => bounds.above = bounds.min.take(),
        Some(Value::Bool(false)) => {}
        _ => bounds.above = place.limit("exclusiveMinimum")?,
    }
    match place.get("exclusiveMaximum") {
        Some(Value::Bool(true)) => bounds.below = bounds.max.take(),
        Some(Value::Bool(false)) => {}
        _ => bounds.below = place.limit("exclusiveMaximum")?,
    }
    if bounds.step.as_ref().is_some_and(|step| !step.is_positive()) {
        return Err(place.error(
            "multipleOf",
            "a number that is not positive",
            "write one above 0",
        ));
    }
    Ok((!bounds.is_empty()).then_some(bounds))
}

fn strings(place: Place<'_, '_>) -> Optional<Strings> {
    let pattern = match place.text("pattern")? {
        Some(pattern) => Some(regex(pattern, &place.below(&["pattern"]))?),
        None => None,
    };
    let min = place.size("minLength")?.unwrap_or(0);
    let max = place.size("maxLength")?.unwrap_or(usize::MAX);
    let asserts = pattern.is_some() || min > 0 || max < usize::MAX;
    Ok(asserts.then_some(Strings { min, max, pattern }))
}

fn regex(pattern: &str, pointer: &str) -> Result<Regex, SchemaError> {
    Regex::new(pattern).map_err(|_| {
        SchemaError::new(
            pointer.to_owned(),
            "a regular expression that cannot be compiled",
            "use the syntax that ECMA-262 and Rust share: no look-around, back-references or \\p",
        )
    })
}

/// `const` wins over `enum`: it is one of its values, or nothing passes.
fn values(place: Place<'_, '_>) -> Optional<Values> {
    let listed = place.list("enum")?;
    let constant = place.get("const");
    let (rule, list) = match (constant, listed) {
        (None, None) => return Ok(None),
        (None, Some(list)) => ("enum", list),
        (Some(value), None) => ("const", std::slice::from_ref(value)),
        (Some(value), Some(list)) if list.contains(value) => ("const", std::slice::from_ref(value)),
        (Some(_), Some(_)) => {
            return Err(place.error("const", "a value that `enum` lacks", "leave one of them out"));
        }
    };
    let mut strings: Vec<Box<str>> =
        list.iter().filter_map(|v| v.as_str().map(Box::from)).collect();
    strings.sort_unstable();
    let others = list.iter().filter(|value| !value.is_string()).cloned().collect();
    Ok(Some(Values { rule, strings, others, expected: listing(list).into() }))
}

/// Allowed values as text, as many as a reader can use.
pub(super) fn listing<'v>(values: impl IntoIterator<Item = &'v Value>) -> String {
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
    place: Place<'_, '_>,
    keyword: &str,
    name: &str,
) -> Result<Vec<Box<str>>, SchemaError> {
    let empty = Map::new();
    let keywords = place.object(keyword)?.unwrap_or(&empty);
    let inner = Place { keywords, pointer: &place.below(&[keyword]) };
    Ok(inner.names(name)?.into_iter().map(Box::from).collect())
}

impl Limit {
    fn is_positive(&self) -> bool {
        !self.text.starts_with('-') && self.text.bytes().any(|byte| matches!(byte, b'1'..=b'9'))
    }
}
