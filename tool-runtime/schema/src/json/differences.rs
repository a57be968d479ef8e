//! The places at which two JSON texts differ, which an edit of a call's arguments records.

use std::collections::BTreeMap;

use super::{JsonKind, JsonView, OpaqueNodes, pointer, read};
use crate::limits::Limits;

/// The most differences that are listed one by one.
const MAX_DIFFERENCES: usize = 256;

/// Lists the JSON Pointers at which two texts differ; the root alone if one of them cannot be read
/// within the limits, or if there are too many to list.
///
/// Properties may be in any order. Numbers are compared as they are written, so that two integers
/// differ that would be rounded to one float. A pointer into an opaque value ends there.
pub fn differences(
    before: &str,
    after: &str,
    limits: &Limits,
    opaque: impl Fn(JsonView<'_>) -> OpaqueNodes,
) -> Vec<String> {
    if before == after {
        return Vec::new();
    }
    let (Ok(before_tree), Ok(after_tree)) = (read(before, limits), read(after, limits)) else {
        return vec![String::new()];
    };
    let (before, after) = (before_tree.view(before), after_tree.view(after));
    let opaque = [opaque(before), opaque(after)];
    let mut comparison = Comparison { before, after, opaque, pointers: Vec::new() };
    comparison.values(0, 0);
    if comparison.is_full() { vec![String::new()] } else { comparison.pointers }
}

struct Comparison<'d> {
    before: JsonView<'d>,
    after: JsonView<'d>,
    /// The opaque values before and after.
    opaque: [OpaqueNodes; 2],
    pointers: Vec<String>,
}

impl Comparison<'_> {
    fn is_full(&self) -> bool {
        self.pointers.len() > MAX_DIFFERENCES
    }

    fn push_before(&mut self, id: u32) {
        self.push(pointer(self.before, self.opaque[0].visible(id)));
    }

    fn push_after(&mut self, id: u32) {
        self.push(pointer(self.after, self.opaque[1].visible(id)));
    }

    /// Adds a pointer; once if several values inside of one opaque value differ.
    fn push(&mut self, pointer: String) {
        if !self.is_full() && self.pointers.last() != Some(&pointer) {
            self.pointers.push(pointer);
        }
    }

    fn values(&mut self, before: u32, after: u32) {
        if self.is_full() {
            return;
        }
        let (old, new) = (self.before.node(before), self.after.node(after));
        let is_same = old.kind == new.kind
            && match old.kind {
                JsonKind::Null => true,
                JsonKind::Bool | JsonKind::Number => self.before.raw(old) == self.after.raw(new),
                JsonKind::String => self.before.string(old) == self.after.string(new),
                JsonKind::Array => return self.arrays(before, after),
                JsonKind::Object => return self.objects(before, after),
            };
        if !is_same {
            self.push_after(after);
        }
    }

    fn arrays(&mut self, before: u32, after: u32) {
        let (mut old, mut new) = (self.before.children(before), self.after.children(after));
        while !self.is_full() {
            match (old.next(), new.next()) {
                (Some((old, _)), Some((new, _))) => self.values(old, new),
                (Some((removed, _)), None) => self.push_before(removed),
                (None, Some((added, _))) => self.push_after(added),
                (None, None) => break,
            }
        }
    }

    fn objects(&mut self, before: u32, after: u32) {
        let (old, new) = (self.before, self.after);
        // By name, so that the pointers of the same edit are always in the same order.
        let mut added: BTreeMap<_, _> =
            new.children(after).map(|(id, node)| (new.key(node), id)).collect();
        if added.len() != new.node(after).count() {
            // Readers differ in which of two properties of one name they take.
            return self.push_after(after);
        }
        let mut old_members: Vec<_> =
            old.children(before).map(|(id, node)| (old.key(node), id)).collect();
        old_members.sort_unstable();
        for (name, id) in old_members {
            match added.remove(&name) {
                Some(same) => self.values(id, same),
                None => self.push_before(id),
            }
        }
        for id in added.into_values() {
            self.push_after(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_inside_of_an_opaque_value_has_its_pointer() {
        let opaque = |view: JsonView<'_>| OpaqueNodes::new(view, view.property(0, "m").into_iter());
        let changes = |before, after| differences(before, after, &Limits::default(), opaque);
        let before = r#"{"a":1,"m":{"k-1":1,"k-2":[2]},"z":1}"#;
        assert_eq!(changes(before, r#"{"a":2,"m":{"k-2":[3],"k-3":1}}"#), ["/a", "/m", "/z"]);
        assert_eq!(changes(before, r#"{"a":1,"z":1}"#), ["/m"]);
    }

    fn found(before: &str, after: &str) -> Vec<String> {
        differences(before, after, &Limits::default(), |_| OpaqueNodes::NONE)
    }

    #[test]
    fn each_place_is_listed() {
        assert_eq!(
            found(r#"{"a":1,"b":[2,{"c~/":"x"}]}"#, r#"{ "b":[2,{"c~/":"\u0078"}], "a":1 }"#),
            [""; 0]
        );
        assert_eq!(
            found(
                r#"{"a":1,"b":[2,{"c~/":"x"}],"d":0}"#,
                r#"{"a":"1","b":[2,{"c~/":"y"},3],"e":0}"#
            ),
            ["/a", "/b/1/c~0~1", "/b/2", "/d", "/e"]
        );
        assert_eq!(found(r#"{"a":null}"#, r#"{"a":false}"#), ["/a"]);
        assert_eq!(found("[1,2]", "[1]"), ["/1"]);
        assert_eq!(found("{}", "[]"), [""]);
    }

    #[test]
    fn numbers_are_compared_as_they_are_written() {
        let swapped = found(
            r#"{"a":100000000000000000001,"b":100000000000000000002}"#,
            r#"{"a":100000000000000000002,"b":100000000000000000001}"#,
        );
        assert_eq!(swapped, ["/a", "/b"]);
        assert_eq!(found("[1.0]", "[1.00]"), ["/0"]);
    }

    #[test]
    fn a_name_that_occurs_twice_is_a_difference() {
        assert_eq!(found(r#"{"a":1}"#, r#"{"a":2,"a":1}"#), [""]);
        assert_eq!(found(r#"{"a":2,"a":1}"#, r#"{"a":1}"#), ["/a"]);
    }

    #[test]
    fn a_text_that_is_no_json_differs_as_a_whole() {
        assert_eq!(found("{}", "{"), [""]);
        assert_eq!(found("{", "{"), [""; 0]);
    }

    #[test]
    fn differences_beyond_the_limit_are_the_root_alone() {
        let list = |item: usize, count: usize| serde_json::json!(vec![item; count]).to_string();
        let few = found(&list(1, MAX_DIFFERENCES), &list(2, MAX_DIFFERENCES));
        assert_eq!((few.len(), few[1].as_str()), (MAX_DIFFERENCES, "/1"));
        assert_eq!(found(&list(1, 20_000), &list(2, 20_000)), [""]);
        assert_eq!(found(&list(1, 20_000), "[]"), [""]);
    }
}
