//! Finds sensitive values of a text: secrets, personal data, and properties that no schema
//! declares.

use super::model::{AdditionalProperties, SchemaId, SchemaNode};
use super::type_error::inlined;
use super::types::Types;
use crate::json::{JsonKind, JsonNode, JsonView};

/// A sensitive value, with everything below it.
#[derive(Debug, Clone, Copy)]
pub(super) struct SensitiveNode {
    pub(super) node: u32,
    pub(super) sensitivity: Sensitivity,
}

/// Reason for which a value is sensitive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sensitivity {
    Secret,
    /// The value identifies or describes a person.
    Personal,
    /// No schema declares the property: it may be a secret under a misspelt name.
    Undeclared,
}

/// Selects which sensitive values are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SensitivityScope {
    /// Secrets, and undeclared properties beside them.
    Secrets,
    /// Personal data and all undeclared properties as well.
    All,
}

/// Finds every value that a sensitive schema may apply to, whether or not the schema's branches
/// accept the value. In doubt, a value is included.
///
/// Results are in text order and do not nest.
pub(super) fn sensitive_nodes(
    schemas: &[SchemaNode],
    view: JsonView<'_>,
    scope: SensitivityScope,
) -> Vec<SensitiveNode> {
    let mut walk = SensitivityWalk { schemas, view, scope, sensitive_nodes: Vec::new() };
    walk.value(vec![0], 0);
    walk.sensitive_nodes
}

struct SensitivityWalk<'a> {
    schemas: &'a [SchemaNode],
    view: JsonView<'a>,
    scope: SensitivityScope,
    sensitive_nodes: Vec<SensitiveNode>,
}

impl<'a> SensitivityWalk<'a> {
    fn schema(&self, id: SchemaId) -> &'a SchemaNode {
        &self.schemas[id as usize]
    }

    fn push(&mut self, node: u32, sensitivity: Sensitivity) {
        self.sensitive_nodes.push(SensitiveNode { node, sensitivity });
    }

    fn value(&mut self, schemas: Vec<SchemaId>, at: u32) {
        let node = self.view.node(at);
        let schema_ids = inlined(self.schemas, schemas);
        if let Some(sensitivity) = self.sensitivity(&schema_ids, node) {
            self.push(at, sensitivity);
            return;
        }
        let deep = self.scope == SensitivityScope::All
            || schema_ids.iter().any(|id| self.schema(*id).deep_sensitivity.secret);
        match node.kind {
            JsonKind::Object => self.object(&schema_ids, at),
            JsonKind::Array if deep => self.array(&schema_ids, at),
            JsonKind::Array
            | JsonKind::Null
            | JsonKind::Bool
            | JsonKind::Number
            | JsonKind::String => {}
        }
    }

    fn sensitivity(&self, all: &[SchemaId], node: &JsonNode) -> Option<Sensitivity> {
        let any = |is: fn(&SchemaNode) -> bool| all.iter().any(|id| is(self.schema(*id)));
        if any(|schema| schema.own_sensitivity.secret)
            || self.may_hide_sensitive(all, node, |schema| schema.deep_sensitivity.secret)
        {
            return Some(Sensitivity::Secret);
        }
        let personal = self.scope == SensitivityScope::All
            && (any(|schema| schema.own_sensitivity.pii)
                || self.may_hide_sensitive(all, node, |schema| schema.deep_sensitivity.pii));
        // Personal data that contains a secret is treated as a secret.
        let hides = any(|schema| schema.deep_sensitivity.secret);
        let sensitivity = if hides { Sensitivity::Secret } else { Sensitivity::Personal };
        personal.then_some(sensitivity)
    }

    /// Returns whether a value has another type than the schema that contains something sensitive,
    /// such as an object that was sent as a JSON string.
    fn may_hide_sensitive(
        &self,
        all: &[SchemaId],
        node: &JsonNode,
        holds: fn(&SchemaNode) -> bool,
    ) -> bool {
        let kind = Types::from_kind(node.kind);
        let scalar = !matches!(node.kind, JsonKind::Array | JsonKind::Object);
        all.iter().any(|id| {
            let schema = self.schema(*id);
            let rules = (schema.objects.is_some(), schema.arrays.is_some());
            let fits = match node.kind {
                JsonKind::Object => rules.0,
                JsonKind::Array => rules.1,
                JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => false,
            };
            let has_own_rules = holds(schema) && (rules.0 || rules.1);
            has_own_rules
                && !fits
                && !(scalar && node.kind != JsonKind::String && schema.types.intersects(kind))
        })
    }

    fn object(&mut self, all: &[SchemaId], at: u32) {
        let rules: Vec<_> = all.iter().filter_map(|id| self.schema(*id).objects.as_ref()).collect();
        let closing = rules.iter().any(|rules| {
            rules.additional == AdditionalProperties::Closed
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
                self.push(id, Sensitivity::Undeclared);
                continue;
            }
            if !declared {
                schemas.extend(rules.iter().filter_map(|rules| rules.unevaluated));
            }
            if !schemas.is_empty() {
                self.value(schemas, id);
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
                self.value(schemas, id);
            }
        }
    }
}
