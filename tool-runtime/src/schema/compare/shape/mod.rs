//! A schema taken apart: for each JSON type, what is asked of its values.

mod array;
mod number;
mod object;
mod text;

use serde_json::Value;

pub(super) use self::array::{Arrays, Contains};
pub(super) use self::number::{Numbers, is_numeric};
pub(super) use self::object::{Layer, Objects};
pub(super) use self::text::Texts;
use super::alike::equal;
use super::part::Part;

/// A keyword whose value cannot be read.
pub(super) type Unread = &'static str;

/// Values of one JSON type that pass together: a schema is a list of alternatives like this.
#[derive(Debug, Clone)]
pub(super) struct Shape<'s> {
    pub(super) body: Body<'s>,
    /// Nothing but these, if they are listed.
    pub(super) values: Option<Vec<Value>>,
    /// What else is asked.
    pub(super) atoms: Vec<Atom<'s>>,
}

/// What is asked of values of one type.
#[derive(Debug, Clone)]
pub(super) enum Body<'s> {
    Null,
    Boolean,
    Number(Numbers),
    Text(Texts<'s>),
    Array(Arrays<'s>),
    Object(Box<Objects<'s>>),
}

/// A rule that is not taken further apart.
#[derive(Debug, Clone)]
pub(super) enum Atom<'s> {
    /// The schema does not let the value pass.
    Not(Part<'s>),
    /// Exactly one of the schemas lets it pass.
    One(Part<'s>, Vec<Part<'s>>),
    /// A keyword that nobody here knows.
    Foreign(&'s str, Part<'s>),
    /// A keyword that cannot be read, or not be followed.
    Opaque(&'static str, Part<'s>),
}

/// Where a proof stopped.
#[derive(Debug, Clone)]
pub(super) struct Gap<'s> {
    pub(super) keyword: &'s str,
    /// The schema whose keyword it is, if there is one to point at.
    pub(super) part: Option<Part<'s>>,
}

impl<'s> Shape<'s> {
    pub(super) fn new(body: Body<'s>) -> Self {
        let values = match body {
            Body::Null => Some(vec![Value::Null]),
            Body::Boolean => Some(vec![Value::Bool(false), Value::Bool(true)]),
            _ => None,
        };
        Self { body, values, atoms: Vec::new() }
    }

    /// Reads what a schema says of values of a type.
    pub(super) fn read(part: Part<'s>, kind: Kind, format: Option<&str>) -> Result<Self, Unread> {
        Ok(Self::new(match kind {
            Kind::Null => Body::Null,
            Kind::Boolean => Body::Boolean,
            Kind::Integer => Body::Number(Numbers::read(part, true, format)?),
            Kind::Number => Body::Number(Numbers::read(part, false, format)?),
            Kind::String => Body::Text(Texts::read(part)?),
            Kind::Array => Body::Array(Arrays::read(part)?),
            Kind::Object => Body::Object(Box::new(Objects::read(part)?)),
        }))
    }

    /// What passes both, if they are of one type.
    pub(super) fn meet(&self, other: &Self) -> Option<Self> {
        let body = match (self.body.clone(), &other.body) {
            (Body::Null, Body::Null) => Body::Null,
            (Body::Boolean, Body::Boolean) => Body::Boolean,
            (Body::Number(a), Body::Number(b)) => Body::Number(a.meet(b)),
            (Body::Text(a), Body::Text(b)) => Body::Text(a.meet(b)),
            (Body::Array(a), Body::Array(b)) => Body::Array(a.meet(b)),
            (Body::Object(a), Body::Object(b)) => Body::Object(Box::new(a.meet(b))),
            _ => return None,
        };
        let values = match (&self.values, &other.values) {
            (Some(a), Some(b)) => Some(common(a, b)),
            (a, b) => a.clone().or_else(|| b.clone()),
        };
        let atoms = self.atoms.iter().chain(&other.atoms).cloned().collect();
        Some(Self { body, values, atoms })
    }

    /// Is the value of this shape's type?
    pub(super) fn is_of(&self, value: &Value) -> bool {
        match &self.body {
            Body::Null => value.is_null(),
            Body::Boolean => value.is_boolean(),
            Body::Number(_) => value.is_number(),
            Body::Text(_) => value.is_string(),
            Body::Array(_) => value.is_array(),
            Body::Object(_) => value.is_object(),
        }
    }

    /// Lets only those of the values pass.
    pub(super) fn keep(&mut self, list: &[Value]) {
        let mut own: Vec<_> = list.iter().filter(|value| self.is_of(value)).cloned().collect();
        if let Some(values) = &self.values {
            own = common(values, &own);
        }
        self.values = Some(own);
    }

    /// Does every value of the type pass?
    pub(super) fn is_open(&self) -> bool {
        let open = match &self.body {
            Body::Null => self.values.as_ref().is_some_and(|values| values.len() == 1),
            Body::Boolean => self.values.as_ref().is_some_and(|values| values.len() == 2),
            Body::Number(numbers) => numbers.beyond_none(),
            Body::Text(texts) => Texts::default().beyond(texts).is_none(),
            Body::Array(arrays) => arrays.is_open(),
            Body::Object(objects) => objects.is_open(),
        };
        let finite = matches!(self.body, Body::Null | Body::Boolean);
        open && self.atoms.is_empty() && (finite || self.values.is_none())
    }

    pub(super) fn object(&self) -> Option<&Objects<'s>> {
        match &self.body {
            Body::Object(objects) => Some(objects),
            _ => None,
        }
    }

    /// Notes that other branches may evaluate properties too.
    pub(super) fn blur(&mut self) {
        if let Body::Object(objects) = &mut self.body {
            objects.vague = true;
        }
    }

    /// Notes that no property is left unevaluated.
    pub(super) fn look_at_all(&mut self) {
        if let Body::Object(objects) = &mut self.body {
            objects.vague = false;
            if !objects.layers.iter().any(|layer| layer.all) {
                objects.layers.push(Layer { all: true, ..Layer::default() });
            }
        }
    }

    /// All values, if they are few.
    pub(super) fn listed(&self) -> Option<Vec<Value>> {
        match (&self.values, &self.body) {
            (Some(values), _) => Some(values.clone()),
            (None, Body::Number(numbers)) => numbers.listed(),
            _ => None,
        }
    }
}

