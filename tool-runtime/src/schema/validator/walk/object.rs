//! Objects.

use tool_contracts::Violation;

use super::super::model::{Additional, Objects, Property, Schema, SchemaId};
use super::super::nearest::nearest;
use super::edit::Edit;
use super::scalar::sized;
use super::{Doc, Question, Walk};
use crate::json::{Kind, Node, Tree, push_name, read};
use crate::limits::Limits;

/// Up to here, trying one name after the other is cheaper than a binary search.
const FEW: usize = 8;
/// How many properties are ticked off in one word.
const TICKS: usize = 64;

/// The declared properties that were seen: a bit each, the first 64 without an allocation.
#[derive(Default)]
struct Seen {
    first: u64,
    rest: Vec<u64>,
}

impl Seen {
    fn tick(&mut self, index: usize, of: usize) {
        if index < TICKS {
            self.first |= 1 << index;
            return;
        }
        if self.rest.is_empty() {
            self.rest = vec![0; of.div_ceil(TICKS) - 1];
        }
        if let Some(word) = self.rest.get_mut(index / TICKS - 1) {
            *word |= 1 << (index % TICKS);
        }
    }

    fn has(&self, index: usize) -> bool {
        let word = match index / TICKS {
            0 => self.first,
            word => self.rest.get(word - 1).copied().unwrap_or(0),
        };
        word & (1 << (index % TICKS)) != 0
    }
}

impl<'v> Walk<'v> {
    pub(super) fn object(&mut self, schema: &'v Schema, doc: &Doc<'_>, at: u32, node: &Node) {
        let Some(rules) = &schema.objects else { return };
        let mut seen = Seen::default();
        let mut left_out = Vec::new();
        for (id, child) in doc.view.children(at) {
            if self.is_over() {
                return;
            }
            let name = doc.view.key(child);
            let known = rules.find(&name);
            if let Some((index, property)) = known {
                seen.tick(index, rules.properties.len());
                if self.is_left_out(property, doc, id, child) {
                    left_out.push(id);
                    continue;
                }
                if let Some(schema) = property.schema {
                    self.value(schema, doc, id);
                }
            }
            let declared = known.is_some_and(|(_, property)| property.schema.is_some());
            if !declared || !rules.patterns.is_empty() {
                self.undeclared(rules, doc, id, &name, declared);
            }
            if let Some(names) = rules.names {
                self.name(names, doc, id, child);
            }
        }
        self.absent(rules, doc, at, &seen);
        self.counted(rules, doc, at, node.count() - left_out.len());
        self.dependents(rules, doc, at);
        if let Some(rest) = rules.unevaluated {
            self.unevaluated(schema, rest, doc, at);
        }
        self.leave_out(doc, at, &left_out);
    }

