//! Regular expressions with the meaning of ECMA-262, and the parts of them that cannot be checked.

use std::fmt;

use regex_lite::Regex;

/// A regular expression that is matched as ECMA-262 specifies with the flag `u`.
///
/// Other classes, such as `\d`, have the same meaning in `regex-lite`.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    source: Box<str>,
    regex: Regex,
}

impl Pattern {
    pub(crate) fn new(source: &str) -> Result<Self, regex_lite::Error> {
        Ok(Self { source: source.into(), regex: Regex::new(&translated(source))? })
    }

    pub(crate) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// The expression as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.source
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// White space and line terminators of ECMA-262, as ranges of a class.
const WHITE_SPACE: &str =
    r"\t-\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}";
/// All other characters.
const NO_WHITE_SPACE: &str = r"\u{0}-\u{8}\u{E}-\u{1F}!-\u{9F}\u{A1}-\u{167F}\u{1681}-\u{1FFF}\u{200B}-\u{2027}\u{202A}-\u{202E}\u{2030}-\u{205E}\u{2060}-\u{2FFF}\u{3001}-\u{FEFE}\u{FF00}-\u{10FFFF}";
/// The line terminators, which `.` does not match.
const NO_LINE_TERMINATOR: &str = r"[^\n\r\u{2028}\u{2029}]";

/// The expression in the syntax of `regex-lite`, whose `\s` and `.` know only ASCII.
fn translated(source: &str) -> String {
    let mut result = String::with_capacity(source.len());
    let mut in_class = false;
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let (token, replacement) = match (first, in_class) {
            ('\\', _) => escaped_token(rest, in_class),
            ('.', false) => (1, NO_LINE_TERMINATOR.to_owned()),
            ('[', false) if rest.starts_with("[^]") => (3, "(?s:.)".to_owned()),
            // In a class, these have a meaning of their own in `regex-lite`.
            ('[' | '&' | '~', true) => (1, format!("\\{first}")),
            (other, _) => (other.len_utf8(), other.to_string()),
        };
        match (first, in_class) {
            ('[', false) if token == 1 => in_class = true,
            (']', true) => in_class = false,
            _ => {}
        }
        result.push_str(&replacement);
        rest = &rest[token..];
    }
    result
}

/// The length of an escape and its replacement.
fn escaped_token(rest: &str, in_class: bool) -> (usize, String) {
    let second = rest.chars().nth(1);
    let length = 1 + second.map_or(0, char::len_utf8);
    let replacement = match (second, in_class) {
        (Some('s'), true) => WHITE_SPACE.to_owned(),
        (Some('S'), true) => NO_WHITE_SPACE.to_owned(),
        (Some('s'), false) => format!("[{WHITE_SPACE}]"),
        (Some('S'), false) => format!("[^{WHITE_SPACE}]"),
        _ => rest[..length].to_owned(),
    };
    (length, replacement)
}

/// Names the first construct of ECMA-262 that `regex-lite` cannot match; `None` if there is none, or
/// if the brackets of the expression are not balanced, so that it is no expression in any syntax.
pub(crate) fn uncheckable_construct(pattern: &str) -> Option<&'static str> {
    let mut scan = PatternScan { rest: pattern, groups: 0, in_class: false, found: None };
    while scan.step()? {}
    scan.found.filter(|_| scan.groups == 0 && !scan.in_class)
}

struct PatternScan<'p> {
    rest: &'p str,
    /// The number of open groups.
    groups: usize,
    in_class: bool,
    found: Option<&'static str>,
}

impl PatternScan<'_> {
    /// Reads one token; returns false at the end, and nothing where the expression is broken.
    fn step(&mut self) -> Option<bool> {
        let Some(first) = self.rest.chars().next() else { return Some(false) };
        let construct = match (first, self.in_class) {
            ('\\', _) => escape(&self.rest[1..]),
            ('(', false) => group(self.rest),
            ('[', true) => Some("a `[` in a class"),
            _ => None,
        };
        self.found = self.found.or(construct);
        match (first, self.in_class) {
            ('(', false) => self.groups += 1,
            (')', false) => self.groups = self.groups.checked_sub(1)?,
            ('[', false) => self.in_class = true,
            (']', true) => self.in_class = false,
            _ => {}
        }
        // An escape is one token with the character after its backslash, which has to be there.
        let escaped = self.rest.chars().nth(1).filter(|_| first == '\\');
        if first == '\\' && escaped.is_none() {
            return None;
        }
        self.rest = &self.rest[first.len_utf8() + escaped.map_or(0, char::len_utf8)..];
        Some(true)
    }
}

