//! The grammar of RFC 8259, without recursion.

use super::duplicates::collect_duplicates;
use super::malformed::Malformed;
use super::scan::{Scanner, Step};
use super::tree::{KEY_ESCAPED, Kind, NO_NODE as NONE, Node, Tree, WIDE};
use crate::limits::Limits;
use crate::steps;

/// Reads one JSON text.
///
/// # Errors
/// The first thing that is not JSON, or that passes a limit.
pub(crate) fn read(text: &str, limits: &Limits) -> Result<Tree, Malformed> {
    read_to_depth(text, limits, limits.max_depth())
}

/// Reads one JSON text that may nest this deep, whatever the limits say of depth.
pub(crate) fn read_to_depth(text: &str, limits: &Limits, limit: usize) -> Result<Tree, Malformed> {
    let longest = limits.max_bytes().min(Limits::LONGEST);
    if text.len() > longest {
        return Err(Malformed::TooLarge { bytes: text.len(), limit: longest });
    }
    let scanner = Scanner {
        bytes: text.as_bytes(),
        at: 0,
        max_string: limits.max_string_bytes(),
        fault: None,
    };
    let tree = Tree {
        nodes: Vec::with_capacity((text.len() / 8 + 2).min(FIRST_NODES)),
        duplicates: Vec::new(),
        wide: false,
    };
    let mut reader = Reader { text, scanner, tree, open: NONE, levels: 0, limit, key: NO_KEY };
    match (reader.document(), reader.scanner.fault) {
        (Some(()), None) => Ok(reader.tree),
        (_, fault) => Err(fault.unwrap_or(Malformed::Truncated { position: text.len() })),
    }
}

/// The most nodes to make room for before any is read.
const FIRST_NODES: usize = 1024;
const NO_KEY: Key = Key { start: 0, end: 0, flags: 0 };

#[derive(Debug, Clone, Copy)]
struct Key {
    start: u32,
    end: u32,
    flags: u8,
}

struct Reader<'t> {
    text: &'t str,
    scanner: Scanner<'t>,
    tree: Tree,
    /// The innermost array or object that is not closed; while it is open, its `next` is the one
    /// around it.
    open: u32,
    levels: usize,
    limit: usize,
    key: Key,
}

impl Reader<'_> {
    fn document(&mut self) -> Step<()> {
        self.scanner.skip_space();
        loop {
            let ended = self.value()?;
            if ended && !self.more()? {
                break;
            }
        }
        self.scanner.skip_space();
        if self.scanner.at < self.scanner.bytes.len() {
            return self.scanner.unexpected("the end of the text");
        }
        Some(())
    }

    /// Reads a value, or opens an array or object that has something in it (then false).
    fn value(&mut self) -> Step<bool> {
        let start = self.scanner.at;
        let (kind, flags) = match self.scanner.peek() {
            Some(b'"') => {
                self.scanner.at += 1;
                (Kind::String, self.scanner.string()?.1)
            }
            Some(b'-' | b'0'..=b'9') => (Kind::Number, self.number()?),
            Some(b'{') => return self.open(Kind::Object),
            Some(b'[') => return self.open(Kind::Array),
            Some(b't') => (Kind::Bool, self.word("true")?),
            Some(b'f') => (Kind::Bool, self.word("false")?),
            Some(b'n') => (Kind::Null, self.word("null")?),
            _ => return self.scanner.unexpected("a value"),
        };
        let next = offset(self.tree.nodes.len() + 1);
        self.push(kind, flags, start, next);
        Some(true)
    }

    fn word(&mut self, word: &'static str) -> Step<u8> {
        self.scanner.word(word)?;
        Some(0)
    }

    fn number(&mut self) -> Step<u8> {
        let flags = self.scanner.number()?;
        self.tree.wide |= flags & WIDE != 0;
        Some(flags)
    }

    fn push(&mut self, kind: Kind, flags: u8, start: usize, next: u32) {
        steps::count(1);
        let mut index = 0;
        if let Some(parent) = self.tree.nodes.get_mut(self.open as usize) {
            index = parent.count;
            parent.count += 1;
        }
        self.tree.nodes.push(Node {
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

    fn open(&mut self, kind: Kind) -> Step<bool> {
        if self.levels >= self.limit {
            let (position, limit) = (self.scanner.at, self.limit);
            return self.scanner.stop(Malformed::TooDeep { position, limit });
        }
        self.levels += 1;
        let id = offset(self.tree.nodes.len());
        self.push(kind, 0, self.scanner.at, self.open);
        self.open = id;
        self.key = NO_KEY;
        self.scanner.at += 1;
        self.scanner.skip_space();
        match (kind, self.scanner.peek()) {
            (Kind::Array, Some(b']')) | (Kind::Object, Some(b'}')) => {
                self.close();
                Some(true)
            }
            (Kind::Object, _) => {
                self.name("a property name in double quotes, or `}`")?;
                Some(false)
            }
            _ => Some(false),
        }
    }

    /// Reads what follows a value; false at the end of the outermost one.
    fn more(&mut self) -> Step<bool> {
        loop {
            let Some(open) = self.tree.nodes.get(self.open as usize) else { return Some(false) };
            let object = open.kind == Kind::Object;
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

    /// Reads a property's name, the colon and the space around it.
    fn name(&mut self, expected: &'static str) -> Step<()> {
        if self.scanner.peek() != Some(b'"') {
            return self.scanner.unexpected(expected);
        }
        self.scanner.at += 1;
        let start = offset(self.scanner.at);
        let (end, escaped) = self.scanner.string()?;
        let flags = if escaped == 0 { 0 } else { KEY_ESCAPED };
        self.key = Key { start, end: offset(end), flags };
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
        self.levels -= 1;
        self.key = NO_KEY;
        let closed = self.open;
        let next = offset(self.tree.nodes.len());
        let end = offset(self.scanner.at);
        if let Some(node) = self.tree.nodes.get_mut(closed as usize) {
            self.open = node.next;
            node.next = next;
            node.end = end;
            if node.kind == Kind::Object && node.count > 1 {
                collect_duplicates(&mut self.tree, self.text, closed);
            }
        }
    }
}

/// A length as the nodes keep it; the reader takes no text that is longer.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(NONE)
}
