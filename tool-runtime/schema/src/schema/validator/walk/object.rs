//! Checks objects.

use tool_contracts::Violation;

use super::super::model::{AdditionalProperties, ObjectRules, PropertyRule, SchemaId, SchemaNode};
use super::super::nearest::nearest;
use super::edit::TextEdit;
use super::scalar::sized;
use super::{Conversions, Document, NO_SECRETS, VerdictMode, Walk};
use crate::json::{JsonKind, JsonNode, JsonTree, read};
use crate::limits::Limits;
use crate::schema::pattern::Pattern;

/// Up to this number, a linear scan is faster than a binary search.
const LINEAR_SCAN_MAX: usize = 8;
/// Number of properties per bit set word.
const WORD_BITS: usize = 64;

/// Bit set of declared properties that are present; the first 64 need no allocation.
#[derive(Default)]
struct PresentProperties {
    first: u64,
    rest: Vec<u64>,
}

impl PresentProperties {
    fn insert(&mut self, index: usize, of: usize) {
        if index < WORD_BITS {
            self.first |= 1 << index;
            return;
        }
        if self.rest.is_empty() {
            self.rest = vec![0; of.div_ceil(WORD_BITS) - 1];
        }
        if let Some(word) = self.rest.get_mut(index / WORD_BITS - 1) {
            *word |= 1 << (index % WORD_BITS);
        }
    }

    fn has(&self, index: usize) -> bool {
        let word = match index / WORD_BITS {
            0 => self.first,
            word => self.rest.get(word - 1).copied().unwrap_or(0),
        };
        word & (1 << (index % WORD_BITS)) != 0
    }
}

impl<'v> Walk<'v> {
    pub(super) fn object(
        &mut self,
        schema: &'v SchemaNode,
        doc: &Document<'_>,
        at: u32,
        node: &JsonNode,
    ) {
        let Some(rules) = &schema.objects else { return };
        let mut seen = PresentProperties::default();
        let mut omitted = Vec::new();
        for (id, child) in doc.view.children(at) {
            if self.is_finished() {
                return;
            }
            let name = doc.view.key(child);
            let declaration = rules.find(&name);
            if let Some((index, property)) = declaration {
                if rules.has_aliases && seen.has(index) {
                    self.reject(doc, id, "duplicate", || "each property once".to_owned());
                }
                seen.insert(index, rules.properties.len());
                if self.is_omitted(property, doc, id, child) {
                    omitted.push(TextEdit::omitted(id, child));
                    continue;
                }
                if let Some(schema) = property.schema {
                    self.value(schema, doc, id);
                }
            }
            let declared = declaration.is_some_and(|(_, property)| property.schema.is_some());
            if !declared || !rules.patterns.is_empty() {
                self.undeclared(rules, doc, id, &name, declared);
            }
            if let Some(names) = rules.names {
                self.name(names, doc, id, child);
            }
        }
        self.check_required(rules, doc, at, &seen);
        self.check_count(rules, doc, at, node.count() - omitted.len());
        self.dependents(rules, doc, at);
        self.omit_properties(omitted);
    }

    /// Checks a property by `patternProperties` and `additionalProperties`.
    fn undeclared(
        &mut self,
        rules: &'v ObjectRules,
        doc: &Document<'_>,
        id: u32,
        name: &str,
        declared: bool,
    ) {
        let mut matched = declared;
        for (pattern, schema) in &rules.patterns {
            if !self.may_match(name) {
                return;
            }
            if pattern.is_match(name) {
                matched = true;
                self.value(*schema, doc, id);
            }
        }
        match rules.additional {
            AdditionalProperties::Checked(schema) if !matched => self.value(schema, doc, id),
            AdditionalProperties::Closed if !matched => self.unknown(rules, doc, id, name),
            AdditionalProperties::Open
            | AdditionalProperties::Checked(_)
            | AdditionalProperties::Closed => {}
        }
    }

