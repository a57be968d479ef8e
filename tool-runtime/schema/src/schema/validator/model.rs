//! The compiled schema: a flat list with all references resolved.

use serde_json::Value;

use super::number::{NumberBounds, NumberReader};
use super::types::Types;
use crate::schema::pattern::Pattern;

/// Index of a schema in the compiled list.
pub(super) type SchemaId = u32;

/// All rules that one schema applies to one value.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    /// The types that `type` and `nullable` accept.
    pub(super) types: Types,
    /// The types that can be valid, as far as is known without a value.
    pub(super) possible_types: Types,
    /// The types without further rules; for numbers, plainly written ones.
    pub(super) unconstrained_types: Types,
    /// Several schemas apply it to the same value, and it applies further ones.
    pub(super) is_shared: bool,
    /// The schema is `false`: no value is valid.
    pub(super) rejects_all: bool,
    /// `x-sensitivity` of the values.
    pub(super) own_sensitivity: SensitivityFlags,
    /// `x-sensitivity` of the values and of everything below them.
    pub(super) deep_sensitivity: SensitivityFlags,
    /// The type that reads numbers, which decides how many digits are kept.
    pub(super) reader: NumberReader,
    pub(super) numbers: Option<Box<NumberBounds>>,
    pub(super) strings: Option<Box<StringRules>>,
    pub(super) arrays: Option<Box<ArrayRules>>,
    pub(super) objects: Option<Box<ObjectRules>>,
    pub(super) values: Option<Box<AllowedValues>>,
    pub(super) logic: Option<Box<LogicRules>>,
    pub(super) title: Option<Box<str>>,
    /// An annotation, but the most likely reason for a typed reader to reject the value.
    pub(super) format: Option<Box<str>>,
}

/// Sensitivity of a value.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct SensitivityFlags {
    /// The value never leaves the process.
    pub(super) secret: bool,
    /// The value is personal data, which records contain only in redacted form.
    pub(super) pii: bool,
}

impl SensitivityFlags {
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
pub(super) struct StringRules {
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) pattern: Option<Pattern>,
}

#[derive(Debug)]
pub(super) struct ArrayRules {
    pub(super) prefix: Vec<SchemaId>,
    pub(super) items: Option<SchemaId>,
    pub(super) contains: Option<ContainsRule>,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) unique: bool,
}

#[derive(Debug)]
pub(super) struct ContainsRule {
    pub(super) schema: SchemaId,
    pub(super) min: usize,
    pub(super) max: usize,
}

#[derive(Debug)]
pub(super) struct ObjectRules {
    /// Sorted by name; includes required names that `properties` lacks.
    pub(super) properties: Vec<PropertyRule>,
    pub(super) patterns: Vec<(Pattern, SchemaId)>,
    pub(super) additional: AdditionalProperties,
    pub(super) required: bool,
    pub(super) has_aliases: bool,
    pub(super) names: Option<SchemaId>,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) dependents: Vec<DependentRule>,
    /// The schema of properties that no other keyword evaluates.
    pub(super) unevaluated: Option<SchemaId>,
}

#[derive(Debug)]
pub(super) struct PropertyRule {
    pub(super) name: Box<str>,
    /// Other names that a typed reader accepts, by `x-aliases`.
    pub(super) aliases: Box<[Box<str>]>,
    pub(super) schema: Option<SchemaId>,
    pub(super) required: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AdditionalProperties {
    Open,
    Closed,
    Checked(SchemaId),
}

/// Rules that apply if a property is present.
#[derive(Debug)]
pub(super) struct DependentRule {
    pub(super) name: Box<str>,
    pub(super) required: Vec<Box<str>>,
    pub(super) schema: Option<SchemaId>,
}

/// The values of `enum` or `const`.
#[derive(Debug)]
pub(super) struct AllowedValues {
    pub(super) rule: &'static str,
    /// Sorted.
    pub(super) strings: Vec<Box<str>>,
    pub(super) others: Vec<Value>,
    pub(super) expected: Box<str>,
}

#[derive(Debug, Default)]
pub(super) struct LogicRules {
    pub(super) reference: Option<SchemaId>,
    pub(super) all: Vec<SchemaId>,
    pub(super) any: Option<Choice>,
    pub(super) one: Option<Choice>,
    pub(super) not: Option<SchemaId>,
    pub(super) condition: Option<Condition>,
}

impl LogicRules {
    /// The schemas that apply to the same value.
    pub(super) fn inline(&self) -> impl Iterator<Item = SchemaId> + '_ {
        let choices = self.any.iter().chain(&self.one).flat_map(|choice| &choice.branches);
        let condition = self.condition.iter().flat_map(|condition| {
            [Some(condition.test), condition.pass, condition.fail].into_iter().flatten()
        });
        let schema_refs = self.reference.iter().chain(&self.all).chain(choices).chain(&self.not);
        schema_refs.copied().chain(condition)
    }
}

