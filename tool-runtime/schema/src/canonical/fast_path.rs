//! Single-pass canonicalization of simple texts, without a tree of nodes.
//!
//! Most outputs of tools are simple: no escapes, short numbers, little nesting. Anything else ends
//! the attempt, valid or not, and the text is processed by the [reader](crate::json::read) and its
//! [writer](super::write). All errors therefore come from a single implementation.

use super::order::utf16_order;
use crate::json::special;

/// The most digits of which every number survives a 64-bit float: shortest and unique, as
/// ECMAScript prints it.
const EXACT_DIGITS: usize = 15;

/// With more zeros than these after the point, ECMAScript prints an exponent.
const MAX_LEADING_ZEROS: usize = 5;

/// The deepest nesting. Each level may need sorting, which copies its contents.
const MAX_DEPTH: usize = 16;

/// Appends the canonical form of a simple text; returns false and leaves `out` unchanged otherwise.
pub(super) fn write(json: &str, out: &mut Vec<u8>) -> bool {
    let begun = out.len();
    let (members, sorted) = (Vec::new(), Vec::new());
    let mut direct = FastWriter { json, at: 0, copied: 0, out, members, sorted };
    let is_plain = direct.document().is_some();
    if !is_plain {
        out.truncate(begun);
    }
    is_plain
}

struct FastWriter<'t, 'o> {
    json: &'t str,
    at: usize,
    /// End of the input that has been copied to `out`. Unchanged stretches of input are copied
    /// together.
    copied: usize,
    out: &'o mut Vec<u8>,
    /// The members of all open objects, the innermost last.
    members: Vec<Member<'t>>,
    /// Buffer for sorting members.
    sorted: Vec<u8>,
}

/// A member of an object as it was written, including the comma after it.
struct Member<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// `None` if the text is not simple.
type Attempt<T = ()> = Option<T>;

impl<'t> FastWriter<'t, '_> {
    fn document(&mut self) -> Attempt {
        self.skip_space();
        self.value(0)?;
        self.skip_space();
        self.copy();
        (self.at == self.json.len()).then_some(())
    }

    fn value(&mut self, depth: usize) -> Attempt {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'-' | b'0'..=b'9' => self.number(),
            b'{' if depth < MAX_DEPTH => self.object(depth),
            b'[' if depth < MAX_DEPTH => self.array(depth),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => None,
        }
    }

    fn array(&mut self, depth: usize) -> Attempt {
        self.open();
        if self.consume_if_closed(b']') {
            return Some(());
        }
        loop {
            self.value(depth + 1)?;
            if !self.next_or_end(b']')? {
                return Some(());
            }
        }
    }

    fn object(&mut self, depth: usize) -> Attempt {
        self.open();
        if self.consume_if_closed(b'}') {
            return Some(());
        }
        let (first, begun) = (self.members.len(), self.written());
        let mut in_order = true;
        loop {
            let start = self.written();
            let name = self.string()?;
            self.skip_space();
            self.read(b':')?;
            self.skip_space();
            self.value(depth + 1)?;
            let next_or_end = self.next_or_end(b'}')?;
            if let [.., before] = &self.members[first..] {
                in_order &= utf16_order(before.name, name).is_lt();
            }
            self.members.push(Member { name, start, end: self.written() });
            if !next_or_end {
                break;
            }
        }
        if !in_order {
            self.sort(first, begun)?;
        }
        self.members.truncate(first);
        Some(())
    }

    /// Sorts the members of an object; `None` if a name occurs twice.
    fn sort(&mut self, first: usize, begun: usize) -> Attempt {
        self.copy();
        let members = &mut self.members[first..];
        // The closing brace takes the place of the last member's comma.
        *self.out.last_mut()? = b',';
        members.sort_unstable_by(|left, right| utf16_order(left.name, right.name));
        if members.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return None;
        }
        self.sorted.clear();
        // Once for all objects: none is longer than the whole text.
        self.sorted.reserve(self.json.len());
        for member in members {
            self.sorted.extend_from_slice(&self.out[member.start..member.end]);
        }
        self.out[begun..].copy_from_slice(&self.sorted);
        *self.out.last_mut()? = b'}';
        Some(())
    }

    /// Reads a string without escapes, which is canonical as written; returns its contents.
    fn string(&mut self) -> Attempt<&'t str> {
        self.read(b'"')?;
        let start = self.at;
        let end = special(self.json.as_bytes(), start);
        self.at = end;
        self.read(b'"')?;
        self.json.get(start..end)
    }

    /// Reads a number that is written as ECMAScript prints it.
    fn number(&mut self) -> Attempt {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let integer_part = self.digits();
        let (is_zero, has_leading_zero) = (integer_part == b"0", integer_part.starts_with(b"0"));
        let mut digits = integer_part.len();
        if self.peek() == Some(b'.') {
            self.at += 1;
            let fraction = self.digits();
            let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
            if fraction.is_empty()
                || fraction.ends_with(b"0")
                || is_zero && zeros > MAX_LEADING_ZEROS
            {
                return None;
            }
            digits += fraction.len();
        } else if is_zero && self.at - start > 1 {
            // Negative zero prints as `0`.
            return None;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) || digits > EXACT_DIGITS {
            return None;
        }
        if integer_part.is_empty() || has_leading_zero && !is_zero {
            return None;
        }
        Some(())
    }

    fn digits(&mut self) -> &'t [u8] {
        let tail = &self.json.as_bytes()[self.at..];
        let count = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        &tail[..count]
    }

    fn word(&mut self, word: &str) -> Attempt {
        self.json.as_bytes()[self.at..].starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        Some(())
    }

    fn open(&mut self) {
        self.at += 1;
        self.skip_space();
    }

    /// Reads the end of an empty array or object.
    fn consume_if_closed(&mut self, bracket: u8) -> bool {
        let is_closed = self.peek() == Some(bracket);
        self.at += usize::from(is_closed);
        is_closed
    }

    /// Reads the comma after an element, or the closing bracket after the last one.
    fn next_or_end(&mut self, bracket: u8) -> Attempt<bool> {
        self.skip_space();
        let next = self.peek().filter(|byte| *byte == b',' || *byte == bracket)?;
        self.at += 1;
        if next == b',' {
            self.skip_space();
        }
        Some(next == b',')
    }

    /// Length of `out` including the input that is not copied yet.
    fn written(&self) -> usize {
        self.out.len() + self.at - self.copied
    }

    /// Copies the pending input unchanged.
    fn copy(&mut self) {
        self.out.extend_from_slice(&self.json.as_bytes()[self.copied..self.at]);
        self.copied = self.at;
    }

    fn read(&mut self, byte: u8) -> Attempt {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    /// Drops whitespace between tokens.
    fn skip_space(&mut self) {
        if !self.is_at_space() {
            return;
        }
        self.copy();
        while self.is_at_space() {
            self.at += 1;
        }
        self.copied = self.at;
    }

    fn is_at_space(&self) -> bool {
        matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t'))
    }
}
