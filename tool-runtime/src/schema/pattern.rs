//! Finds the part of a regular expression that cannot be checked.

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
