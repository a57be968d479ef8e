//! The meaning of patterns, construct by construct, where `regex-lite` and ECMA-262 differ.

use super::*;

#[track_caller]
fn matches(pattern: &str, admitted: &[&str], refused: &[&str]) {
    let compiled = Pattern::new(pattern).expect(pattern);
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
    for (pattern, negated) in [(r"^\s$", r"^\S$"), (r"^[\s]$", r"^[^\s]$"), (r"^[^\S]$", r"^[\S]$")]
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
fn digits_words_and_anchors_are_ascii_and_of_one_line() {
    matches(r"^\d$", &["7"], &["٧", "a"]);
    matches(r"^\D$", &["٧", "a"], &["7"]);
    matches(r"^\w$", &["z", "_", "0"], &["é", "-"]);
    matches(r"^\W$", &["é", "-"], &["z"]);
    matches(r"^é\b", &["éa"], &["é a"]);
    matches("^a$", &["a"], &["a\n", "b\na"]);
    matches("^(?:a|b)*?c{1,2}c{0}d{1,}$", &["abccd", "cdd"], &["abd", "cccd"]);
}

#[test]
fn what_only_looks_like_white_space_or_a_dot_keeps_its_meaning() {
    matches(r"^\\s\.$", &[r"\s."], &[r"\ ."]);
    matches("^[.]$", &["."], &["a"]);
    matches(r"^[\].]$", &["]", "."], &["a"]);
    matches("^[a&&b~~[]$", &["a", "&", "b", "~", "["], &["c"]);
    matches(r"^[\d\s-]+$", &["1 -"], &["a"]);
    matches("^a b#c$", &["a b#c"], &["abc"]);
}

#[test]
fn a_hyphen_beside_a_class_is_a_literal() {
    matches(r"^[\w\s-.]+$", &["a -."], &["+", ","]);
    matches(r"^[a-z\s-_.]+$", &["a -_."], &["A", "\\"]);
    matches(r"^[!-\s]$", &["!", "-", " "], &["\"", "+"]);
    matches(r"^[\s-～]$", &["-", "～", " "], &["a", "é"]);
    matches(r"^[\d-\w]$", &["-", "a"], &["."]);
    matches("^[-a]$", &["-", "a"], &["b"]);
    matches("^[a-]$", &["-", "a"], &["b"]);
    matches("^[+--]$", &["+", ",", "-"], &[".", "*"]);
    matches("^[--/]$", &["-", ".", "/"], &[","]);
    matches(r"^[\x41-\u{43}]$", &["A", "B", "C"], &["D", "-"]);
}

#[test]
fn escapes_have_the_characters_of_ecma_262() {
    matches(r"^[\b]$", &["\u{8}"], &["b"]);
    matches(r"^\<b\>\-\_\é$", &["<b>-_é"], &["b"]);
    matches(r"^\0[\0]\cA\cz$", &["\0\0\u{1}\u{1A}"], &["00AZ"]);
    matches(r"^\t\n\v\f\r$", &["\t\n\u{B}\u{C}\r"], &["tnvfr"]);
    matches(r"^\x41\u0042\u{00000043}$", &["ABC"], &[]);
    matches(r"^\uD83D\uDE00[\uD83D\uDE00]\u{1F600}$", &["😀😀😀"], &[]);
}

#[test]
fn an_empty_class_and_braces_are_read_as_ecma_262_does() {
    matches("a[]|b", &["b"], &["a", "a]"]);
    matches("^{[a-z]+}$", &["{ab}"], &["ab"]);
    matches(r"^a\b{start}$", &["a{start}"], &["a"]);
    matches("^a{}{b}{1$", &["a{}{b}{1"], &["a"]);
    matches("^]}$", &["]}"], &[]);
    matches("^(?<year>[0-9]+)(?<$a_1>b)$", &["1b"], &["b"]);
}

#[track_caller]
fn check(pattern: &str, construct: Option<&str>) {
    assert_eq!(uncheckable_construct(pattern), construct, "{pattern}");
}

#[test]
fn the_first_construct_that_cannot_be_checked_is_named() {
    check(r"^(?!\.)(?!.*\.\.)[a-z@]+$", Some("look-ahead"));
    check(r"(?<=a)b\1", Some("look-behind"));
    check(r"^(\p{Extended_Pictographic}|\p{Emoji_Component})+$", Some("a Unicode class (`\\p`)"));
    check(r"(a)\1", Some("a back-reference"));
    check(r"(?<n>a)\k<n>", Some("a back-reference"));
    check(r"[\uD800-\uDFFF]", Some("a surrogate (`\\uD800` and above)"));
    check(r"\uDE00\uD83D", Some("a surrogate (`\\uD800` and above)"));
    check(r"\01", Some("an octal escape"));
    check(r"[\1]", Some("an octal escape"));
    check("(a{1000}){1000}", Some("a pattern that is too large or too deep"));
    check("a{99999999999}", Some("a pattern that is too large or too deep"));
    check(
        &format!("{}a{}", "(".repeat(999), ")".repeat(999)),
        Some("a pattern that is too large or too deep"),
    );
    check(r"^[a-z]+$", None);
}

#[test]
fn what_only_other_syntaxes_have_is_not_checked() {
    let escape = Some("an escape of another syntax, such as `\\A`, `\\z` or `\\x{41}`");
    for pattern in [
        r"\Aab\z",
        r"ab\Z",
        r"\a",
        r"\e",
        r"\h",
        r"\Qa\E",
        r"\x{41}",
        r"\x4",
        r"\u004",
        r"\U00000041",
        r"\u{110000}",
        r"\c1",
        r"[\B]",
        r"[\A]",
        r"\G",
    ] {
        check(pattern, escape);
    }
    for pattern in ["(?i)ab", "(?x)a b", "(?i:ab)", "(?-s:a)", "(?s-i:a)"] {
        check(pattern, Some("a flag in the pattern (`(?i)`)"));
    }
    for pattern in ["(?P<n>a)", "(?>a)", "(?'n'a)", "(?<a.b>x)", "(?<1>x)", "(?#a)", "(?|a)"] {
        check(pattern, Some("a group of another syntax, such as `(?P<name>)` or `(?>)`"));
    }
    for pattern in ["a**", "a*+", "a++", "a*??", "a{2}{3}", "^*", r"\b+", "${2}"] {
        check(pattern, Some("a repetition of an anchor or of another repetition"));
    }
    check("a{,3}", Some("a repetition without a minimum (`{,3}`)"));
    check("[[:alpha:]]", Some("a POSIX class (`[:alpha:]`)"));
    check("[^[:^space:]]", Some("a POSIX class (`[:alpha:]`)"));
    check("[]a]", Some("a class that begins with `]`"));
    check("[^]a]", Some("a class that begins with `]`"));
}

#[test]
fn a_parenthesis_escaped_or_in_a_class_is_no_group() {
    check(r"\(?=a", None);
    check("[(?=]", None);
    check("[a[]", None);
    check(r"[\]](?=a)", Some("look-ahead"));
}

#[test]
fn a_pattern_that_is_no_expression_is_an_error() {
    for (pattern, problem) in [
        ("(?=a", "a group is not closed"),
        ("(?=a))", "a `)` closes no group"),
        ("[(?=a)", "a class is not closed"),
        ("[a-", "a class is not closed"),
        (r"[\A", "a class is not closed"),
        (r"(?=a)\", "the pattern ends with a backslash"),
        ("*a", "a repetition repeats nothing"),
        ("a|+", "a repetition repeats nothing"),
        ("(?:{2})", "a repetition repeats nothing"),
        ("a{3,1}", "a repetition has a minimum above its maximum"),
        ("[z-a]", "a range of a class is out of order"),
        ("[a--z]", "a range of a class is out of order"),
    ] {
        assert_eq!(Pattern::new(pattern).err(), Some(PatternError::Syntax(problem)), "{pattern}");
        check(pattern, None);
    }
}
