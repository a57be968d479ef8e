//! Constraints on strings.

use tool_runtime_schema::schema::pattern::Pattern;

use super::{UnreadableKeyword, size};
use crate::compare::keywords;
use crate::compare::subschema::Subschema;

/// The strings that a schema accepts.
#[derive(Debug, Clone)]
pub(in super::super) struct StringConstraints<'s> {
    pub(in super::super) min: usize,
    pub(in super::super) max: usize,
    pub(in super::super) patterns: Vec<&'s str>,
    pub(in super::super) formats: Vec<&'s str>,
}

impl Default for StringConstraints<'_> {
    fn default() -> Self {
        Self { min: 0, max: usize::MAX, patterns: Vec::new(), formats: Vec::new() }
    }
}

impl<'s> StringConstraints<'s> {
    pub(super) fn read(subschema: Subschema<'s>) -> Result<Self, UnreadableKeyword> {
        let text = |word: &'static str| match subschema.get(word) {
            None => Ok(None),
            Some(value) => value.as_str().map(Some).ok_or(word),
        };
        let format = text("format")?.filter(|format| keywords::is_parsed_format(format));
        Ok(Self {
            min: size(subschema, "minLength")?.unwrap_or(0),
            max: size(subschema, "maxLength")?.unwrap_or(usize::MAX),
            patterns: text("pattern")?.into_iter().collect(),
            formats: format.into_iter().collect(),
        })
    }

    pub(super) fn intersect(mut self, other: &Self) -> Self {
        self.min = self.min.max(other.min);
        self.max = self.max.min(other.max);
        self.patterns.extend(&other.patterns);
        self.formats.extend(&other.formats);
        self
    }

    /// The keyword of `other` that some of these strings may violate.
    pub(in super::super) fn violated_keyword(&self, other: &Self) -> Option<&'static str> {
        let broken = [
            (self.min < other.min, "minLength"),
            (self.max > other.max, "maxLength"),
            (other.patterns.iter().any(|pattern| !self.patterns.contains(pattern)), "pattern"),
            (other.formats.iter().any(|format| !self.formats.contains(format)), "format"),
        ];
        broken.into_iter().find(|(broken, _)| *broken).map(|(_, word)| word)
    }

    pub(in super::super) fn admits(&self, text: &str) -> Option<bool> {
        let length = text.chars().count();
        if length < self.min || length > self.max {
            return Some(false);
        }
        let mut sure = self.formats.is_empty();
        for pattern in &self.patterns {
            match matches(pattern, text) {
                Some(false) => return Some(false),
                found => sure &= found.is_some(),
            }
        }
        sure.then_some(true)
    }
}

/// Returns whether a text matches; `None` if regular expression dialects may disagree.
pub(in super::super) fn matches(pattern: &str, text: &str) -> Option<bool> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    let regex = Pattern::new(pattern).ok().filter(|_| plain)?;
    Some(regex.is_match(text))
}
