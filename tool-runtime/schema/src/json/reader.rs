//! The grammar of RFC 8259, without recursion.

use super::duplicates::collect_duplicates;
use super::malformed::Malformed;
use super::scan::{JsonScanner, ScanResult};
use super::tree::{JsonKind, JsonNode, JsonTree, KEY_ESCAPED, NO_NODE as NONE, WIDE};
use crate::limits::Limits;
use crate::test_cost;

/// Parses one JSON text.
///
/// # Errors
/// Returns the first syntax error or exceeded limit.
pub fn read(text: &str, limits: &Limits) -> Result<JsonTree, Malformed> {
    read_to_depth(text, limits, limits.max_depth())
}

/// Parses one JSON text with this limit of depth instead of the one in `limits`.
pub fn read_to_depth(text: &str, limits: &Limits, limit: usize) -> Result<JsonTree, Malformed> {
    parse(text, limits, limit, false)
}

pub(super) fn parse(
    text: &str,
    limits: &Limits,
    limit: usize,
    accepts_lone_surrogates: bool,
) -> Result<JsonTree, Malformed> {
    let longest = limits.max_bytes().min(Limits::MAX_BYTES);
    if text.len() > longest {
        return Err(Malformed::TooLarge { bytes: text.len(), limit: longest });
    }
    let scanner = JsonScanner {
        bytes: text.as_bytes(),
        at: 0,
        max_string: limits.max_string_bytes(),
        accepts_lone_surrogates,
        error: None,
    };
    let tree = JsonTree {
        nodes: Vec::with_capacity((text.len() / 8 + 2).min(MAX_RESERVED_NODES)),
        duplicates: Vec::new(),
        wide: false,
    };
    let mut reader =
        JsonParser { text, scanner, tree, open: NONE, depth: 0, limit, key: NO_PENDING_KEY };
    match (reader.document(), reader.scanner.error) {
        (Some(()), None) => Ok(reader.tree),
        (_, error) => Err(error.unwrap_or(Malformed::Truncated { position: text.len() })),
    }
}

/// The most nodes to reserve memory for in advance.
const MAX_RESERVED_NODES: usize = 1024;
const NO_PENDING_KEY: PendingKey = PendingKey { start: 0, end: 0, flags: 0 };

#[derive(Debug, Clone, Copy)]
struct PendingKey {
    start: u32,
    end: u32,
    flags: u8,
}

struct JsonParser<'t> {
    text: &'t str,
    scanner: JsonScanner<'t>,
    tree: JsonTree,
    /// The innermost open array or object; while it is open, its `next` is the enclosing one.
    open: u32,
    depth: usize,
    limit: usize,
    key: PendingKey,
}

