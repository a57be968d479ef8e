//! Writes the nodes of one JSON text in canonical form.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::Value;

use super::CanonicalForm;
use super::defaults::{DefaultedProperty, DefaultsId};
use super::error::CanonicalError;
use super::order::utf16_order;
use crate::json::text::escape;
use crate::json::{Decimal, JsonKind, JsonNode, JsonView};

/// The largest integer up to which 64-bit floats represent every integer: 2^53 − 1.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The standard library parses exponents of up to 16 bits; larger ones give the same float unless
/// the number has about as many digits.
const LONG_NUMBER: usize = 1 << 15;

/// The most bytes that defaults may add to a text; a short text can require many of them.
const MAX_FILLED_BYTES: usize = 1 << 24;

/// Selects the numbers that have a canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberPolicy {
    /// I-JSON: an integer beyond 2^53 − 1 is rejected, and a number with a fraction or an exponent
    /// is rounded to the nearest float.
    IJson,
    /// A whole number of up to 128 bits keeps all its digits, and any other number is rounded to
    /// the nearest float.
    Exact,
}

/// The state of writing one text.
pub(super) struct CanonicalWriter<'d> {
    view: JsonView<'d>,
    form: CanonicalForm<'d>,
    out: &'d mut Vec<u8>,
    /// The members of all open objects that need sorting, the innermost last.
    sorted: Vec<(Cow<'d, str>, u32)>,
    /// Bytes of written defaults.
    filled: usize,
}

impl<'d> CanonicalWriter<'d> {
    pub(super) fn new(view: JsonView<'d>, form: CanonicalForm<'d>, out: &'d mut Vec<u8>) -> Self {
        Self { view, form, out, sorted: Vec::new(), filled: 0 }
    }

    /// Writes the whole text.
    pub(super) fn document(&mut self) -> Result<(), CanonicalError> {
        self.value(0, self.form.defaults_id)
    }

    fn value(&mut self, id: u32, defaults_id: Option<DefaultsId>) -> Result<(), CanonicalError> {
        let node = self.view.node(id);
        match node.kind {
            JsonKind::Null | JsonKind::Bool => self.copy(self.view.raw(node)),
            JsonKind::Number => return self.number(node),
            JsonKind::String => self.string(self.view.raw(node), node.is_escaped()),
            JsonKind::Array => return self.array(id, defaults_id),
            JsonKind::Object => return self.object(id, defaults_id),
        }
        Ok(())
    }

