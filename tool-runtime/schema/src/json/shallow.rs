//! Finds the outer parts of a JSON text of a peer without building values, also in a text that is
//! damaged or arrives in pieces.
//!
//! The scan tells apart strings, brackets and separators, and checks nothing else: in a text that is not
//! JSON it still finds the request that the text is, or answers.

use std::ops::Range;

use crate::test_cost;

/// The longest name of a member, and the most bytes of the first member's value, that are kept.
const MAX_TEXT: usize = 64;

/// The outer parts of a text.
#[derive(Debug)]
pub struct ShallowJson {
    names: &'static [&'static str],
    /// The values of the members that were asked for, or all items.
    parts: Vec<ShallowPart>,
    /// The beginning of the value of the first name.
    first_value: Vec<u8>,
    root: Option<u8>,
    /// The first byte of the first item or name.
    first_inner: Option<u8>,
    is_complete: bool,
    nodes: usize,
}

/// The value of a member, or an item.
#[derive(Debug)]
struct ShallowPart {
    /// The position of the member's name among the names that were asked for.
    name: usize,
    range: Range<usize>,
    is_null: bool,
}

/// Scans a text, in one piece or in several.
#[derive(Debug)]
pub struct ShallowScan {
    json: ShallowJson,
    at: usize,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    member: MemberState,
    name: Vec<u8>,
    value: Option<Range<usize>>,
    /// The number of bytes by which the value begins as `null` does.
    null_bytes: usize,
}

const NULL: &[u8] = b"null";

/// The position within the outermost object or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MemberState {
    BeforeName,
    InName,
    AfterName,
    /// In the value of a name that was asked for, or in an item.
    Value(usize),
    /// In the value of another name.
    OtherValue,
}

impl ShallowJson {
    /// Finds the members of an object that have these names, each at its last occurrence.
    #[must_use]
    pub fn object(text: &[u8], names: &'static [&'static str]) -> Self {
        let mut scan = ShallowScan::new(names);
        scan.push(text);
        scan.finish()
    }

    /// Finds the items of an array.
    #[must_use]
    pub fn array(text: &str) -> Vec<&str> {
        let outer = Self::object(text.as_bytes(), &[]);
        if outer.root != Some(b'[') {
            return Vec::new();
        }
        outer.parts.into_iter().filter_map(|part| text.get(part.range)).collect()
    }

    /// Finds the items of an array whose text may not be UTF-8.
    #[must_use]
    pub fn items(text: &[u8]) -> Vec<&[u8]> {
        let outer = Self::object(text, &[]);
        let is_array = outer.root == Some(b'[');
        let parts = outer.parts.into_iter().filter(|_| is_array);
        parts.filter_map(|part| text.get(part.range)).collect()
    }

    /// Returns whether the text begins as an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.root == Some(b'{')
    }

    /// Returns whether the text begins as an array of objects.
    #[must_use]
    pub fn is_batch(&self) -> bool {
        self.root == Some(b'[') && self.first_inner == Some(b'{')
    }

    /// Returns whether the outermost object or array has its end.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of values, at every depth.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns whether the object has a member of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.range(name).is_some()
    }

    /// Returns whether the object has a member of this name whose value is not `null`: some languages
    /// write every member that a message may have.
    #[must_use]
    pub fn has_value(&self, name: &str) -> bool {
        self.part(name).is_some_and(|part| !part.is_null)
    }

    /// Returns whether one of the members that were asked for is `null`.
    #[must_use]
    pub fn has_nulls(&self) -> bool {
        self.parts.iter().any(|part| part.is_null)
    }

    /// Returns the text of a member's value.
    #[must_use]
    pub fn get<'t>(&self, text: &'t str, name: &str) -> Option<&'t str> {
        text.get(self.range(name)?)
    }

    /// Returns the value of the first name, bounded.
    #[must_use]
    pub fn first_value(&self) -> &[u8] {
        &self.first_value
    }

    fn range(&self, name: &str) -> Option<Range<usize>> {
        self.part(name).map(|part| part.range.clone())
    }

    fn part(&self, name: &str) -> Option<&ShallowPart> {
        self.parts.iter().find(|part| self.names.get(part.name) == Some(&name))
    }

    fn add(&mut self, part: ShallowPart) {
        let earlier_part = self.parts.iter_mut().find(|known| known.name == part.name);
        match earlier_part.filter(|_| self.root == Some(b'{')) {
            Some(earlier_part) => *earlier_part = part,
            None => self.parts.push(part),
        }
    }
}

