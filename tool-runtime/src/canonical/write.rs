//! Writes the nodes of one JSON text in canonical form.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::Form;
use super::defaults::{PlaceId, Property};
use super::error::CanonicalError;
use super::order::utf16_order;
use crate::json::text::escape;
use crate::json::{Decimal, Kind, Node, View};

/// The largest integer up to which every 64-bit float reader keeps each one: 2^53 − 1.
const LARGEST: u64 = (1 << 53) - 1;

/// The standard library reads an exponent up to 16 bits only; what is beyond them comes to the same
/// unless the number has about as many digits.
const LONG: usize = 1 << 15;

/// The most bytes that defaults may add to a text: a short one can ask for them very often.
const MOST: usize = 1 << 24;

/// Which numbers have a canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// What every reader keeps: an integer beyond 2^53 − 1 is refused, and what is written with a
    /// fraction or an exponent is the float that is nearest.
    Shared,
    /// Whatever a tool may be given: a whole number of up to 128 bits is written with all its
    /// digits, and any other is the float that is nearest.
    Exact,
}

/// What is read, what is filled in, and what is written.
pub(super) struct Writer<'d> {
    view: View<'d>,
    form: Form<'d>,
    out: &'d mut Vec<u8>,
    /// The members of the objects that are under way and have to be sorted, the innermost's last.
    sorted: Vec<(Cow<'d, str>, u32)>,
    /// The bytes of the defaults that were written.
    filled: usize,
}

impl<'d> Writer<'d> {
    pub(super) fn new(view: View<'d>, form: Form<'d>, out: &'d mut Vec<u8>) -> Self {
        Self { view, form, out, sorted: Vec::new(), filled: 0 }
    }

    /// Writes the whole text.
    pub(super) fn document(&mut self) -> Result<(), CanonicalError> {
        self.value(0, self.form.place)
    }

    fn value(&mut self, id: u32, place: Option<PlaceId>) -> Result<(), CanonicalError> {
        let node = self.view.node(id);
        match node.kind {
            Kind::Null | Kind::Bool => self.copy(self.view.raw(node)),
            Kind::Number => return self.number(node),
            Kind::String => self.string(self.view.raw(node), node.is_escaped()),
            Kind::Array => return self.array(id, place),
            Kind::Object => return self.object(id, place),
        }
        Ok(())
    }

    fn copy(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, node: &Node) -> Result<(), CanonicalError> {
        let raw = self.view.raw(node);
        if !node.is_digits() {
            return self.float(raw, node.start());
        }
        if node.is_odd() {
            return self.integer(raw, node.start());
        }
        self.copy(raw);
        Ok(())
    }

    fn integer(&mut self, raw: &str, position: usize) -> Result<(), CanonicalError> {
        match raw.parse::<i64>() {
            Ok(0) => self.out.push(b'0'),
            Ok(value) if value.unsigned_abs() <= LARGEST => self.copy(raw),
            _ if self.form.numbers == Numbers::Exact => return self.float(raw, position),
            _ => return Err(CanonicalError::integer(position)),
        }
        Ok(())
    }

    fn float(&mut self, raw: &str, position: usize) -> Result<(), CanonicalError> {
        if self.form.numbers == Numbers::Exact {
            let number = Decimal::read(raw);
            if let Some(whole) = number.magnitude().filter(|whole| *whole > LARGEST.into()) {
                let sign = if number.is_negative() { "-" } else { "" };
                self.copy(&format!("{sign}{whole}"));
                return Ok(());
            }
        }
        let value = nearest(raw).ok_or(CanonicalError::number(position))?;
        self.copy(ryu_js::Buffer::new().format_finite(value));
        Ok(())
    }

    /// Writes a string with its quotes; without escapes it has but one spelling.
    fn string(&mut self, quoted: &str, escaped: bool) {
        if escaped {
            push_respelt(self.out, quoted);
        } else {
            self.copy(quoted);
        }
    }

    fn array(&mut self, id: u32, place: Option<PlaceId>) -> Result<(), CanonicalError> {
        let items = place.and_then(|place| self.form.defaults.items(place));
        self.out.push(b'[');
        for (item, _) in self.view.children(id) {
            self.value(item, items)?;
            self.out.push(b',');
        }
        self.close(b']');
        Ok(())
    }

