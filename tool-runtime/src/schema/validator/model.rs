//! The compiled schema: flat, with every reference resolved.

use regex_lite::Regex;
use serde_json::Value;

use super::number::{Bounds, Reader};
use super::types::Types;

/// The place of a schema in the list of all.
pub(super) type SchemaId = u32;

/// What one schema asks of one value.
#[derive(Debug, Default)]
pub(super) struct Schema {
    /// The types that `type` and `nullable` admit.
    pub(super) types: Types,
    /// The types that can pass at all, as far as is known without looking at the value.
    pub(super) reach: Types,
    /// The types of which no rule says more; of numbers, those that are written plainly.
    pub(super) bare: Types,
    /// Nothing passes: the schema is `false`.
    pub(super) never: bool,
    /// What `x-sensitivity` says of the values.
    pub(super) marked: Sensitive,
    /// What it says of them or of anything that can lie below.
    pub(super) holds: Sensitive,
    /// Whose digits count, for numbers.
    pub(super) reader: Reader,
    pub(super) numbers: Option<Box<Bounds>>,
    pub(super) strings: Option<Box<Strings>>,
    pub(super) arrays: Option<Box<Arrays>>,
    pub(super) objects: Option<Box<Objects>>,
    pub(super) values: Option<Box<Values>>,
    pub(super) logic: Option<Box<Logic>>,
    pub(super) title: Option<Box<str>>,
    /// An annotation, but what a reader's refusal is most likely about.
    pub(super) format: Option<Box<str>>,
}

/// Whom values are not for.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sensitive {
    /// They never leave the process.
    pub(super) secret: bool,
    /// They say something of a person: no record holds them as they are.
    pub(super) pii: bool,
}

impl Sensitive {
    pub(super) fn or(self, other: Self) -> Self {
        Self { secret: self.secret || other.secret, pii: self.pii || other.pii }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::ANY
    }
}

#[derive(Debug)]
pub(super) struct Strings {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) pattern: Option<Regex>,
}

#[derive(Debug)]
pub(super) struct Arrays {
    pub(super) prefix: Vec<SchemaId>,
    pub(super) items: Option<SchemaId>,
    pub(super) contains: Option<Contains>,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) unique: bool,
}

#[derive(Debug)]
pub(super) struct Contains {
    pub(super) schema: SchemaId,
    pub(super) min: usize,
    pub(super) max: usize,
}

#[derive(Debug)]
pub(super) struct Objects {
    /// Sorted by name; also the required names that `properties` lacks.
    pub(super) properties: Vec<Property>,
    pub(super) patterns: Vec<(Regex, SchemaId)>,
    pub(super) additional: Additional,
    pub(super) required: bool,
    pub(super) names: Option<SchemaId>,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) dependents: Vec<Dependent>,
    /// What `unevaluatedProperties` asks of the properties that nothing else looks at.
    pub(super) unevaluated: Option<SchemaId>,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: Box<str>,
    pub(super) schema: Option<SchemaId>,
    pub(super) required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Additional {
    Open,
    Closed,
    Checked(SchemaId),
}

/// What the presence of one property asks for.
#[derive(Debug)]
pub(super) struct Dependent {
    pub(super) name: Box<str>,
    pub(super) required: Vec<Box<str>>,
    pub(super) schema: Option<SchemaId>,
}

/// The values of `enum` or `const`.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) rule: &'static str,
    /// Sorted.
    pub(super) strings: Vec<Box<str>>,
    pub(super) others: Vec<Value>,
    pub(super) expected: Box<str>,
}

#[derive(Debug, Default)]
pub(super) struct Logic {
    pub(super) reference: Option<SchemaId>,
    pub(super) all: Vec<SchemaId>,
    pub(super) any: Option<Choice>,
    pub(super) one: Option<Choice>,
    pub(super) not: Option<SchemaId>,
    pub(super) condition: Option<Condition>,
}

impl Logic {
    /// The schemas that look at the same value.
    pub(super) fn inline(&self) -> impl Iterator<Item = SchemaId> + '_ {
        let choices = self.any.iter().chain(&self.one).flat_map(|choice| &choice.branches);
        let condition = self.condition.iter().flat_map(|condition| {
            [Some(condition.test), condition.pass, condition.fail].into_iter().flatten()
        });
        let rest = self.reference.iter().chain(&self.all).chain(choices).chain(&self.not);
        rest.copied().chain(condition)
    }
}

impl Schema {
    /// The schemas that look at the same value.
    pub(super) fn inline(&self) -> impl Iterator<Item = SchemaId> + '_ {
        let dependents = self.objects.iter().flat_map(|rules| &rules.dependents);
        let logic = self.logic.iter().flat_map(|logic| logic.inline());
        logic.chain(dependents.filter_map(|dependent| dependent.schema))
    }
}

#[derive(Debug)]
pub(super) struct Choice {
    pub(super) branches: Vec<SchemaId>,
    pub(super) tag: Option<Tag>,
}

/// A property whose constant tells the branches of a choice apart.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    pub(super) property: Box<str>,
    /// The constant of each branch that admits objects.
    pub(super) values: Vec<(Box<str>, SchemaId)>,
    pub(super) expected: Box<str>,
}

#[derive(Debug)]
pub(super) struct Condition {
    pub(super) test: SchemaId,
    pub(super) pass: Option<SchemaId>,
    pub(super) fail: Option<SchemaId>,
}

impl Schema {
    /// What may stand here, in words.
    pub(super) fn expected(&self) -> String {
        match &self.values {
            Some(values) => values.expected.to_string(),
            None => self.reach.text(),
        }
    }

    /// What to call the schema among others: its title, or what may stand there.
    pub(super) fn name(&self) -> String {
        const LONGEST: usize = 80;
        match &self.title {
            Some(title) if title.len() <= LONGEST => title.to_string(),
            _ => self.expected(),
        }
    }

    /// The types of which no rule says more.
    pub(super) fn unruled(&self) -> Types {
        let mut bare = Types::NULL.or(Types::BOOL);
        if self.values.is_some() || self.logic.is_some() || self.never {
            return Types::NONE;
        }
        if self.strings.is_none() {
            bare = bare.or(Types::STRING);
        }
        if self.arrays.is_none() {
            bare = bare.or(Types::ARRAY);
        }
        if self.objects.is_none() {
            bare = bare.or(Types::OBJECT);
        }
        if self.numbers.is_none() && self.reader.keeps_plain() {
            bare = bare.or(Types::NUMBER);
        }
        bare
    }

    /// Does everything pass?
    pub(super) fn is_open(&self) -> bool {
        self.types == Types::ANY
            && !self.never
            && self.numbers.is_none()
            && self.strings.is_none()
            && self.arrays.is_none()
            && self.objects.is_none()
            && self.values.is_none()
            && self.logic.is_none()
    }
}