impl ShallowScan {
    #[must_use]
    pub fn new(names: &'static [&'static str]) -> Self {
        let json = ShallowJson {
            names,
            parts: Vec::new(),
            first_value: Vec::new(),
            root: None,
            first_inner: None,
            is_complete: false,
            nodes: 1,
        };
        Self {
            json,
            at: 0,
            depth: 0,
            is_string: false,
            is_escaped: false,
            member: MemberState::BeforeName,
            name: Vec::new(),
            value: None,
            null_bytes: 0,
        }
    }

    /// Takes the next bytes of the text.
    pub fn push(&mut self, bytes: &[u8]) {
        test_cost::count(bytes.len() / 64);
        for &byte in bytes {
            self.byte(byte);
            self.at += 1;
        }
    }

    /// Ends the text, which may be incomplete.
    #[must_use]
    pub fn finish(mut self) -> ShallowJson {
        self.end_value();
        self.json
    }

    fn byte(&mut self, byte: u8) {
        if self.is_string {
            return self.string_byte(byte);
        }
        if self.depth == 1 && !byte.is_ascii_whitespace() {
            self.json.first_inner.get_or_insert(byte);
        }
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => return,
            b'"' => {
                self.is_string = true;
                if self.depth == 1 && self.member == MemberState::BeforeName {
                    self.member = MemberState::InName;
                    self.name.clear();
                }
            }
            b'{' | b'[' if self.depth == 0 => return self.open_root(byte),
            b'{' | b'[' => {
                self.json.nodes += 1;
                self.depth += 1;
            }
            b'}' | b']' if self.depth <= 1 => {
                self.end_value();
                self.json.is_complete |= self.depth == 1;
                self.depth = 0;
                return;
            }
            b'}' | b']' => self.depth -= 1,
            b',' => {
                self.json.nodes += 1;
                if self.depth == 1 {
                    return self.end_value();
                }
            }
            b':' if self.depth == 1 && self.member == MemberState::AfterName => {
                let is_current_name = |name: &&str| name.as_bytes() == self.name;
                let position = self.json.names.iter().position(is_current_name);
                self.member = position.map_or(MemberState::OtherValue, MemberState::Value);
                return;
            }
            _ => {}
        }
        self.extend_value(byte);
    }

    fn string_byte(&mut self, byte: u8) {
        let is_end = byte == b'"' && !self.is_escaped;
        self.is_escaped = byte == b'\\' && !self.is_escaped;
        self.is_string = !is_end;
        if self.member == MemberState::InName {
            if is_end {
                self.member = MemberState::AfterName;
            } else if self.name.len() <= MAX_TEXT {
                self.name.push(byte);
            }
        }
        self.extend_value(byte);
    }

    /// Opens the outermost object or array. A text has one: what follows it is not looked at.
    fn open_root(&mut self, byte: u8) {
        if self.json.root.is_some() {
            return;
        }
        self.json.root = Some(byte);
        self.json.nodes += 1;
        self.depth = 1;
        self.member = self.next_member();
    }

    /// Returns the state before a member. The items of an array are kept if no names are asked for.
    fn next_member(&self) -> MemberState {
        match self.json.root {
            Some(b'[') if self.json.names.is_empty() => MemberState::Value(0),
            Some(b'[') => MemberState::OtherValue,
            Some(_) | None => MemberState::BeforeName,
        }
    }

    fn extend_value(&mut self, byte: u8) {
        let MemberState::Value(name) = self.member else { return };
        if self.depth == 0 {
            return;
        }
        let end = self.at + 1;
        if let Some(value) = &mut self.value {
            value.end = end;
        } else {
            self.value = Some(self.at..end);
            self.null_bytes = 0;
            if name == 0 {
                self.json.first_value.clear();
            }
        }
        if NULL.get(self.null_bytes) == Some(&byte) {
            self.null_bytes += 1;
        }
        if name == 0 && self.json.first_value.len() < MAX_TEXT {
            self.json.first_value.push(byte);
        }
    }

    fn end_value(&mut self) {
        if let (MemberState::Value(name), Some(range)) = (self.member, self.value.take()) {
            let is_null = range.len() == NULL.len() && self.null_bytes == NULL.len();
            self.json.add(ShallowPart { name, range, is_null });
        }
        self.member = self.next_member();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["id", "result"];

    #[track_caller]
    fn check(text: &str, id: &str, result: Option<&str>) {
        let whole = ShallowJson::object(text.as_bytes(), NAMES);
        let mut scan = ShallowScan::new(NAMES);
        text.as_bytes().chunks(1).for_each(|piece| scan.push(piece));
        for found in [whole, scan.finish()] {
            assert_eq!(found.first_value(), id.as_bytes(), "{text}");
            assert_eq!(found.get(text, "result"), result, "{text}");
        }
    }

    #[test]
    fn members_of_the_outermost_object_are_found_in_damaged_text_too() {
        check(
            r#"{"id": 3 ,"result":{"id":4,"x":[1,{"a":2}]}}"#,
            "3",
            Some(r#"{"id":4,"x":[1,{"a":2}]}"#),
        );
        check(r#"{"result":{"a":"}\"],\\"},"id":"7"}"#, "\"7\"", Some(r#"{"a":"}\"],\\"}"#));
        check(r#"{"result":NaN,"id":5}"#, "5", Some("NaN"));
        check(
            r#"{"id":5,"result":{"content":[{"text":"cut"#,
            "5",
            Some(r#"{"content":[{"text":"cut"#),
        );
        check(r#"{"id":1,"id":2}"#, "2", None);
        check(r#"{"name":"id","x":{"id":9}}"#, "", None);
        check(r#"{"id":null,"result": "\ud83d" }"#, "null", Some(r#""\ud83d""#));
        check("Server is running", "", None);
        check("", "", None);
    }

    #[test]
    fn the_items_of_an_array_are_found() {
        assert_eq!(
            ShallowJson::array(r#" [1, {"a":[2,3]} ,"x,]", NaN ] "#),
            ["1", r#"{"a":[2,3]}"#, r#""x,]""#, "NaN"]
        );
        assert_eq!(ShallowJson::array("[]"), Vec::<&str>::new());
        assert_eq!(ShallowJson::array("{}"), Vec::<&str>::new());
    }

    #[test]
    fn members_that_are_null_are_told_apart() {
        let text = r#"{"id":null,"result" : null , "x":null}"#;
        let outer = ShallowJson::object(text.as_bytes(), NAMES);
        assert!(outer.has("result") && !outer.has_value("result") && outer.has_nulls());
        for other in ["nul", "nulll", "n ull", "\"null\"", "[null]", "1", "nXull"] {
            let text = format!(r#"{{"id":1,"result":{other}}}"#);
            let outer = ShallowJson::object(text.as_bytes(), NAMES);
            assert!(outer.has_value("result") && !outer.has_nulls(), "{other}");
        }
        let last = ShallowJson::object(br#"{"result":null,"result":1}"#, NAMES);
        assert!(last.has_value("result"));
    }

    #[test]
    fn an_array_of_objects_is_a_batch_and_a_line_of_a_log_is_none() {
        let is_batch = |text: &str| ShallowJson::object(text.as_bytes(), NAMES).is_batch();
        assert!(is_batch(r#"[{"id":1}]"#) && is_batch(" [ {"));
        assert!(!is_batch("[INFO] {}") && !is_batch("[]") && !is_batch("{\"a\":[{}]}"));
        assert_eq!(ShallowJson::items(b"[{}, \"\xff\" ]"), [&b"{}"[..], b"\"\xff\""]);
        assert!(ShallowJson::items(b"{\"a\":1}").is_empty());
    }

    #[test]
    fn the_number_of_values_is_counted_and_long_names_are_not_kept() {
        let nodes = |text: &str| ShallowJson::object(text.as_bytes(), NAMES).nodes();
        assert_eq!(nodes(&format!("[{}0]", "0,".repeat(999))), 1_001);
        assert_eq!(nodes(&"[".repeat(500)), 501);
        assert_eq!(nodes(r#""a,b[{""#), 1);
        let is_complete = |text: &str| ShallowJson::object(text.as_bytes(), NAMES).is_complete();
        assert!(is_complete(r#"{"a":NaN}"#) && !is_complete(r#"{"a":{}"#) && !is_complete("}"));
        let mut scan = ShallowScan::new(NAMES);
        scan.push(
            format!("{{\"{}\":1,\"id\":{}}}", "n".repeat(9_999), "1".repeat(9_999)).as_bytes(),
        );
        assert!(scan.name.len() <= MAX_TEXT + 1);
        assert_eq!(scan.finish().first_value().len(), MAX_TEXT);
    }
}