    #[cold]
    fn unknown(&mut self, rules: &ObjectRules, doc: &Document<'_>, id: u32, name: &str) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let declared = || rules.properties.iter().filter(|property| property.schema.is_some());
        let expected = describe_known_names(
            declared().map(|property| &*property.name),
            rules.patterns.iter().map(|(pattern, _)| pattern),
        );
        let violation = doc.violation(id, "additionalProperties", expected);
        let names = declared().map(|property| &*property.name);
        self.record(with_close_name(violation, doc, id, &nearest(name, names, 1)));
    }

    fn check_required(
        &mut self,
        rules: &'v ObjectRules,
        doc: &Document<'_>,
        at: u32,
        seen: &PresentProperties,
    ) {
        if !rules.required {
            return;
        }
        for (index, property) in rules.properties.iter().enumerate() {
            if self.is_finished() {
                return;
            }
            if property.required && !seen.has(index) {
                self.missing(doc, at, "required", &property.name, property.schema);
            }
        }
    }

    /// Records a missing property.
    pub(super) fn missing(
        &mut self,
        doc: &Document<'_>,
        at: u32,
        rule: &'static str,
        name: &str,
        schema: Option<SchemaId>,
    ) {
        self.failed = true;
        if !self.quiet {
            let expected = schema.map_or("any value".to_owned(), |id| self.schema(id).expected());
            self.record(doc.violation_of_absent(at, rule, name, &expected));
        }
    }

    fn check_count(&mut self, rules: &ObjectRules, doc: &Document<'_>, at: u32, count: usize) {
        if count < rules.min {
            self.reject(doc, at, "minProperties", || sized("at least", rules.min, "property"));
        }
        if count > rules.max {
            self.reject(doc, at, "maxProperties", || sized("at most", rules.max, "property"));
        }
    }

    fn dependents(&mut self, rules: &'v ObjectRules, doc: &Document<'_>, at: u32) {
        for dependent in &rules.dependents {
            if doc.view.property(at, &dependent.name).is_none() {
                continue;
            }
            for name in &dependent.required {
                if doc.view.property(at, name).is_none() {
                    let property_schema =
                        rules.find(name).and_then(|(_, property)| property.schema);
                    self.missing(doc, at, "dependentRequired", name, property_schema);
                }
            }
            if let Some(schema) = dependent.schema {
                self.value(schema, doc, at);
            }
        }
    }

    /// Checks a property's name as a string value.
    fn name(&mut self, names: SchemaId, doc: &Document<'_>, id: u32, child: &JsonNode) {
        let quoted = &doc.view.text[child.member_start()..];
        let quoted = &quoted[..doc.view.raw_key(child).len() + 2];
        let roomy = Limits::new().with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
        let Ok(tree) = read(quoted, &roomy) else { return };
        if !self.is_name(names, &tree, quoted) {
            self.failed = true;
            if !self.quiet {
                let expected = format!("a property whose name is {}", self.described_name(names));
                self.record(doc.violation_of(id, "propertyNames", expected, "string"));
            }
        }
    }

    /// Describes the names that a schema of names accepts.
    fn described_name(&self, names: SchemaId) -> String {
        let schema = self.schema(names);
        let Some(rules) = schema.strings.as_ref().filter(|_| schema.values.is_none()) else {
            return schema.expected();
        };
        let pattern = rules.pattern.as_ref().map(described_pattern);
        let min = (rules.min > 0).then(|| sized("at least", rules.min, "character"));
        let max = (rules.max < usize::MAX).then(|| sized("at most", rules.max, "character"));
        let lengths: Vec<_> = [min, max].into_iter().flatten().collect();
        match (pattern, lengths.as_slice()) {
            (Some(pattern), []) => pattern,
            (Some(pattern), lengths) => format!("{pattern}, of {}", lengths.join(" and ")),
            (None, lengths) => format!("text of {}", lengths.join(" and ")),
        }
    }

    fn is_name(&mut self, names: SchemaId, tree: &JsonTree, quoted: &str) -> bool {
        self.docs += 1;
        let (view, id) = (tree.view(quoted), self.docs);
        let doc = Document { view, id, outer: None, secrets: &NO_SECRETS };
        self.passes(names, &doc, 0, VerdictMode::PLAIN)
    }