impl JsonParser<'_> {
    fn document(&mut self) -> ScanResult<()> {
        self.scanner.skip_space();
        loop {
            let is_complete = self.value()?;
            if is_complete && !self.more()? {
                break;
            }
        }
        self.scanner.skip_space();
        if self.scanner.at < self.scanner.bytes.len() {
            return self.scanner.unexpected("the end of the text");
        }
        Some(())
    }

    /// Reads a value, or opens a non-empty array or object and returns false.
    fn value(&mut self) -> ScanResult<bool> {
        let start = self.scanner.at;
        let (kind, flags) = match self.scanner.peek() {
            Some(b'"') => {
                self.scanner.at += 1;
                (JsonKind::String, self.scanner.string()?.1)
            }
            Some(b'-' | b'0'..=b'9') => (JsonKind::Number, self.number()?),
            Some(b'{') => return self.open(JsonKind::Object),
            Some(b'[') => return self.open(JsonKind::Array),
            Some(b't') => (JsonKind::Bool, self.word("true")?),
            Some(b'f') => (JsonKind::Bool, self.word("false")?),
            Some(b'n') => (JsonKind::Null, self.word("null")?),
            _ => return self.scanner.unexpected("a value"),
        };
        let next = offset(self.tree.nodes.len() + 1);
        self.push(kind, flags, start, next);
        Some(true)
    }

    fn word(&mut self, word: &'static str) -> ScanResult<u8> {
        self.scanner.word(word)?;
        Some(0)
    }

    fn number(&mut self) -> ScanResult<u8> {
        let flags = self.scanner.number()?;
        self.tree.wide |= flags & WIDE != 0;
        Some(flags)
    }

    fn push(&mut self, kind: JsonKind, flags: u8, start: usize, next: u32) {
        test_cost::count(1);
        let mut index = 0;
        if let Some(parent) = self.tree.nodes.get_mut(self.open as usize) {
            index = parent.count;
            parent.count += 1;
        }
        self.tree.nodes.push(JsonNode {
            start: offset(start),
            end: offset(self.scanner.at),
            key_start: self.key.start,
            key_end: if self.key.start == 0 { index } else { self.key.end },
            next,
            parent: self.open,
            count: 0,
            kind,
            flags: flags | self.key.flags,
        });
    }

    fn open(&mut self, kind: JsonKind) -> ScanResult<bool> {
        if self.depth >= self.limit {
            let (position, limit) = (self.scanner.at, self.limit);
            return self.scanner.stop(Malformed::TooDeep { position, limit });
        }
        self.depth += 1;
        let id = offset(self.tree.nodes.len());
        self.push(kind, 0, self.scanner.at, self.open);
        self.open = id;
        self.key = NO_PENDING_KEY;
        self.scanner.at += 1;
        self.scanner.skip_space();
        match (kind, self.scanner.peek()) {
            (JsonKind::Array, Some(b']')) | (JsonKind::Object, Some(b'}')) => {
                self.close();
                Some(true)
            }
            (JsonKind::Object, _) => {
                self.name("a property name in double quotes, or `}`")?;
                Some(false)
            }
            _ => Some(false),
        }
    }

    /// Reads the token after a value; returns false at the end of the outermost one.
    fn more(&mut self) -> ScanResult<bool> {
        loop {
            let Some(open) = self.tree.nodes.get(self.open as usize) else { return Some(false) };
            let object = open.kind == JsonKind::Object;
            self.scanner.skip_space();
            match (self.scanner.peek(), object) {
                (Some(b','), true) => {
                    self.scanner.at += 1;
                    self.scanner.skip_space();
                    self.name("a property name in double quotes")?;
                    return Some(true);
                }
                (Some(b','), false) => {
                    self.scanner.at += 1;
                    self.scanner.skip_space();
                    return Some(true);
                }
                (Some(b'}'), true) | (Some(b']'), false) => self.close(),
                (_, true) => return self.scanner.unexpected("`,` or `}`"),
                (_, false) => return self.scanner.unexpected("`,` or `]`"),
            }
        }
    }

    /// Reads a property's name, the colon and the surrounding whitespace.
    fn name(&mut self, expected: &'static str) -> ScanResult<()> {
        if self.scanner.peek() != Some(b'"') {
            return self.scanner.unexpected(expected);
        }
        self.scanner.at += 1;
        let start = offset(self.scanner.at);
        let (end, escaped) = self.scanner.string()?;
        let flags = if escaped == 0 { 0 } else { KEY_ESCAPED };
        self.key = PendingKey { start, end: offset(end), flags };
        self.scanner.skip_space();
        if self.scanner.peek() != Some(b':') {
            return self.scanner.unexpected("`:`");
        }
        self.scanner.at += 1;
        self.scanner.skip_space();
        Some(())
    }

    fn close(&mut self) {
        self.scanner.at += 1;
        self.depth -= 1;
        self.key = NO_PENDING_KEY;
        let closed = self.open;
        let next = offset(self.tree.nodes.len());
        let end = offset(self.scanner.at);
        if let Some(node) = self.tree.nodes.get_mut(closed as usize) {
            self.open = node.next;
            node.next = next;
            node.end = end;
            if node.kind == JsonKind::Object && node.count > 1 {
                collect_duplicates(&mut self.tree, self.text, closed);
            }
        }
    }
}

/// An offset as stored in nodes; longer texts are rejected earlier.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
