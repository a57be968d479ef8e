//! Translates classes, in which `regex-lite` knows nested classes, set operations and POSIX names.

use super::PatternError;
use super::escape::Escape;
use super::translation::{Place, Translation};

/// The class of all characters, `[^]`.
const ANY: &str = "(?s:.)";
/// The class of no character, `[]`.
const NONE: &str = r"[^\x{0}-\x{10FFFF}]";

/// One part of a class, or one end of a range.
#[derive(Debug, Clone, Copy)]
enum ClassAtom {
    Character(char),
    /// The ranges of a class such as `\d`.
    Class(&'static str),
}

impl Translation<'_> {
    /// Translates the rest of a class, after its bracket.
    pub(super) fn class(&mut self) -> Result<(), PatternError> {
        let is_negated = self.skip("^");
        if self.skip("]") {
            self.has_empty_class = true;
            self.text.push_str(if is_negated { ANY } else { NONE });
            return Ok(());
        }
        self.text.push_str(if is_negated { "[^" } else { "[" });
        while !self.skip("]") {
            if is_posix_class(self.rest) {
                self.unsupported("a POSIX class (`[:alpha:]`)");
            }
            self.class_item()?;
        }
        self.text.push(']');
        Ok(())
    }

    /// Translates a character, a class or a range.
    fn class_item(&mut self) -> Result<(), PatternError> {
        let first = self.class_atom()?;
        if !self.rest.starts_with('-') || self.rest.starts_with("-]") {
            self.push(first);
            return Ok(());
        }
        self.skip("-");
        let last = self.class_atom()?;
        match (first, last) {
            (ClassAtom::Character(low), ClassAtom::Character(high)) if low > high => {
                return Err(PatternError::Syntax("a range of a class is out of order"));
            }
            (ClassAtom::Character(_), ClassAtom::Character(_)) => {
                self.push(first);
                self.text.push('-');
            }
            // Beside a class, the hyphen is a literal.
            (ClassAtom::Class(_), _) | (_, ClassAtom::Class(_)) => {
                self.push(first);
                self.literal('-');
            }
        }
        self.push(last);
        Ok(())
    }

    fn class_atom(&mut self) -> Result<ClassAtom, PatternError> {
        let first = self.rest.chars().next();
        let first = first.ok_or(PatternError::Syntax("a class is not closed"))?;
        self.rest = &self.rest[first.len_utf8()..];
        if first != '\\' {
            return Ok(ClassAtom::Character(first));
        }
        Ok(match self.escape_at(Place::Class)? {
            Escape::Character(character) => ClassAtom::Character(character),
            Escape::Class(ranges) => ClassAtom::Class(ranges),
            // An anchor is never read in a class.
            Escape::Anchor(construct) | Escape::Unsupported(construct) => {
                self.unsupported(construct);
                ClassAtom::Class("")
            }
        })
    }

    fn push(&mut self, atom: ClassAtom) {
        match atom {
            ClassAtom::Character(character) => self.literal(character),
            ClassAtom::Class(ranges) => self.text.push_str(ranges),
        }
    }
}

/// Returns whether a text begins with the name of a POSIX class, such as `[:alpha:]`.
fn is_posix_class(rest: &str) -> bool {
    let Some(name) = rest.strip_prefix("[:") else { return false };
    let after = name.trim_start_matches(|next: char| next.is_ascii_lowercase() || next == '^');
    after.len() < name.len() && after.starts_with(":]")
}
