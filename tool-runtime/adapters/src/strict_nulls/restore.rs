//! Removes the `null`s that stand for omitted properties from arguments.

use std::borrow::Cow;
use std::collections::HashMap;

use tool_runtime_schema::Limits;
use tool_runtime_schema::json::{JsonKind, JsonNode, JsonView, equals_value, read};

use super::schema::{NodeId, PlainSchema, StrictProperty, StrictSchema};
use crate::edits::TextEdits;

impl StrictSchema {
    /// Removes each `null` that stands for an omitted property; all other bytes stay.
    ///
    /// A text that is not JSON, or repeats a property, is returned unchanged.
    pub(crate) fn restore<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Ok(tree) = read(text, &Limits::WIDEST) else { return Cow::Borrowed(text) };
        if !tree.duplicates().is_empty() {
            return Cow::Borrowed(text);
        }
        let mut restorer = Restorer {
            schema: self,
            view: tree.view(text),
            matches: HashMap::new(),
            edits: TextEdits::default(),
        };
        restorer.value(0, self.alternatives([0]));
        restorer.edits.apply(text)
    }
}

struct Restorer<'s, 't> {
    schema: &'s StrictSchema,
    view: JsonView<'t>,
    /// The results of matching values with schemas.
    matches: HashMap<(u32, NodeId), bool>,
    edits: TextEdits,
}

impl<'s> Restorer<'s, '_> {
    fn value(&mut self, id: u32, alternatives: Vec<NodeId>) {
        let kind = self.view.node(id).kind;
        if !matches!(kind, JsonKind::Object | JsonKind::Array) {
            return;
        }
        let matching = self.matching_alternatives(id, alternatives);
        let schemas: Vec<_> = matching.into_iter().filter_map(|id| self.schema.plain(id)).collect();
        if kind == JsonKind::Object {
            return self.object(id, &schemas);
        }
        for (child, _) in self.view.children(id) {
            let items = schemas.iter().filter_map(|schema| schema.items);
            self.value(child, self.schema.alternatives(items));
        }
    }

    /// Returns the alternatives that the value matches.
    ///
    /// All that match read each `null` alike; see [`StrictSchema::ambiguity`]. If none does,
    /// because the provider does not enforce the declaration, those with its tags.
    fn matching_alternatives(&mut self, id: u32, alternatives: Vec<NodeId>) -> Vec<NodeId> {
        if alternatives.len() < 2 {
            return alternatives;
        }
        let mut is_match = |schema: &&NodeId| self.matches(id, **schema);
        let matching: Vec<_> = alternatives.iter().filter(&mut is_match).copied().collect();
        if !matching.is_empty() {
            return matching;
        }
        let mut has_tags = |schema: &&NodeId| self.has_tags(id, **schema);
        let tagged: Vec<_> = alternatives.iter().filter(&mut has_tags).copied().collect();
        if tagged.is_empty() { alternatives } else { tagged }
    }

    /// Returns whether a value matches any alternative of a schema.
    fn matches(&mut self, id: u32, schema: NodeId) -> bool {
        if let Some(known) = self.matches.get(&(id, schema)) {
            return *known;
        }
        let alternatives = self.schema.alternatives([schema]);
        let mut plain = alternatives.into_iter().filter_map(|id| self.schema.plain(id));
        let matches = plain.any(|plain| self.matches_plain(id, plain));
        self.matches.insert((id, schema), matches);
        matches
    }

    fn matches_plain(&mut self, id: u32, schema: &PlainSchema) -> bool {
        let node = self.view.node(id);
        let view = self.view;
        schema.kinds.contains(&node.kind)
            && match node.kind {
                JsonKind::Object => {
                    node.count() == schema.properties.len()
                        && view.children(id).all(|(child, node)| {
                            let property = schema.properties.get(&*view.key(node));
                            property.is_some_and(|property| self.matches(child, property.schema))
                        })
                }
                JsonKind::Array => schema.items.is_none_or(|items| {
                    view.children(id).all(|(child, _)| self.matches(child, items))
                }),
                JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => {
                    let allowed_values = schema.values.as_ref();
                    allowed_values.is_none_or(|allowed_values| {
                        allowed_values.iter().any(|one| equals_value(view, id, one))
                    })
                }
            }
    }

    /// Returns whether a value may be meant for a schema: all its properties with listed values
    /// match.
    fn has_tags(&mut self, id: u32, schema: NodeId) -> bool {
        let (node, view) = (self.view.node(id), self.view);
        let Some(plain) = self.schema.plain(schema).filter(|it| it.kinds.contains(&node.kind))
        else {
            return false;
        };
        node.kind != JsonKind::Object
            || view.children(id).all(|(child, node)| {
                plain.properties.get(&*view.key(node)).is_none_or(|property| {
                    !self.lists_values(property.schema) || self.matches(child, property.schema)
                })
            })
    }

    fn lists_values(&self, schema: NodeId) -> bool {
        let alternatives = self.schema.alternatives([schema]);
        let mut plain = alternatives.into_iter().filter_map(|id| self.schema.plain(id));
        plain.all(|plain| plain.values.is_some() || plain.kinds == [JsonKind::Null])
    }

    fn object(&mut self, id: u32, schemas: &[&'s PlainSchema]) {
        let members: Vec<_> = self.view.children(id).collect();
        let omitted: Vec<bool> =
            members.iter().map(|(_, node)| self.is_omitted(node, schemas)).collect();
        self.edits.remove_members(&members, &omitted);
        let kept_members = members.iter().zip(&omitted).filter(|(_, omitted)| !**omitted);
        for ((child, node), _) in kept_members {
            let key = self.view.key(node);
            let declared = schemas.iter().filter_map(|schema| schema.properties.get(&*key));
            self.value(*child, self.schema.alternatives(declared.map(|property| property.schema)));
        }
    }

    /// Returns whether a `null` stands for an omitted property; in doubt, it is a value.
    fn is_omitted(&self, node: &JsonNode, schemas: &[&PlainSchema]) -> bool {
        if node.kind != JsonKind::Null {
            return false;
        }
        let key = self.view.key(node);
        let mut declared =
            schemas.iter().filter_map(|schema| schema.properties.get(&*key)).peekable();
        let omits = |property: &StrictProperty| property.is_omitted_as_null;
        declared.peek().is_some() && declared.all(omits)
    }
}
