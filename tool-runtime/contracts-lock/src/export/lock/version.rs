//! Versions, with cargo's rules of compatibility.

use std::cmp::Ordering;

/// A version `major.minor.patch`, with an optional pre-release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Version {
    // Parsed here, since a build script compiles every crate that this package needs.
    numbers: [u64; 3],
    pre: Vec<PreReleasePart>,
}

/// One part of a pre-release; numbers sort before words.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PreReleasePart {
    Number(u64),
    Word(String),
}

impl Version {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (text, _build) = text.split_once('+').unwrap_or((text, ""));
        let (numbers, pre) = match text.split_once('-') {
            Some((numbers, pre)) => (numbers, pre.split('.').map(PreReleasePart::read).collect()),
            None => (text, Some(Vec::new())),
        };
        let numbers: Option<Vec<u64>> = numbers.split('.').map(number).collect();
        Some(Self { numbers: numbers?.try_into().ok()?, pre: pre? })
    }

    /// Returns whether this version may break users of `before`: it is later, and the leftmost
    /// non-zero number differs. So 2.0.0 breaks with 1.9.0, and 0.3.0 with 0.2.7.
    pub(super) fn breaks_with(&self, before: &Self) -> bool {
        self.line() > before.line()
    }

    /// The smallest version that may break users of this one.
    pub(super) fn next_line(&self) -> String {
        match self.numbers {
            [0, 0, patch] => format!("0.0.{}", patch.saturating_add(1)),
            [0, minor, _] => format!("0.{}.0", minor.saturating_add(1)),
            [major, ..] => format!("{}.0.0", major.saturating_add(1)),
        }
    }

    /// The numbers that all compatible versions share.
    fn line(&self) -> [u64; 3] {
        match self.numbers {
            [0, 0, patch] => [0, 0, patch],
            [0, minor, _] => [0, minor, 0],
            [major, ..] => [major, 0, 0],
        }
    }
}

impl PreReleasePart {
    fn read(text: &str) -> Option<Self> {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        match number(text) {
            Some(number) => Some(Self::Number(number)),
            None if !text.is_empty() && text.bytes().all(is_word) => Some(Self::Word(text.into())),
            None => None,
        }
    }
}

fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    /// A pre-release sorts before its release.
    fn cmp(&self, other: &Self) -> Ordering {
        let released = |version: &Self| version.pre.is_empty();
        self.numbers
            .cmp(&other.numbers)
            .then(released(self).cmp(&released(other)))
            .then_with(|| self.pre.cmp(&other.pre))
    }
}

#[cfg(test)]
mod tests {
    use super::Version;

    fn version(text: &str) -> Version {
        Version::read(text).unwrap_or_else(|| panic!("`{text}` is a version"))
    }

    #[test]
    fn versions_have_the_order_of_semver() {
        let sorted = [
            "0.0.0",
            "0.0.9",
            "0.1.0",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0",
            "1.0.1",
            "10.0.0",
        ];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
        assert_eq!(version("1.2.3+a").cmp(&version("1.2.3+b")), std::cmp::Ordering::Equal);
    }

    #[test]
    fn the_leftmost_number_that_is_not_zero_is_the_major_one() {
        let breaking = [
            ("1.9.9", "2.0.0"),
            ("1.9.9", "2.0.0-rc.1"),
            ("0.2.7", "0.3.0"),
            ("0.0.1", "0.0.2"),
            ("0.9.0", "1.0.0"),
        ];
        for (before, after) in breaking {
            assert!(version(after).breaks_with(&version(before)), "{before} {after}");
            assert!(!version(before).breaks_with(&version(after)), "{after} {before}");
        }
        for (before, after) in [("1.0.0", "1.9.0"), ("0.2.0", "0.2.9"), ("1.0.0-a", "1.0.0")] {
            assert!(!version(after).breaks_with(&version(before)), "{before} {after}");
        }
    }

    #[test]
    fn the_next_line_is_the_least_that_may_break() {
        for (now, next) in [("1.4.2", "2.0.0"), ("0.4.2", "0.5.0"), ("0.0.2", "0.0.3")] {
            assert_eq!(version(now).next_line(), next);
            assert!(version(next).breaks_with(&version(now)));
        }
    }

    #[test]
    fn a_text_that_is_no_version_reads_as_none() {
        for text in ["", "1", "1.0", "1.0.0.0", "v1.0.0", "1.0.x", "1.0.0-", "1.0.0-a..b", "1.+2.3"]
        {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }
}