/// A JSON type, as `type` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

impl Kind {
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

    /// The types that `type` and `nullable` name, sorted; all of them where they are silent.
    pub(super) fn read(part: Part<'_>) -> Result<Vec<Self>, Unread> {
        let named = |value: &Value| value.as_str().and_then(Self::named).ok_or("type");
        let mut kinds = match part.get("type") {
            None => return Ok(Self::ALL.to_vec()),
            Some(Value::Array(list)) => list.iter().map(named).collect::<Result<Vec<_>, _>>()?,
            Some(value) => vec![named(value)?],
        };
        match part.get("nullable") {
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

/// Reads a size: a whole number that is not negative.
pub(super) fn size(part: Part<'_>, word: &'static str) -> Result<Option<usize>, Unread> {
    let Some(value) = part.get(word) else { return Ok(None) };
    let text = value.as_number().ok_or(word)?.to_string();
    let whole =
        crate::json::Decimal::read(&text).to_i128().filter(|size| *size >= 0).ok_or(word)?;
    Ok(Some(usize::try_from(whole).unwrap_or(usize::MAX)))
}

fn common(a: &[Value], b: &[Value]) -> Vec<Value> {
    a.iter().filter(|value| b.iter().any(|other| equal(value, other))).cloned().collect()
}

impl<'s> Gap<'s> {
    pub(super) fn at(keyword: &'s str, node: &[Part<'s>]) -> Self {
        let owner = node.iter().find(|part| part.get(keyword).is_some());
        Self { keyword, part: owner.or(node.first()).copied() }
    }
}
