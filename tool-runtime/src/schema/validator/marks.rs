//! Which values of a text are not for everybody: secrets, personal data, what no schema knows.

use super::locate::inlined;
use super::model::{Additional, Schema, SchemaId};
use super::types::Types;
use crate::json::{Kind, Node, View};

/// A value that is not for everybody, with everything in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) node: u32,
    pub(super) what: Sensitivity,
}

/// Why a value is not for everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sensitivity {
    Secret,
    /// It says something of a person.
    Personal,
    /// No schema knows it: it may be a secret under a misspelt name.
    Stranger,
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Search {
    /// Secrets, and strangers on the way to them.
    Secrets,
    /// Personal data and all strangers as well.
    All,
}

/// Finds every value that a sensitive schema may look at, in doubt also more: whether the schema's
/// branches accept the value makes no difference.
///
/// In the order of the text, none within another.
pub(super) fn marks(schemas: &[Schema], view: View<'_>, search: Search) -> Vec<Mark> {
    let mut walk = Walk { schemas, view, search, marks: Vec::new() };
    walk.value(&[0], 0);
    walk.marks
}

struct Walk<'a> {
    schemas: &'a [Schema],
    view: View<'a>,
    search: Search,
    marks: Vec<Mark>,
}

impl<'a> Walk<'a> {
    fn schema(&self, id: SchemaId) -> &'a Schema {
        &self.schemas[id as usize]
    }

    fn mark(&mut self, node: u32, what: Sensitivity) {
        self.marks.push(Mark { node, what });
    }

    fn value(&mut self, schemas: &[SchemaId], at: u32) {
        let node = self.view.node(at);
        let all = inlined(self.schemas, schemas.to_vec());
        if let Some(what) = self.sensitivity(&all, node) {
            self.mark(at, what);
            return;
        }
        let deep = self.search == Search::All || all.iter().any(|id| self.schema(*id).holds.secret);
        match node.kind {
            Kind::Object => self.object(&all, at),
            Kind::Array if deep => self.array(&all, at),
            _ => {}
        }
    }

    fn sensitivity(&self, all: &[SchemaId], node: &Node) -> Option<Sensitivity> {
        let any = |is: fn(&Schema) -> bool| all.iter().any(|id| is(self.schema(*id)));
        if any(|schema| schema.marked.secret)
            || self.is_disguised(all, node, |schema| schema.holds.secret)
        {
            return Some(Sensitivity::Secret);
        }
        let personal = self.search == Search::All
            && (any(|schema| schema.marked.pii)
                || self.is_disguised(all, node, |schema| schema.holds.pii));
        // Personal data that holds a secret is one.
        let hides = any(|schema| schema.holds.secret);
        let what = if hides { Sensitivity::Secret } else { Sensitivity::Personal };
        personal.then_some(what)
    }

    /// Has a value another type than the place where something sensitive would lie in it, as JSON
    /// in a string has?
    fn is_disguised(&self, all: &[SchemaId], node: &Node, holds: fn(&Schema) -> bool) -> bool {
        let kind = Types::of_kind(node.kind);
        let scalar = !matches!(node.kind, Kind::Array | Kind::Object);
        all.iter().any(|id| {
            let schema = self.schema(*id);
            let rules = (schema.objects.is_some(), schema.arrays.is_some());
            let fits = match node.kind {
                Kind::Object => rules.0,
                Kind::Array => rules.1,
                _ => false,
            };
            let own = holds(schema) && (rules.0 || rules.1);
            own && !fits && !(scalar && node.kind != Kind::String && schema.types.meets(kind))
        })
    }

    fn object(&mut self, all: &[SchemaId], at: u32) {
        let rules: Vec<_> = all.iter().filter_map(|id| self.schema(*id).objects.as_ref()).collect();
        let closing = rules.iter().any(|rules| {
            rules.additional == Additional::Closed
                || rules.properties.iter().any(|property| property.schema.is_some())
        });
        for (id, child) in self.view.children(at) {
            let name = self.view.key(child);
            let mut schemas: Vec<SchemaId> = Vec::new();
            for rules in &rules {
                schemas.extend(rules.schemas_for(&name));
            }
            let open = |id: &SchemaId| self.schema(*id).is_open();
            let declared = rules.iter().any(|rules| rules.find(&name).is_some());
            if closing && !declared && schemas.iter().all(open) {
                self.mark(id, Sensitivity::Stranger);
                continue;
            }
            if !declared {
                schemas.extend(rules.iter().filter_map(|rules| rules.unevaluated));
            }
            if !schemas.is_empty() {
                self.value(&schemas, id);
            }
        }
    }

    fn array(&mut self, all: &[SchemaId], at: u32) {
        for (index, (id, _)) in self.view.children(at).enumerate() {
            let mut schemas = Vec::new();
            for rules in all.iter().filter_map(|id| self.schema(*id).arrays.as_ref()) {
                schemas.extend(rules.prefix.get(index).copied().or(rules.items));
                schemas.extend(rules.contains.iter().map(|contains| contains.schema));
            }
            if !schemas.is_empty() {
                self.value(&schemas, id);
            }
        }
    }
}
