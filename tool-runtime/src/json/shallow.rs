//! Finds the outer parts of a JSON text of a server without building values, also in a text that is
//! damaged or arrives in pieces.
//!
//! The scan tells apart strings, brackets and separators, and checks nothing else: in a text that is not
//! JSON it still finds the request that the text answers.

use std::ops::Range;

use crate::steps;

/// The longest name of a member, and the most bytes of the first member's value, that are kept.
const MAX_TEXT: usize = 64;

/// The outer parts of a text.
#[derive(Debug)]
pub(super) struct ShallowJson {
    names: &'static [&'static str],
    /// The values of the members that were asked for, or all items.
    parts: Vec<(usize, Range<usize>)>,
    /// The beginning of the value of the first name.
    first_value: Vec<u8>,
    root: Option<u8>,
    is_complete: bool,
    nodes: usize,
}

/// Scans a text, in one piece or in several.
#[derive(Debug)]
pub(super) struct ShallowScan {
    json: ShallowJson,
    at: usize,
    depth: usize,
    is_string: bool,
    is_escaped: bool,
    member: MemberState,
    name: Vec<u8>,
    value: Option<Range<usize>>,
}

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
    pub(super) fn object(text: &[u8], names: &'static [&'static str]) -> Self {
        let mut scan = ShallowScan::new(names);
        scan.push(text);
        scan.finish()
    }

    /// Finds the items of an array.
    pub(super) fn array(text: &str) -> Vec<&str> {
        let outer = Self::object(text.as_bytes(), &[]);
        if outer.root != Some(b'[') {
            return Vec::new();
        }
        outer.parts.into_iter().filter_map(|(_, part)| text.get(part)).collect()
    }

    /// Returns whether the text begins as an object.
    pub(super) fn is_object(&self) -> bool {
        self.root == Some(b'{')
    }

    /// Returns whether the outermost object or array has its end.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the number of values, at every depth.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// Returns whether the object has a member of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.range(name).is_some()
    }

    /// Returns the text of a member's value.
    pub(super) fn get<'t>(&self, text: &'t str, name: &str) -> Option<&'t str> {
        text.get(self.range(name)?)
    }

    /// Returns the value of the first name, bounded.
    pub(super) fn first_value(&self) -> &[u8] {
        &self.first_value
    }

    fn range(&self, name: &str) -> Option<Range<usize>> {
        let is_named = |(at, _): &&(usize, Range<usize>)| self.names.get(*at) == Some(&name);
        self.parts.iter().find(is_named).map(|(_, part)| part.clone())
    }

    fn add(&mut self, name: usize, part: Range<usize>) {
        let known = self.parts.iter_mut().find(|(known, _)| *known == name);
        match known.filter(|_| self.root == Some(b'{')) {
            Some(known) => known.1 = part,
            None => self.parts.push((name, part)),
        }
    }
}

impl ShallowScan {
    pub(super) fn new(names: &'static [&'static str]) -> Self {
        let json = ShallowJson {
            names,
            parts: Vec::new(),
            first_value: Vec::new(),
            root: None,
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
        }
    }

    /// Takes the next bytes of the text.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        steps::count(bytes.len() / 64);
        for &byte in bytes {
            self.byte(byte);
            self.at += 1;
        }
    }

    /// Ends the text, which may be incomplete.
    pub(super) fn finish(mut self) -> ShallowJson {
        self.end_value();
        self.json
    }

    fn byte(&mut self, byte: u8) {
        if self.is_string {
            return self.string_byte(byte);
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
                let named = |name: &&str| name.as_bytes() == self.name;
                let position = self.json.names.iter().position(named);
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
            if name == 0 {
                self.json.first_value.clear();
            }
        }
        if name == 0 && self.json.first_value.len() < MAX_TEXT {
            self.json.first_value.push(byte);
        }
    }

    fn end_value(&mut self) {
        if let (MemberState::Value(name), Some(value)) = (self.member, self.value.take()) {
            self.json.add(name, value);
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
