//! Finds what all references of a document lead to, in one pass over it.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::Definitions;

/// The references that lead back to themselves, and those that lead to a default of `null`.
#[derive(Debug)]
pub(super) struct ReferenceFacts<'s> {
    recursive: HashSet<&'s str>,
    null_defaults: HashSet<&'s str>,
}

impl<'s> ReferenceFacts<'s> {
    pub(super) fn new(definitions: Definitions<'s>) -> Self {
        let graph = ReferenceGraph::new(definitions);
        let names = |nodes: Vec<usize>| {
            nodes.into_iter().filter_map(|node| graph.texts.get(node).copied()).collect()
        };
        Self {
            recursive: names(graph.nodes_in_cycles()),
            null_defaults: names(graph.nodes_that_reach(&graph.null_defaults)),
        }
    }

    /// Returns whether the target of a reference refers back to it.
    pub(super) fn is_recursive(&self, text: &str) -> bool {
        self.recursive.contains(text)
    }

    /// Returns whether a schema within this one, also through references, has the default `null`.
    pub(super) fn has_null_default(&self, schema: &Value) -> bool {
        let inner = SchemaContent::new(schema);
        inner.has_null_default || inner.references.iter().any(|it| self.null_defaults.contains(it))
    }
}

/// The references of a document, each with its target, and each target with its references.
///
/// Two references may name one target in several ways, so both are nodes: the references first.
struct ReferenceGraph<'s> {
    texts: Vec<&'s str>,
    edges: Vec<Vec<usize>>,
    /// The targets that have the default `null` within them.
    null_defaults: Vec<usize>,
}

impl<'s> ReferenceGraph<'s> {
    fn new(definitions: Definitions<'s>) -> Self {
        let mut visited = HashSet::new();
        let mut texts = SchemaContent::new(definitions.root()).references;
        texts.retain(|text| visited.insert(*text));
        let nodes: HashMap<&str, usize> =
            texts.iter().enumerate().map(|(node, text)| (*text, node)).collect();
        let mut graph =
            Self { edges: vec![Vec::new(); texts.len()], null_defaults: Vec::new(), texts };
        let mut targets: HashMap<*const Value, usize> = HashMap::new();
        for node in 0..graph.texts.len() {
            let Some(target) = definitions.at(graph.texts[node]) else { continue };
            let next = graph.edges.len();
            let place = *targets.entry(std::ptr::from_ref(target)).or_insert(next);
            graph.edges[node].push(place);
            if place < next {
                continue;
            }
            let content = SchemaContent::new(target);
            graph.edges.push(content.references.iter().map(|text| nodes[text]).collect());
            graph.null_defaults.extend(content.has_null_default.then_some(place));
        }
        graph
    }

    /// The nodes from which any of these is reached.
    fn nodes_that_reach(&self, ends: &[usize]) -> Vec<usize> {
        let reversed = reversed(&self.edges);
        let mut visited = vec![false; self.edges.len()];
        let mut open = ends.to_vec();
        let mut reached = Vec::new();
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut visited[node], true) {
                reached.push(node);
                open.extend(&reversed[node]);
            }
        }
        reached
    }

    /// The nodes that reach themselves: those that share a strongly connected component with
    /// another node, by Kosaraju's algorithm. No node has an edge to itself.
    fn nodes_in_cycles(&self) -> Vec<usize> {
        let mut visited = vec![false; self.edges.len()];
        let mut finished = Vec::new();
        for node in 0..self.edges.len() {
            visit(&self.edges, node, &mut visited, &mut finished);
        }
        let reversed = reversed(&self.edges);
        let mut visited = vec![false; self.edges.len()];
        let mut in_cycles = Vec::new();
        for node in finished.into_iter().rev() {
            let mut component = Vec::new();
            visit(&reversed, node, &mut visited, &mut component);
            if component.len() > 1 {
                in_cycles.append(&mut component);
            }
        }
        in_cycles
    }
}

fn reversed(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); edges.len()];
    for (node, targets) in edges.iter().enumerate() {
        for target in targets {
            reversed[*target].push(node);
        }
    }
    reversed
}

/// Visits the nodes that are reached and not visited, and lists each after those that it reaches.
fn visit(edges: &[Vec<usize>], first: usize, visited: &mut [bool], finished: &mut Vec<usize>) {
    let mut open = Vec::new();
    if !std::mem::replace(&mut visited[first], true) {
        open.push((first, 0));
    }
    while let Some((node, next)) = open.last_mut() {
        tool_runtime_schema::test_cost::count(1);
        let Some(target) = edges[*node].get(*next).copied() else {
            finished.push(*node);
            open.pop();
            continue;
        };
        *next += 1;
        if !std::mem::replace(&mut visited[target], true) {
            open.push((target, 0));
        }
    }
}

/// The references within a schema, and whether it has a default of `null`.
struct SchemaContent<'v> {
    references: Vec<&'v str>,
    has_null_default: bool,
}

impl<'v> SchemaContent<'v> {
    fn new(schema: &'v Value) -> Self {
        let mut content = Self { references: Vec::new(), has_null_default: false };
        let mut open = vec![schema];
        while let Some(next) = open.pop() {
            tool_runtime_schema::test_cost::count(1);
            match next {
                Value::Object(keywords) => {
                    content.has_null_default |= keywords.get("default") == Some(&Value::Null);
                    content.references.extend(keywords.get("$ref").and_then(Value::as_str));
                    open.extend(keywords.values());
                }
                Value::Array(items) => open.extend(items),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        content
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn references_in_cycles_and_to_null_defaults_are_found() {
        let reference = |text: &str| json!({ "$ref": text });
        let document = json!({"$defs": {
            "own": {"items": reference("#/$defs/own")},
            "one": {"items": reference("#/$defs/two")},
            "two": {"items": reference("#/$defs/%6Fne")},
            "before": {"items": [reference("#/$defs/one"), reference("#/$defs/end")]},
            "end": {"properties": {"a": {"default": null}}},
            "plain": {"items": reference("#/$defs/missing")},
        }, "items": [reference("#/$defs/before"), reference("#/$defs/one"),
            reference("#/$defs/plain")]});
        let facts = ReferenceFacts::new(Definitions::new(&document));
        let names = |facts: &HashSet<&str>| {
            let mut names: Vec<_> = facts.iter().map(|text| (*text).to_owned()).collect();
            names.sort();
            names
        };
        let recursive = ["#/$defs/%6Fne", "#/$defs/own", "#/$defs/two"];
        assert_eq!(names(&facts.recursive), recursive);
        assert_eq!(names(&facts.null_defaults), ["#/$defs/before", "#/$defs/end"]);
        assert!(facts.has_null_default(&reference("#/$defs/before")));
        assert!(!facts.has_null_default(&reference("#/$defs/one")));
    }
}
