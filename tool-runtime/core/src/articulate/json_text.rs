//! Writes a parsed document as JSON again: compact, or with spaces.

use tool_runtime_schema::json::{JsonKind, JsonNode, JsonView};

/// The texts after a value of a list, and after a key.
#[derive(Debug, Clone, Copy)]
pub struct Separators {
    item: &'static str,
    key: &'static str,
}

/// JSON without insignificant whitespace.
pub const COMPACT: Separators = Separators { item: ",", key: ":" };
/// JSON as most libraries write it: a space after each comma and colon.
pub(super) const SPACED: Separators = Separators { item: ", ", key: ": " };

/// Writes the document with these separators. Scalars and keys keep their spelling.
pub(super) fn json_text(view: JsonView<'_>, separators: Separators) -> String {
    json_text_without(view, separators, |_| false)
}

/// Writes the document without the nodes for which `is_left_out` returns true.
pub fn json_text_without(
    view: JsonView<'_>,
    separators: Separators,
    is_left_out: impl Fn(&JsonNode) -> bool,
) -> String {
    let mut text = String::with_capacity(view.text.len() + view.text.len() / 8);
    // The ends of the open objects and arrays, with their closing brackets.
    let mut open: Vec<(u32, char)> = Vec::new();
    let mut next = 0;
    while let Some(node) = view.nodes.get(next as usize) {
        let id = next;
        next += 1;
        if is_left_out(node) {
            next = node.next();
            continue;
        }
        close(&mut text, &mut open, id);
        if id > 0 && !text.ends_with(['[', '{']) {
            text.push_str(separators.item);
        }
        if node.is_property() {
            text.extend(["\"", view.raw_key(node), "\"", separators.key]);
        }
        match node.kind {
            JsonKind::Array => start(&mut text, &mut open, '[', (node.next(), ']')),
            JsonKind::Object => start(&mut text, &mut open, '{', (node.next(), '}')),
            JsonKind::Null | JsonKind::Bool | JsonKind::Number | JsonKind::String => {
                text.push_str(view.raw(node));
            }
        }
    }
    close(&mut text, &mut open, u32::MAX);
    text
}

fn start(text: &mut String, open: &mut Vec<(u32, char)>, bracket: char, end: (u32, char)) {
    text.push(bracket);
    open.push(end);
}

/// Closes all objects and arrays that end before the node.
fn close(text: &mut String, open: &mut Vec<(u32, char)>, id: u32) {
    while let Some((end, bracket)) = open.last().copied() {
        if end > id {
            return;
        }
        text.push(bracket);
        open.pop();
    }
}

#[cfg(test)]
mod tests {
    use tool_runtime_schema::Limits;
    use tool_runtime_schema::json::read;

    use super::*;

    #[track_caller]
    fn check(text: &str, compact: &str, spaced: &str) {
        let tree = read(text, &Limits::WIDEST).expect("the test's own JSON");
        assert_eq!(json_text(tree.view(text), COMPACT), compact);
        assert_eq!(json_text(tree.view(text), SPACED), spaced);
    }

    #[test]
    fn whitespace_is_replaced_and_scalars_keep_their_spelling() {
        check(
            "{ \"a\\u0041\" : [ 1.0e5 ,\"x, y: [\" , null ] ,\n\"b\":{} , \"c\":[ [ ] , [1]] }",
            r#"{"a\u0041":[1.0e5,"x, y: [",null],"b":{},"c":[[],[1]]}"#,
            r#"{"a\u0041": [1.0e5, "x, y: [", null], "b": {}, "c": [[], [1]]}"#,
        );
        check(" 7 ", "7", "7");
        check(r#""[""#, r#""[""#, r#""[""#);
        check("[\"[\",1]", "[\"[\",1]", "[\"[\", 1]");
        check("[]", "[]", "[]");
    }
}