    /// Returns whether the property may be omitted because it is null and null is not accepted.
    fn is_omitted(
        &mut self,
        property: &PropertyRule,
        doc: &Document<'_>,
        id: u32,
        child: &JsonNode,
    ) -> bool {
        let Some(schema) = property.schema else { return false };
        self.coerce != Conversions::None
            && child.kind == JsonKind::Null
            && !property.required
            && !self.passes(schema, doc, id, VerdictMode::PLAIN)
    }

    fn omit_properties(&mut self, omitted: Vec<TextEdit>) {
        if !self.quiet {
            self.edits.extend(omitted);
        }
    }
}

impl ObjectRules {
    /// The declared or required property of that name.
    pub(in super::super) fn find(&self, name: &str) -> Option<(usize, &PropertyRule)> {
        let properties = &self.properties;
        let index = if properties.len() <= LINEAR_SCAN_MAX {
            properties.iter().position(|property| &*property.name == name)
        } else {
            properties.binary_search_by(|property| (*property.name).cmp(name)).ok()
        };
        let index = index.or_else(|| self.find_alias(name))?;
        Some((index, &properties[index]))
    }

    fn find_alias(&self, name: &str) -> Option<usize> {
        let has_alias = |property: &PropertyRule| property.aliases.iter().any(|it| **it == *name);
        if self.has_aliases { self.properties.iter().position(has_alias) } else { None }
    }

    /// The schemas that this object's rules apply to a property.
    pub(in super::super) fn schemas_for<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = SchemaId> + 'a {
        let declared = self.find(name).and_then(|(_, property)| property.schema);
        let mut patterns =
            self.patterns.iter().filter(move |(pattern, _)| pattern.is_match(name)).peekable();
        let additional = match self.additional {
            AdditionalProperties::Checked(id)
                if declared.is_none() && patterns.peek().is_none() =>
            {
                Some(id)
            }
            AdditionalProperties::Open
            | AdditionalProperties::Closed
            | AdditionalProperties::Checked(_) => None,
        };
        declared.into_iter().chain(patterns.map(|(_, id)| *id)).chain(additional)
    }
}

/// Adds the declared name that is close to an unknown one, unless the unknown one is inside of a
/// secret: the hint would tell about it.
pub(super) fn with_close_name(
    violation: Violation,
    doc: &Document<'_>,
    id: u32,
    close: &[&str],
) -> Violation {
    match close.first() {
        Some(close) if !doc.is_inside_a_secret(id) => {
            violation.with_hint(format!("did you mean `{close}`?"))
        }
        Some(_) | None => violation,
    }
}

/// The names that an object may have, if they are few enough to list.
pub(super) fn describe_known_names<'a>(
    names: impl Iterator<Item = &'a str>,
    patterns: impl Iterator<Item = &'a Pattern>,
) -> String {
    const MAX_NAMES: usize = 20;
    let mut names: Vec<_> = names.take(MAX_NAMES + 1).map(quoted_name).collect();
    let mut described: Vec<_> = patterns.take(MAX_NAMES).map(described_pattern).collect();
    described.dedup();
    match (names.len(), described.len()) {
        (0, 0) => "no properties".to_owned(),
        (0, _) => format!("a property whose name is {}", described.join(" or ")),
        (1..=MAX_NAMES, _) => {
            names.extend(
                described.into_iter().map(|pattern| format!("those whose name is {pattern}")),
            );
            let noun = if names.len() == 1 { "property" } else { "properties" };
            format!("only the {noun} {}", names.join(", "))
        }
        _ => "a declared property".to_owned(),
    }
}

/// A property's name in a sentence.
fn quoted_name(name: &str) -> String {
    if name.is_empty() { "`\"\"` (the empty name)".to_owned() } else { format!("`{name}`") }
}

/// The names that match a pattern, in words if they are the integers that keys of maps are.
pub(in super::super) fn described_pattern(pattern: &Pattern) -> String {
    let words = match pattern.as_str() {
        r"^\d+$" => "an integer without a sign",
        r"^-?\d+$" => "an integer",
        _ => "text",
    };
    format!("{words} that matches `{pattern}`")
}