    /// Checks a property by what is said of its name's pattern, or of all others.
    fn undeclared(
        &mut self,
        rules: &'v Objects,
        doc: &Doc<'_>,
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
            Additional::Checked(schema) if !matched => self.value(schema, doc, id),
            Additional::Closed if !matched => self.unknown(rules, doc, id, name),
            _ => {}
        }
    }

    #[cold]
    fn unknown(&mut self, rules: &Objects, doc: &Doc<'_>, id: u32, name: &str) {
        self.failed = true;
        if self.quiet {
            return;
        }
        let declared = || rules.properties.iter().filter(|property| property.schema.is_some());
        let violation = Violation::new(
            doc.pointer(id),
            "additionalProperties",
            no_other(declared().map(|property| &*property.name)),
            doc.received(id),
        );
        let close = nearest(name, declared().map(|property| &*property.name), 1);
        self.note(match close.first() {
            Some(close) => violation.with_hint(format!("did you mean `{close}`?")),
            None => violation,
        });
    }

    fn absent(&mut self, rules: &'v Objects, doc: &Doc<'_>, at: u32, seen: &Seen) {
        if !rules.required {
            return;
        }
        for (index, property) in rules.properties.iter().enumerate() {
            if self.is_over() {
                return;
            }
            if property.required && !seen.has(index) {
                self.missing(doc, at, "required", &property.name, property.schema);
            }
        }
    }

    /// Notes a property that should be there.
    pub(super) fn missing(
        &mut self,
        doc: &Doc<'_>,
        at: u32,
        rule: &'static str,
        name: &str,
        schema: Option<SchemaId>,
    ) {
        self.failed = true;
        if !self.quiet {
            let mut pointer = doc.pointer(at);
            push_name(&mut pointer, name);
            let expected = schema.map_or("any value".to_owned(), |id| self.schema(id).expected());
            self.note(Violation::new(pointer, rule, expected, "absent"));
        }
    }

    fn counted(&mut self, rules: &Objects, doc: &Doc<'_>, at: u32, count: usize) {
        if count < rules.min {
            self.refuse(doc, at, "minProperties", || sized("at least", rules.min, "property"));
        }
        if count > rules.max {
            self.refuse(doc, at, "maxProperties", || sized("at most", rules.max, "property"));
        }
    }

    fn dependents(&mut self, rules: &'v Objects, doc: &Doc<'_>, at: u32) {
        for dependent in &rules.dependents {
            if doc.view.property(at, &dependent.name).is_none() {
                continue;
            }
            for name in &dependent.required {
                if doc.view.property(at, name).is_none() {
                    let known = rules.find(name).and_then(|(_, property)| property.schema);
                    self.missing(doc, at, "dependentRequired", name, known);
                }
            }
            if let Some(schema) = dependent.schema {
                self.value(schema, doc, at);
            }
        }
    }

    /// Checks a property's name as if it were a string value.
    fn name(&mut self, names: SchemaId, doc: &Doc<'_>, id: u32, child: &Node) {
        let quoted = &doc.view.text[child.member_start()..];
        let quoted = &quoted[..doc.view.raw_key(child).len() + 2];
        let roomy = Limits::new().with_max_bytes(usize::MAX).with_max_string_bytes(usize::MAX);
        let Ok(tree) = read(quoted, &roomy) else { return };
        if !self.is_name(names, &tree, quoted) {
            let expected = || format!("a property whose name is {}", self.schema(names).expected());
            let expected = expected();
            self.refuse(doc, id, "propertyNames", || expected);
        }
    }

    fn is_name(&mut self, names: SchemaId, tree: &Tree, quoted: &str) -> bool {
        self.docs += 1;
        let doc = Doc { view: tree.view(quoted), id: self.docs, outer: None };
        self.passes(names, &doc, 0, Question::PLAIN)
    }

    /// May the property be left out, because it is null and must not be?
    fn is_left_out(&mut self, property: &Property, doc: &Doc<'_>, id: u32, child: &Node) -> bool {
        let Some(schema) = property.schema else { return false };
        self.coerce
            && child.kind == Kind::Null
            && !property.required
            && !self.passes(schema, doc, id, Question::PLAIN)
    }

    fn leave_out(&mut self, doc: &Doc<'_>, at: u32, left_out: &[u32]) {
        if left_out.is_empty() || self.quiet {
            return;
        }
        let mut kept_end = None;
        let mut children = doc.view.children(at).peekable();
        while let Some((id, child)) = children.next() {
            if left_out.binary_search(&id).is_err() {
                kept_end = Some(child.end());
                continue;
            }
            let span = match (children.peek(), kept_end) {
                (Some((_, next)), _) => child.member_start()..next.member_start(),
                (None, Some(end)) => end..child.end(),
                (None, None) => child.member_start()..child.end(),
            };
            self.edits.push(Edit::left_out(id, span));
        }
    }
}

impl Objects {
    /// The declared or required property of that name.
    pub(in super::super) fn find(&self, name: &str) -> Option<(usize, &Property)> {
        let properties = &self.properties;
        let index = if properties.len() <= FEW {
            properties.iter().position(|property| &*property.name == name)?
        } else {
            properties.binary_search_by(|property| (*property.name).cmp(name)).ok()?
        };
        Some((index, &properties[index]))
    }

    /// The schemas that this object's rules have for a property.
    pub(in super::super) fn schemas_for<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = SchemaId> + 'a {
        let declared = self.find(name).and_then(|(_, property)| property.schema);
        let mut patterns =
            self.patterns.iter().filter(move |(pattern, _)| pattern.is_match(name)).peekable();
        let additional = match self.additional {
            Additional::Checked(id) if declared.is_none() && patterns.peek().is_none() => Some(id),
            _ => None,
        };
        declared.into_iter().chain(patterns.map(|(_, id)| *id)).chain(additional)
    }
}

/// The names that may stand in an object, if they are few enough to list.
pub(super) fn no_other<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let names: Vec<_> = names.take(MOST + 1).map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "no properties".to_owned(),
        1..=MOST => format!("no property but {}", names.join(", ")),
        _ => "a declared property".to_owned(),
    }
}
