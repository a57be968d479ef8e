//! The canonical form of plain texts in one pass, without a list of what stands where.
//!
//! Plain is what most tools answer: no escapes, short numbers, little nesting. Whatever else a text
//! has ends the attempt, valid or not, and the [reader](crate::json::read) and its
//! [writer](super::write) have the last word. So there is but one place that tells what is wrong.

use super::order::utf16_order;
use crate::json::special;

/// The most digits of which every number survives a 64-bit float: shortest and unique, as ECMAScript
/// prints it.
const SURE_DIGITS: usize = 15;

/// With more zeros behind the point than these, ECMAScript prints an exponent.
const SURE_ZEROS: usize = 5;

/// The deepest nesting. Each level may be sorted in turn, so that depth costs copies.
const DEEPEST: usize = 16;

/// Appends the canonical form of a plain text; false if it is none, with `out` as it was.
pub(super) fn write(json: &str, out: &mut Vec<u8>) -> bool {
    let begun = out.len();
    let (members, sorted) = (Vec::new(), Vec::new());
    let mut direct = Direct { json, at: 0, copied: 0, out, members, sorted };
    let is_plain = direct.document().is_some();
    if !is_plain {
        out.truncate(begun);
    }
    is_plain
}

struct Direct<'t, 'o> {
    json: &'t str,
    at: usize,
    /// Up to where the text is in `out`. What is read stays as it is for long stretches, and is
    /// copied where one ends.
    copied: usize,
    out: &'o mut Vec<u8>,
    /// The members of the objects that are under way, the innermost's last.
    members: Vec<Member<'t>>,
    /// Where members are put in order.
    sorted: Vec<u8>,
}

/// A member of an object, as it was written: with the comma behind it.
struct Member<'t> {
    name: &'t str,
    start: usize,
    end: usize,
}

/// None where the text is not plain.
type Step<T = ()> = Option<T>;

impl<'t> Direct<'t, '_> {
    fn document(&mut self) -> Step {
        self.skip_space();
        self.value(0)?;
        self.skip_space();
        self.copy();
        (self.at == self.json.len()).then_some(())
    }

    fn value(&mut self, depth: usize) -> Step {
        match self.peek()? {
            b'"' => self.string().map(drop),
            b'-' | b'0'..=b'9' => self.number(),
            b'{' if depth < DEEPEST => self.object(depth),
            b'[' if depth < DEEPEST => self.array(depth),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => None,
        }
    }

    fn array(&mut self, depth: usize) -> Step {
        self.open();
        if self.closes(b']') {
            return Some(());
        }
        loop {
            self.value(depth + 1)?;
            if !self.goes_on(b']')? {
                return Some(());
            }
        }
    }

    fn object(&mut self, depth: usize) -> Step {
        self.open();
        if self.closes(b'}') {
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
            let goes_on = self.goes_on(b'}')?;
            if let [.., before] = &self.members[first..] {
                in_order &= utf16_order(before.name, name).is_lt();
            }
            self.members.push(Member { name, start, end: self.written() });
            if !goes_on {
                break;
            }
        }
        if !in_order {
            self.sort(first, begun)?;
        }
        self.members.truncate(first);
        Some(())
    }

    /// Puts the members of an object in order; none if one stands twice.
    fn sort(&mut self, first: usize, begun: usize) -> Step {
        self.copy();
        let members = &mut self.members[first..];
        // The last one has the closing brace for a comma.
        *self.out.last_mut()? = b',';
        members.sort_unstable_by(|left, right| utf16_order(left.name, right.name));
        if members.windows(2).any(|pair| pair[0].name == pair[1].name) {
            return None;
        }
        self.sorted.clear();
        for member in members {
            self.sorted.extend_from_slice(&self.out[member.start..member.end]);
        }
        self.out[begun..].copy_from_slice(&self.sorted);
        *self.out.last_mut()? = b'}';
        Some(())
    }

    /// Reads a string without escapes, which has but one spelling; gives what it says.
    fn string(&mut self) -> Step<&'t str> {
        self.read(b'"')?;
        let start = self.at;
        let end = special(self.json.as_bytes(), start);
        self.at = end;
        self.read(b'"')?;
        self.json.get(start..end)
    }

    /// Reads a number that stands as ECMAScript prints it.
    fn number(&mut self) -> Step {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let whole = self.digits();
        let (is_zero, is_led) = (whole == b"0", whole.starts_with(b"0"));
        let mut digits = whole.len();
        if self.peek() == Some(b'.') {
            self.at += 1;
            let fraction = self.digits();
            let zeros = fraction.iter().take_while(|digit| **digit == b'0').count();
            if fraction.is_empty() || fraction.ends_with(b"0") || is_zero && zeros > SURE_ZEROS {
                return None;
            }
            digits += fraction.len();
        } else if is_zero && self.at - start > 1 {
            // It is −0.
            return None;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) || digits > SURE_DIGITS {
            return None;
        }
        if whole.is_empty() || is_led && !is_zero {
            return None;
        }
        Some(())
    }

    fn digits(&mut self) -> &'t [u8] {
        let rest = &self.json.as_bytes()[self.at..];
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        &rest[..count]
    }

    fn word(&mut self, word: &str) -> Step {
        self.json.as_bytes()[self.at..].starts_with(word.as_bytes()).then_some(())?;
        self.at += word.len();
        Some(())
    }

    fn open(&mut self) {
        self.at += 1;
        self.skip_space();
    }

    /// Reads the end of an array or object that has nothing in it.
    fn closes(&mut self, bracket: u8) -> bool {
        let closes = self.peek() == Some(bracket);
        self.at += usize::from(closes);
        closes
    }

    /// Reads the comma behind a part, or the end behind the last.
    fn goes_on(&mut self, bracket: u8) -> Step<bool> {
        self.skip_space();
        let next = self.peek().filter(|byte| *byte == b',' || *byte == bracket)?;
        self.at += 1;
        if next == b',' {
            self.skip_space();
        }
        Some(next == b',')
    }

    /// How long `out` is with what was read since it was copied to.
    fn written(&self) -> usize {
        self.out.len() + self.at - self.copied
    }

    /// Copies what was read, as it stands.
    fn copy(&mut self) {
        self.out.extend_from_slice(&self.json.as_bytes()[self.copied..self.at]);
        self.copied = self.at;
    }

    fn read(&mut self, byte: u8) -> Step {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    fn peek(&self) -> Option<u8> {
        self.json.as_bytes().get(self.at).copied()
    }

    /// Leaves out what stands between tokens.
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
