//! A schema, split by JSON type into constraints.

mod array;
mod number;
mod object;
mod string;
mod values;

use serde_json::Value;

pub(super) use self::array::{ArrayConstraints, ContainsBounds};
pub(super) use self::number::{NumberConstraints, is_numeric};
pub(super) use self::object::{ObjectConstraints, PropertyLayer};
use self::string::StringConstraints;
pub(super) use self::values::ListedValues;
use super::subschema::Subschema;

/// A keyword whose value cannot be read.
pub(super) type UnreadableKeyword = &'static str;

/// Values of one JSON type that a schema accepts: one of its alternatives.
#[derive(Debug, Clone)]
pub(super) struct Shape<'s> {
    pub(super) constraints: TypeConstraints<'s>,
    /// The only accepted values, if they are enumerated.
    pub(super) values: Option<ListedValues>,
    /// Further rules.
    pub(super) rules: Vec<AtomicRule<'s>>,
}

/// Constraints on values of one type.
#[derive(Debug, Clone)]
pub(super) enum TypeConstraints<'s> {
    Null,
    Boolean,
    Number(NumberConstraints),
    Text(StringConstraints<'s>),
    Array(ArrayConstraints<'s>),
    Object(Box<ObjectConstraints<'s>>),
}

/// A rule that is not split further.
#[derive(Debug, Clone)]
pub(super) enum AtomicRule<'s> {
    /// The schema must reject the value.
    Not(Subschema<'s>),
    /// Exactly one of the schemas must accept the value.
    One(Subschema<'s>, Vec<Subschema<'s>>),
    /// An unknown keyword.
    UnknownKeyword(&'s str, Subschema<'s>),
    /// A keyword that cannot be read or resolved.
    Unreadable(&'static str, Subschema<'s>),
}

/// The obstacle to a proof.
#[derive(Debug, Clone)]
pub(super) struct ProofObstacle<'s> {
    pub(super) keyword: &'s str,
    /// The schema with the keyword, if there is one.
    pub(super) subschema: Option<Subschema<'s>>,
}

impl<'s> Shape<'s> {
    pub(super) fn new(constraints: TypeConstraints<'s>) -> Self {
        let values = match constraints {
            TypeConstraints::Null => Some(ListedValues::new([&Value::Null])),
            TypeConstraints::Boolean => {
                Some(ListedValues::new([&Value::Bool(false), &Value::Bool(true)]))
            }
            TypeConstraints::Number(_)
            | TypeConstraints::Text(_)
            | TypeConstraints::Array(_)
            | TypeConstraints::Object(_) => None,
        };
        Self { constraints, values, rules: Vec::new() }
    }

    /// Reads a schema's constraints on values of a type.
    pub(super) fn read(
        subschema: Subschema<'s>,
        kind: JsonType,
        format: Option<&str>,
    ) -> Result<Self, UnreadableKeyword> {
        Ok(Self::new(match kind {
            JsonType::Null => TypeConstraints::Null,
            JsonType::Boolean => TypeConstraints::Boolean,
            JsonType::Integer => {
                TypeConstraints::Number(NumberConstraints::read(subschema, true, format)?)
            }
            JsonType::Number => {
                TypeConstraints::Number(NumberConstraints::read(subschema, false, format)?)
            }
            JsonType::String => TypeConstraints::Text(StringConstraints::read(subschema)?),
            JsonType::Array => TypeConstraints::Array(ArrayConstraints::read(subschema)?),
            JsonType::Object => {
                TypeConstraints::Object(Box::new(ObjectConstraints::read(subschema)?))
            }
        }))
    }

    /// The values that both accept, if they have the same type.
    pub(super) fn intersect(&self, other: &Self) -> Option<Self> {
        let constraints = match (self.constraints.clone(), &other.constraints) {
            (TypeConstraints::Null, TypeConstraints::Null) => TypeConstraints::Null,
            (TypeConstraints::Boolean, TypeConstraints::Boolean) => TypeConstraints::Boolean,
            (TypeConstraints::Number(a), TypeConstraints::Number(b)) => {
                TypeConstraints::Number(a.intersect(b))
            }
            (TypeConstraints::Text(a), TypeConstraints::Text(b)) => {
                TypeConstraints::Text(a.intersect(b))
            }
            (TypeConstraints::Array(a), TypeConstraints::Array(b)) => {
                TypeConstraints::Array(a.intersect(b))
            }
            (TypeConstraints::Object(a), TypeConstraints::Object(b)) => {
                TypeConstraints::Object(Box::new(a.intersect(b)))
            }
            (
                TypeConstraints::Null
                | TypeConstraints::Boolean
                | TypeConstraints::Number(_)
                | TypeConstraints::Text(_)
                | TypeConstraints::Array(_)
                | TypeConstraints::Object(_),
                _,
            ) => return None,
        };
        let values = match (&self.values, &other.values) {
            (Some(a), Some(b)) => Some(a.common(b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let rules = self.rules.iter().chain(&other.rules).cloned().collect();
        Some(Self { constraints, values, rules })
    }

    /// The number of values that are read to find those that both list.
    pub(super) fn values_to_intersect(&self, other: &Self) -> usize {
        match (&self.values, &other.values) {
            (Some(a), Some(b)) if self.is_same_type(other) => a.len() + b.len(),
            _ => 0,
        }
    }

    /// Returns whether the value has this shape's type.
    pub(super) fn is_of(&self, value: &Value) -> bool {
        match &self.constraints {
            TypeConstraints::Null => value.is_null(),
            TypeConstraints::Boolean => value.is_boolean(),
            TypeConstraints::Number(_) => value.is_number(),
            TypeConstraints::Text(_) => value.is_string(),
            TypeConstraints::Array(_) => value.is_array(),
            TypeConstraints::Object(_) => value.is_object(),
        }
    }

    pub(super) fn is_same_type(&self, other: &Self) -> bool {
        std::mem::discriminant(&self.constraints) == std::mem::discriminant(&other.constraints)
    }

    /// Restricts the accepted values to these.
    pub(super) fn keep(&mut self, list: &[Value]) {
        let own_values = ListedValues::new(list.iter().filter(|value| self.is_of(value)));
        self.values = Some(
            self.values.as_ref().map_or_else(|| own_values.clone(), |it| it.common(&own_values)),
        );
    }

    /// Returns whether every value of the type is valid.
    pub(super) fn is_open(&self) -> bool {
        let open = match &self.constraints {
            TypeConstraints::Null => self.values.as_ref().is_some_and(|it| it.len() == 1),
            TypeConstraints::Boolean => {
                self.values.as_ref().is_some_and(|values| values.len() == 2)
            }
            TypeConstraints::Number(numbers) => numbers.is_unrestricted(),
            TypeConstraints::Text(texts) => {
                StringConstraints::default().violated_keyword(texts).is_none()
            }
            TypeConstraints::Array(arrays) => arrays.is_open(),
            TypeConstraints::Object(objects) => objects.is_open(),
        };
        let finite = matches!(self.constraints, TypeConstraints::Null | TypeConstraints::Boolean);
        open && self.rules.is_empty() && (finite || self.values.is_none())
    }

    pub(super) fn object(&self) -> Option<&ObjectConstraints<'s>> {
        if let TypeConstraints::Object(objects) = &self.constraints { Some(objects) } else { None }
    }

    /// Records that other branches may evaluate properties too.
    pub(super) fn mark_evaluation_unknown(&mut self) {
        if let TypeConstraints::Object(objects) = &mut self.constraints {
            objects.evaluation_unknown = true;
        }
    }

    /// Records that every property is evaluated.
    pub(super) fn mark_all_evaluated(&mut self) {
        if let TypeConstraints::Object(objects) = &mut self.constraints {
            objects.evaluation_unknown = false;
            if !objects.layers.iter().any(|layer| layer.all) {
                objects.layers.push(PropertyLayer { all: true, ..PropertyLayer::default() });
            }
        }
    }

    /// All accepted values, if they are few.
    pub(super) fn listed(&self) -> Option<ListedValues> {
        match (&self.values, &self.constraints) {
            (Some(values), _) => Some(values.clone()),
            (None, TypeConstraints::Number(numbers)) => {
                numbers.listed().map(|values| ListedValues::new(&values))
            }
            (
                None,
                TypeConstraints::Null
                | TypeConstraints::Boolean
                | TypeConstraints::Text(_)
                | TypeConstraints::Array(_)
                | TypeConstraints::Object(_),
            ) => None,
        }
    }
}

/// A JSON type, as `type` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum JsonType {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl JsonType {
    /// All types; integers are numbers.
    pub(super) const ALL: [Self; 6] =
        [Self::Null, Self::Boolean, Self::Number, Self::String, Self::Array, Self::Object];

    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::String,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    /// The types that `type` and `nullable` name, sorted; all types if neither is present.
    pub(super) fn read(subschema: Subschema<'_>) -> Result<Vec<Self>, UnreadableKeyword> {
        let parse_type = |value: &Value| value.as_str().and_then(Self::named).ok_or("type");
        let mut kinds = match subschema.get("type") {
            None => return Ok(Self::ALL.to_vec()),
            Some(Value::Array(list)) => {
                list.iter().map(parse_type).collect::<Result<Vec<_>, _>>()?
            }
            Some(value) => vec![parse_type(value)?],
        };
        match subschema.get("nullable") {
            None | Some(Value::Bool(false)) => {}
            Some(Value::Bool(true)) => kinds.push(Self::Null),
            Some(_) => return Err("nullable"),
        }
        kinds.sort_unstable();
        kinds.dedup();
        let both = kinds.contains(&Self::Number);
        kinds.retain(|kind| !(both && *kind == Self::Integer));
        Ok(kinds)
    }
}

/// Reads a non-negative whole number.
pub(super) fn size(
    subschema: Subschema<'_>,
    word: &'static str,
) -> Result<Option<usize>, UnreadableKeyword> {
    let Some(value) = subschema.get(word) else { return Ok(None) };
    let text = value.as_number().ok_or(word)?.to_string();
    let integer = tool_runtime_schema::json::Decimal::read(&text)
        .to_i128()
        .filter(|size| *size >= 0)
        .ok_or(word)?;
    Ok(Some(usize::try_from(integer).unwrap_or(usize::MAX)))
}

impl<'s> ProofObstacle<'s> {
    pub(super) fn at(keyword: &'s str, all_of: &[Subschema<'s>]) -> Self {
        let owner = all_of.iter().find(|subschema| subschema.get(keyword).is_some());
        Self { keyword, subschema: owner.or(all_of.first()).copied() }
    }
}