    fn copy(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn number(&mut self, node: &JsonNode) -> Result<(), CanonicalError> {
        let raw = self.view.raw(node);
        if !node.is_digits() {
            return self.float(raw, node.start());
        }
        if node.needs_exact_check() {
            return self.integer(raw, node.start());
        }
        self.copy(raw);
        Ok(())
    }

    fn integer(&mut self, raw: &str, position: usize) -> Result<(), CanonicalError> {
        match raw.parse::<i64>() {
            Ok(0) => self.out.push(b'0'),
            Ok(value) if value.unsigned_abs() <= MAX_SAFE_INTEGER => self.copy(raw),
            _ if self.form.numbers == NumberPolicy::Exact => return self.float(raw, position),
            _ => return Err(CanonicalError::integer(position)),
        }
        Ok(())
    }

    fn float(&mut self, raw: &str, position: usize) -> Result<(), CanonicalError> {
        if self.form.numbers == NumberPolicy::Exact {
            let number = Decimal::read(raw);
            if let Some(whole) = number.magnitude().filter(|whole| *whole > MAX_SAFE_INTEGER.into())
            {
                let sign = if number.is_negative() { "-" } else { "" };
                self.copy(&format!("{sign}{whole}"));
                return Ok(());
            }
        }
        let value = nearest(raw).ok_or(CanonicalError::number(position))?;
        self.copy(ryu_js::Buffer::new().format_finite(value));
        Ok(())
    }

    /// Writes a string with its quotes; without escapes it is canonical as written.
    fn string(&mut self, quoted: &str, escaped: bool) {
        if escaped {
            push_string_canonically(self.out, quoted);
        } else {
            self.copy(quoted);
        }
    }

    fn array(&mut self, id: u32, defaults_id: Option<DefaultsId>) -> Result<(), CanonicalError> {
        let items = defaults_id.and_then(|defaults_id| self.form.defaults.items(defaults_id));
        self.out.push(b'[');
        for (item, _) in self.view.children(id) {
            self.value(item, items)?;
            self.out.push(b',');
        }
        self.close(b']');
        Ok(())
    }

    fn object(&mut self, id: u32, defaults_id: Option<DefaultsId>) -> Result<(), CanonicalError> {
        let mut default_properties =
            defaults_id.map_or(&[][..], |defaults_id| self.form.defaults.properties(defaults_id));
        let (view, defaults) = (self.view, self.form.defaults);
        let mut members = view.children(id).map(|(member, node)| {
            let name = view.key(node);
            let declared = defaults_id.and_then(|id| defaults.declared_name(id, &name));
            (declared.map_or(name, Cow::Borrowed), member)
        });
        self.out.push(b'{');
        if members.clone().is_sorted_by(|left, right| utf16_order(&left.0, &right.0).is_lt()) {
            members.try_for_each(|(name, member)| {
                self.member(&name, member, &mut default_properties)
            })?;
        } else {
            self.sorted_members(members, &mut default_properties)?;
        }
        for absent in default_properties {
            self.fill(absent);
        }
        if self.filled > MAX_FILLED_BYTES {
            return Err(CanonicalError::filled(view.node(id).start()));
        }
        self.close(b'}');
        Ok(())
    }

    /// Writes members in sorted order. All objects share one buffer for sorting.
    fn sorted_members(
        &mut self,
        named: impl Iterator<Item = (Cow<'d, str>, u32)>,
        known: &mut &'d [DefaultedProperty],
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

    /// Ends an array or object, replacing the comma after its last element.
    fn close(&mut self, bracket: u8) {
        match self.out.last_mut() {
            Some(last @ b',') => *last = bracket,
            _ => self.out.push(bracket),
        }
    }

    /// Writes a member, after the absent members whose names sort before it.
    fn member(
        &mut self,
        name: &str,
        id: u32,
        known: &mut &'d [DefaultedProperty],
    ) -> Result<(), CanonicalError> {
        let node = self.view.node(id);
        let defaults_id = self.fill_to(name, known);
        if self.view.key(node) == name {
            self.string(quoted_name(self.view, node), node.is_key_escaped());
        } else {
            // The name as it is declared, in place of an alias.
            self.string(&Value::from(name).to_string(), true);
        }
        self.out.push(b':');
        self.value(id, defaults_id)?;
        self.out.push(b',');
        Ok(())
    }

    /// Writes the absent members before this name; returns the defaults of the member itself.
    fn fill_to(&mut self, name: &str, known: &mut &'d [DefaultedProperty]) -> Option<DefaultsId> {
        while let Some((property, rest)) = known.split_first() {
            match utf16_order(&property.name, name) {
                Ordering::Less => self.fill(property),
                Ordering::Equal => {
                    *known = rest;
                    return property.defaults_id;
                }
                Ordering::Greater => break,
            }
            *known = rest;
        }
        None
    }

    fn fill(&mut self, absent: &DefaultedProperty) {
        if let Some(member) = &absent.member {
            self.filled += member.len();
            self.out.extend_from_slice(member);
            self.out.push(b',');
        }
    }
}

/// The nearest float to a number, if it is finite.
fn nearest(raw: &str) -> Option<f64> {
    let parsed = if raw.len() > LONG_NUMBER {
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
fn quoted_name<'d>(view: JsonView<'d>, node: &JsonNode) -> &'d str {
    let start = node.member_start();
    &view.text[start..start + view.raw_key(node).len() + 2]
}

/// Writes a string with each character in the canonical notation (RFC 8785, section 3.2.2.2).
fn push_string_canonically(out: &mut Vec<u8>, mut rest: &str) {
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