    fn object(&mut self, id: u32, place: Option<PlaceId>) -> Result<(), CanonicalError> {
        let mut known = place.map_or(&[][..], |place| self.form.defaults.properties(place));
        let view = self.view;
        let mut named = view.children(id).map(|(member, node)| (view.key(node), member));
        self.out.push(b'{');
        if named.clone().is_sorted_by(|left, right| utf16_order(&left.0, &right.0).is_lt()) {
            named.try_for_each(|(name, member)| self.member(&name, member, &mut known))?;
        } else {
            self.sorted_members(named, &mut known)?;
        }
        for absent in known {
            self.fill(absent);
        }
        if self.filled > MOST {
            return Err(CanonicalError::filled(view.node(id).start()));
        }
        self.close(b'}');
        Ok(())
    }

    /// Writes members in their order. All objects sort theirs in one memory, one behind the other.
    fn sorted_members(
        &mut self,
        named: impl Iterator<Item = (Cow<'d, str>, u32)>,
        known: &mut &'d [Property],
    ) -> Result<(), CanonicalError> {
        let first = self.sorted.len();
        self.sorted.extend(named);
        self.sorted[first..].sort_unstable_by(|left, right| utf16_order(&left.0, &right.0));
        for at in first..self.sorted.len() {
            let (name, member) = std::mem::take(&mut self.sorted[at]);
            self.member(&name, member, known)?;
        }
        self.sorted.truncate(first);
        Ok(())
    }

    /// Ends an array or object, in place of the comma behind its last part.
    fn close(&mut self, bracket: u8) {
        match self.out.last_mut() {
            Some(last @ b',') => *last = bracket,
            _ => self.out.push(bracket),
        }
    }

    /// Writes a member, and before it the absent ones whose names come first.
    fn member(
        &mut self,
        name: &str,
        id: u32,
        known: &mut &'d [Property],
    ) -> Result<(), CanonicalError> {
        let node = self.view.node(id);
        let place = self.fill_to(name, known);
        self.string(quoted_name(self.view, node), node.is_key_escaped());
        self.out.push(b':');
        self.value(id, place)?;
        self.out.push(b',');
        Ok(())
    }

    /// Writes the absent members before this name; gives the place of what it names.
    fn fill_to(&mut self, name: &str, known: &mut &'d [Property]) -> Option<PlaceId> {
        while let Some((property, rest)) = known.split_first() {
            match utf16_order(&property.name, name) {
                Ordering::Less => self.fill(property),
                Ordering::Equal => {
                    *known = rest;
                    return property.place;
                }
                Ordering::Greater => break,
            }
            *known = rest;
        }
        None
    }

    fn fill(&mut self, absent: &Property) {
        if let Some(member) = &absent.member {
            self.filled += member.len();
            self.out.extend_from_slice(member);
            self.out.push(b',');
        }
    }
}

/// Reads the float that is nearest to a number, if there is one.
fn nearest(raw: &str) -> Option<f64> {
    let parsed = if raw.len() > LONG {
        let decimal = Decimal::read(raw);
        let digits: Vec<u8> = decimal.digits().collect();
        let digits = std::str::from_utf8(&digits).ok()?;
        let power = decimal.exponent() + i64::try_from(digits.len()).ok()?;
        let sign = if decimal.is_negative() { "-" } else { "" };
        format!("{sign}0.{digits}e{power}").parse()
    } else {
        raw.parse()
    };
    parsed.ok().filter(|float: &f64| float.is_finite())
}

/// The name of a property, as written, with its quotes.
fn quoted_name<'d>(view: View<'d>, node: &Node) -> &'d str {
    let start = node.member_start();
    &view.text[start..start + view.raw_key(node).len() + 2]
}

/// Writes a string with each character in the one spelling of RFC 8785, section 3.2.2.2.
fn push_respelt(out: &mut Vec<u8>, mut rest: &str) {
    while let Some(at) = rest.find('\\') {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        let (meant, used) = escape(&rest[at..]);
        push_character(out, meant);
        rest = &rest[at + used..];
    }
    out.extend_from_slice(rest.as_bytes());
}

fn push_character(out: &mut Vec<u8>, character: char) {
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{c}' => b'f',
        '\r' => b'r',
        '\0'..='\u{1f}' => {
            out.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes());
            return;
        }
        other => {
            out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
