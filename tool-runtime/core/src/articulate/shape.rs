//! The shape of a document: the share of its text that is in tables, and its depth.

use tool_contracts::articulate::SchemaComplexity;
use tool_runtime_schema::json::{JsonKind, JsonView};

/// The shape of a document.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct DocumentShape {
    /// The share of the text that is in tables: 0 to 1.
    pub(super) table_share: f64,
    /// The levels of objects and arrays; 0 for a scalar.
    depth: usize,
}

/// The share of tables from which a document counts as tabular.
const TABULAR_SHARE: f64 = 0.5;
/// The most levels of a simple document.
const SIMPLE_DEPTH: usize = 2;
/// The most levels of a nested document.
const NESTED_DEPTH: usize = 6;

impl DocumentShape {
    /// Reads the shape in one pass. An array is a table if it has more than `rows` rows.
    #[allow(clippy::cast_precision_loss, reason = "a ratio of two lengths")]
    pub(super) fn new(view: JsonView<'_>, rows: usize) -> Self {
        let bytes = view.text.len().max(1);
        let table_share = table_bytes(view, rows) as f64 / bytes as f64;
        Self { table_share, depth: depth(view) }
    }

    /// Returns the word of the contract for this shape.
    pub(super) fn complexity(self) -> SchemaComplexity {
        if self.table_share >= TABULAR_SHARE {
            SchemaComplexity::Tabular
        } else if self.depth <= SIMPLE_DEPTH {
            SchemaComplexity::Simple
        } else if self.depth <= NESTED_DEPTH {
            SchemaComplexity::Nested
        } else {
            SchemaComplexity::Complex
        }
    }
}

/// The most values of a row. It bounds how often one part of the text is looked at.
const MAX_ROW_NODES: usize = 256;

/// Sums the bytes of all tables.
fn table_bytes(view: JsonView<'_>, rows: usize) -> usize {
    let (mut id, mut bytes) = (0, 0);
    while let Some(node) = view.nodes.get(id as usize) {
        let is_list = matches!(node.kind, JsonKind::Array | JsonKind::Object);
        if is_list && node.count() > rows && is_table(view, id) {
            bytes += node.end() - node.start();
            id = node.next();
        } else {
            id += 1;
        }
    }
    bytes
}

/// Returns whether the values of an array or object are objects with the same keys in the same
/// order, whose values are scalars or objects of that kind again.
fn is_table(view: JsonView<'_>, list: u32) -> bool {
    let mut rows = view.children(list).map(|(row, _)| row);
    rows.next()
        .is_some_and(|first| is_row(view, first) && rows.all(|row| same_row(view, first, row)))
}

fn is_row(view: JsonView<'_>, row: u32) -> bool {
    let node = view.node(row);
    let is_field = |id: u32| {
        let field = view.node(id);
        field.kind != JsonKind::Array && (field.kind != JsonKind::Object || field.count() > 0)
    };
    let mut nodes = row..node.next();
    node.kind == JsonKind::Object && nodes.len() <= MAX_ROW_NODES && nodes.all(is_field)
}

/// Returns whether two rows have the same keys in the same places. The first is a row.
fn same_row(view: JsonView<'_>, first: u32, row: u32) -> bool {
    let (ids, other) = (first..view.node(first).next(), row..view.node(row).next());
    let is_object = |id: u32| view.node(id).kind == JsonKind::Object;
    let same = |(a, b): (u32, u32)| {
        let (left, right) = (view.node(a), view.node(b));
        let same_key = a == first || view.raw_key(left) == view.raw_key(right);
        let same_kind = is_object(a) == is_object(b) && right.kind != JsonKind::Array;
        same_key && same_kind && (!is_object(a) || left.count() == right.count())
    };
    ids.len() == other.len() && ids.zip(other).all(same)
}

/// Counts the levels of objects and arrays.
fn depth(view: JsonView<'_>) -> usize {
    let (mut open, mut deepest): (Vec<u32>, usize) = (Vec::new(), 0);
    for (id, node) in (0_u32..).zip(view.nodes) {
        while open.last().is_some_and(|end| *end <= id) {
            open.pop();
        }
        if matches!(node.kind, JsonKind::Array | JsonKind::Object) {
            open.push(node.next());
            deepest = deepest.max(open.len());
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use tool_runtime_schema::Limits;
    use tool_runtime_schema::json::read;

    use super::*;

    fn shape(text: &str) -> DocumentShape {
        let tree = read(text, &Limits::WIDEST).expect("the test's own JSON");
        DocumentShape::new(tree.view(text), 1)
    }

    #[track_caller]
    fn check(text: &str, complexity: SchemaComplexity) {
        assert_eq!(shape(text).complexity(), complexity, "{text}");
    }

    #[test]
    fn rows_with_the_same_keys_are_a_table() {
        for table in [
            r#"[{"a":1,"b":"x"},{"a":2,"b":null}]"#,
            r#"[{"a":{"b":1}},{"a":{"b":2}},{"a":{"b":3}}]"#,
            r#"{"x":{"a":1,"b":"x"},"y":{"a":2,"b":null}}"#,
        ] {
            assert!((shape(table).table_share - 1.0).abs() < 1e-9, "{table}");
        }
    }

    #[test]
    fn rows_that_differ_are_no_table() {
        for other in [
            r#"[{"a":1}]"#,
            r#"[{"a":1},{"b":1}]"#,
            r#"[{"a":1},{"a":1,"b":2}]"#,
            r#"[{"a":1,"b":2},{"b":1,"a":2}]"#,
            r#"[{"a":[1]},{"a":[1]}]"#,
            r#"[{"a":{}},{"a":{}}]"#,
            r#"[{"a":{"b":1}},{"a":{"c":2}}]"#,
            r#"[{"a":{"b":1}},{"a":1}]"#,
            r#"[{"a":1},{"a":[]}]"#,
            r#"[{"a":1},[1]]"#,
            r#"{"x":{"a":1},"y":{"b":1}}"#,
            r#"{"x":{"a":1},"y":1}"#,
            "[1,2,3]",
        ] {
            assert!(shape(other).table_share < 1e-9, "{other}");
        }
    }

    #[test]
    fn a_table_inside_of_a_document_counts_by_its_bytes() {
        let found = shape(r#"{"t":[{"a":1},{"a":2}],"o":"........."}"#).table_share;
        assert!((found - 17.0 / 39.0).abs() < 1e-9, "{found}");
    }

    #[test]
    fn the_word_follows_from_tables_first_and_then_from_depth() {
        check("1", SchemaComplexity::Simple);
        check(r#"{"a":[1,2]}"#, SchemaComplexity::Simple);
        check(r#"{"a":[[1,2]]}"#, SchemaComplexity::Nested);
        check("[[[[[[1]]]]]]", SchemaComplexity::Nested);
        check("[[[[[[[1]]]]]]]", SchemaComplexity::Complex);
        check(r#"{"a":[[[[[[{"b":1},{"b":2},{"b":3},{"b":4}]]]]]]}"#, SchemaComplexity::Tabular);
    }
}