impl SchemaNode {
    /// The schemas that apply to the same value.
    pub(super) fn inline(&self) -> impl Iterator<Item = SchemaId> + '_ {
        let dependents = self.objects.iter().flat_map(|rules| &rules.dependents);
        let logic = self.logic.iter().flat_map(|logic| logic.inline());
        logic.chain(dependents.filter_map(|dependent| dependent.schema))
    }
}

#[derive(Debug)]
pub(super) struct Choice {
    pub(super) branches: Vec<SchemaId>,
    pub(super) tag: Option<Discriminator>,
}

/// A property whose constant value selects the branch of a choice.
#[derive(Debug, Clone)]
pub(super) struct Discriminator {
    pub(super) property: Box<str>,
    /// The constant of each branch that accepts objects.
    pub(super) values: Vec<(Box<str>, SchemaId)>,
    pub(super) expected: Box<str>,
}

#[derive(Debug)]
pub(super) struct Condition {
    pub(super) test: SchemaId,
    pub(super) pass: Option<SchemaId>,
    pub(super) fail: Option<SchemaId>,
}

impl SchemaNode {
    /// Describes the accepted values.
    pub(super) fn expected(&self) -> String {
        match &self.values {
            Some(values) => values.expected.to_string(),
            None => self.possible_types.text(),
        }
    }

    /// Names the schema among others: its title, or the accepted types.
    pub(super) fn name(&self) -> String {
        match self.short_title() {
            Some(title) => title.to_owned(),
            None => self.expected(),
        }
    }

    /// The title without the Rust path that it may be; none if the rest is no name.
    ///
    /// A model knows nothing of modules, and `Vec<shop::Item>` says less to it than `array`.
    pub(super) fn short_title(&self) -> Option<&str> {
        const MAX_TITLE_BYTES: usize = 80;
        let title = self.title.as_deref()?;
        let is_path = title.contains("::");
        let name = if is_path { title.rsplit("::").next()? } else { title };
        let is_name = !is_path || !title.contains(['<', '(', '[', '&', '{']);
        (is_name && !name.is_empty() && name.len() <= MAX_TITLE_BYTES).then_some(name)
    }

    /// The types without further rules.
    pub(super) fn types_without_rules(&self) -> Types {
        let mut unconstrained_types = Types::NULL.or(Types::BOOL);
        if self.values.is_some() || self.logic.is_some() || self.rejects_all {
            return Types::NONE;
        }
        if self.strings.is_none() {
            unconstrained_types = unconstrained_types.or(Types::STRING);
        }
        if self.arrays.is_none() {
            unconstrained_types = unconstrained_types.or(Types::ARRAY);
        }
        if self.objects.is_none() {
            unconstrained_types = unconstrained_types.or(Types::OBJECT);
        }
        if self.numbers.is_none() && self.reader.keeps_plain() {
            unconstrained_types = unconstrained_types.or(Types::NUMBER);
        }
        unconstrained_types
    }

    /// Returns whether every value is valid.
    pub(super) fn is_open(&self) -> bool {
        self.types == Types::ANY
            && !self.rejects_all
            && self.numbers.is_none()
            && self.strings.is_none()
            && self.arrays.is_none()
            && self.objects.is_none()
            && self.values.is_none()
            && self.logic.is_none()
    }
}