fn group(text: &str) -> Option<&'static str> {
    let is_any = |starts: [&str; 2]| starts.iter().any(|start| text.starts_with(start));
    if is_any(["(?=", "(?!"]) {
        Some("look-ahead")
    } else if is_any(["(?<=", "(?<!"]) {
        Some("look-behind")
    } else {
        None
    }
}

/// Names the construct that begins with a backslash, from the character after it.
fn escape(text: &str) -> Option<&'static str> {
    const HIGH_SURROGATES: [&str; 4] = ["uD8", "uD9", "uDA", "uDB"];
    let starts = |start: &&str| text.get(..3).is_some_and(|text| text.eq_ignore_ascii_case(start));
    match text.chars().next()? {
        'p' | 'P' => Some("a Unicode class (`\\p`)"),
        'k' | '1'..='9' => Some("a back-reference"),
        'c' => Some("a control escape (`\\c`)"),
        '0' => Some("a null escape (`\\0`)"),
        'u' if HIGH_SURROGATES.iter().any(starts) => Some("a surrogate (`\\uD800` and above)"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn matches(pattern: &str, admitted: &[&str], refused: &[&str]) {
        let compiled = Pattern::new(pattern).expect("a pattern");
        assert_eq!((compiled.as_str(), compiled.to_string()), (pattern, pattern.to_owned()));
        for (texts, expected) in [(admitted, true), (refused, false)] {
            for text in texts {
                assert_eq!(compiled.is_match(text), expected, "{pattern} {text:?}");
            }
        }
    }

    #[test]
    fn white_space_and_the_dot_are_those_of_ecma_262() {
        let spaces = [
            "\t", "\n", "\u{B}", "\u{C}", "\r", " ", "\u{A0}", "\u{1680}", "\u{2000}", "\u{200A}",
            "\u{2028}", "\u{2029}", "\u{202F}", "\u{205F}", "\u{3000}", "\u{FEFF}",
        ];
        let others = ["a", "\u{85}", "\u{180E}", "\u{200B}", "\u{2060}", "\0", "é", "😀", "_"];
        for (pattern, negated) in
            [(r"^\s$", r"^\S$"), (r"^[\s]$", r"^[^\s]$"), (r"^[^\S]$", r"^[\S]$")]
        {
            matches(pattern, &spaces, &others);
            matches(negated, &others, &spaces);
        }
        matches(
            "^.$",
            &["a", "\u{85}", "\u{B}", "😀", " "],
            &["\n", "\r", "\u{2028}", "\u{2029}", "ab"],
        );
        matches(r"^[\s\S]$", &["\n", "a", "\u{2028}"], &[""]);
        matches("^[^]$", &["\n", "a"], &[""]);
    }

    #[test]
    fn what_only_looks_like_white_space_or_a_dot_keeps_its_meaning() {
        matches(r"^\\s\.$", &[r"\s."], &[r"\ ."]);
        matches("^[.]$", &["."], &["a"]);
        matches(r"^[\].]$", &["]", "."], &["a"]);
        matches("^[a&&b~~[]$", &["a", "&", "b", "~", "["], &["c"]);
        matches(r"^[\d\s-]+$", &["1 -"], &["a"]);
    }

    #[track_caller]
    fn check(pattern: &str, construct: Option<&str>) {
        assert_eq!(uncheckable_construct(pattern), construct, "{pattern}");
    }

    #[test]
    fn the_first_construct_that_cannot_be_checked_is_named() {
        check(r"^(?!\.)(?!.*\.\.)[a-z@]+$", Some("look-ahead"));
        check(r"(?<=a)b\1", Some("look-behind"));
        check(
            r"^(\p{Extended_Pictographic}|\p{Emoji_Component})+$",
            Some("a Unicode class (`\\p`)"),
        );
        check(r"(a)\1", Some("a back-reference"));
        check(r"^[a-z]+$", None);
    }

    #[test]
    fn a_parenthesis_escaped_or_in_a_class_is_no_group() {
        check(r"\(?=a", None);
        check("[(?=]", None);
        check("[a[]", Some("a `[` in a class"));
        check(r"[\]](?=a)", Some("look-ahead"));
    }

    #[test]
    fn a_pattern_that_is_no_expression_is_not_excused() {
        for pattern in ["(?=a", "(?=a))", "[(?=a)", r"(?=a)\"] {
            check(pattern, None);
        }
    }
}
