//! Patterns that declarations of OpenAI keep and drop, with texts on which Python is compared.

use serde_json::{Value, json};
use tool_runtime::Limits;
use tool_runtime::adapters::{Adapter, Dialect};
use tool_runtime::contracts::{Effect, ToolSpec};
use tool_runtime::schema::{Coerce, Validator};
use tool_runtime::testing::Instances;

use crate::rng::SeededRng;

/// Patterns that Python reads as the validator does, or wider.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "", "a", "a|b", "a|", "|a", "()", "(a)", "(?:a)", "(?:a|b)c", "((a)(b))", "^a$", "^", "$", "^$",
    "a$|^b", ".", "^.$", "a.b", "a*", "a+", "a?", "a*?", "a+?", "a??", "^a{2}$", "^a{2,}$",
    "^a{1,2}$", "^a{1,2}?$", "^(?:ab){2}$", "(a|b)*c", "(a*)*", "(a|)+b", "[a]", "[ab]", "[a-c]",
    "[^a]", "[^a-c]", "[a-]", "[-a]", "[a^]", "[.]", "[*+?]", "[(){}|]", "[$]", r"[\]]", r"[\[]",
    r"[\\]", r"[\-a]", r"[\^a]", "[,-.]", r"[!-/]", r"\d", r"^\d+$", r"\w", r"^\w+$", r"\s",
    r"^\s*$", r"[\d]", r"[\w-]", r"[\s\d]", r"[\w.+-]+@[\w-]+", r"\t", r"\n", r"\r", r"\f", r"\v",
    r"[\t\n]", r"\x41", r"[\x41-\x43]", r"\x7f", r"\u0041", r"[\u0041-\u0043]", r"\u00e9",
    r"\u2028", r"[^\u0000]", r"\.", r"\*", r"\+", r"\?", r"\(", r"\)", r"\[", r"\]", r"\{", r"\}",
    r"\|", r"\^", r"\$", r"\\", r"\/", r"\-", r"\_", r"\,", r"\@", r"\#", r"\~", r"\&", r"\!", r"\<a", r"a\>",
    r"\%", r"\:", r"\;", r"\=", r#"\""#, r"\'", r"\`", "é", "[é-ü]", "😀", "[😀-😂]", "^.{3}$",
    "a{0}b", "a{0,1}b", "}", "]", "a}",
    "a]", "a-b", "#a", " a", "a b", r"^[0-9a-f]{8}-[0-9a-f]{4}$", r"^(?:[01]\d|2[0-3]):[0-5]\d$",
    r"^[A-Z][a-z]+(?: [A-Z][a-z]+)*$", r"^https?://[^ ]+$", r"^\+?[0-9 ()-]{3,}$",
    r"^(a|b|c){1,3}$",
];

/// Patterns of Python's syntax that ECMA-262 does not have: they are kept, and the validator checks none.
const UNCHECKED: &[&str] = &["(?P<year>[0-9]+)", "(?P<_a1>a)(?P<b>b)", r"\Aa", r"^\A"];

/// Patterns that Python refuses, reads narrower, or that another checker of OpenAI refuses.
#[rustfmt::skip]
const DROPPED: &[&str] = &[
    "a*+", "a++", "a?+", "a{1,2}+", "a**", "a+*", "a{2}{3}", "(?>a)", "(?>a|b)c", "*a", "+a", "?a",
    "{1}a", "a|*", "(*)", "^*", "$+", r"\A*", "(a", "a)", "((a)", "[a", "[", r"\", "a{3,1}",
    "a{,3}", "a{,}", "a{x}", "a{1", "a{ 1}", "a{1,2", "{", "a{", "a{4294967296}", r"\p{L}",
    r"\p{Lu}+", r"\pL", r"\P{L}", r"[\p{L}]", r"\p{Script=Greek}", r"\u{41}", r"\u{1F600}",
    r"\x{41}", r"\x4", r"\u004", r"\xzz", r"\ud83d", r"\ud83d\ude00", r"\U00000041", r"\cA", r"\0",
    r"\07", r"\012", r"\1", r"(a)\1", r"(?P<a>a)(?P=a)", r"(?<a>a)\k<a>", r"\k<a>", "(?<a>a)",
    "(?'a'a)", "(?P<a>x)(?P<a>y)", "(?P<1>a)", "(?P<>a)", "(?P<a-b>a)", "(?P<é>a)", "(?P>a)",
    "(?i)a", "a(?i)b", "(?i:a)", "(?-i:a)", "(?s).", "(?m)^a", "(?x) a", "(?u)a", "(?a)a", "(?L)a",
    "(?U)a*", "(?R)a", "(?i-s:a)", "(?#note)a", "(?(1)a|b)", "(a)(?(1)b)", "(?|a|b)", "(?&a)",
    "(?1)", "(?R)", "(?=a)", "(?!a)", "(?<=a)b", "(?<!a)b", "^(?=.*a).*$", r"a\z", r"a\Z", r"\Ga",
    r"\ba", r"a\b", r"\Ba", r"\bword\b", r"\b{start}a", r"[\b]", r"\h", r"\H",
    r"\R", r"\X", r"\K", r"\N", r"\N{DIGIT ONE}", r"\a", r"\e", r"\Qa\E", r"\C", r"\l", r"\i",
    r"\y", r"\z", r"\D", r"\W", r"\S", r"[\D]", r"[\W]", r"[\S]", r"[^\d]", r"[^\w]", r"[^\s]",
    r"[^\d ]", r"[\d\D]", r"[\d-z]", r"[a-\d]", "[z-a]", "[]", "[^]", "[]a]", "[^]a]", "[[a]]",
    "[a[b]]", "[[:alpha:]]", "[[:^alpha:]]", "[[=a=]]", "[[.a.]]", "[a&&b]", "[a--b]", "[+--]",
    "[a~~b]", "[a||b]", "[[a-z]&&[^b]]", r"\é", "\\ a",
];

/// Texts on which every pattern is compared.
#[rustfmt::skip]
const TEXTS: &[&str] = &[
    "", "a", "b", "ab", "aa", "aaa", "abc", "A", "é", "ü", "😀", "ab\n", "a\n", "\n", "\t", " ",
    "\r", "\u{c}", "\u{b}", "0", "7", "42", "٣", "Ω", "ſ", "K", "_", "-", ".", "a.b", "a-b", "a b",
    "\\", "/", "[", "]", "{", "}", "(", ")", "^", "$", "|", "*", "+", "?", "\u{a0}", "\u{2028}",
    "\u{85}", "\u{1c}", "\0", "12:30", "Ada Lovelace", "word", "éword", "wordé",
    "https://a.b", "+41 (44) 123", "deadbeef-cafe", "x@y-z",
];

/// The number of texts that match a pattern and are made from it.
const MATCHING_TEXTS: u64 = 12;
/// The number of random texts for each pattern.
const RANDOM_TEXTS: usize = 60;

/// Returns each pattern, with its verdict and the texts that the validator was asked about.
///
/// # Errors
/// Patterns are kept or dropped contrary to their list, or dropped ones are not reported.
pub fn compared() -> Result<Value, String> {
    let declared_verdicts = KEPT.iter().chain(UNCHECKED).map(|pattern| compare(pattern, true));
    let dropped_verdicts = DROPPED.iter().map(|pattern| compare(pattern, false));
    let (verdicts, errors): (Vec<_>, Vec<_>) =
        declared_verdicts.chain(dropped_verdicts).partition(Result::is_ok);
    let errors: Vec<_> = errors.into_iter().filter_map(Result::err).collect();
    if errors.is_empty() { verdicts.into_iter().collect() } else { Err(errors.join("\n")) }
}

fn compare(pattern: &str, is_kept: bool) -> Result<Value, String> {
    for strict in [true, false] {
        for dialect in [Dialect::OpenAiChat, Dialect::OpenAiResponses] {
            let declared = is_declared(pattern, dialect, strict)?;
            if declared != is_kept {
                return Err(format!("{dialect}: `{pattern}` is declared: {declared}"));
            }
        }
    }
    let schema = json!({ "type": "string", "pattern": pattern });
    let Ok(validator) = Validator::compile(&schema) else {
        if is_kept && !UNCHECKED.contains(&pattern) {
            return Err(format!("the validator does not compile `{pattern}`"));
        }
        return Ok(json!({ "pattern": pattern, "kept": is_kept, "texts": [] }));
    };
    let verdicts = texts(&schema).into_iter().map(|text| {
        let value = Value::from(text.as_str()).to_string();
        let is_admitted = validator.check(&value, &Limits::new(), Coerce::Off).is_admitted();
        json!([text, is_admitted])
    });
    Ok(json!({ "pattern": pattern, "kept": is_kept, "texts": verdicts.collect::<Vec<_>>() }))
}

/// Returns whether OpenAI's declaration has the pattern; one that is dropped has to be reported.
fn is_declared(pattern: &str, dialect: Dialect, strict: bool) -> Result<bool, String> {
    let text = json!({ "type": "string", "pattern": pattern });
    let spec = ToolSpec::builder("tool", Effect::Read)
        .input_schema(
            json!({ "type": "object", "properties": { "text": text }, "required": ["text"],
            "additionalProperties": false }),
        )
        .build()
        .map_err(|error| format!("`{pattern}`: {error}"))?;
    let adapter = Adapter::builder(dialect).strict(strict).build([&spec]);
    let declared = adapter.tools()[0].schema()["properties"]["text"].get("pattern").is_some();
    let is_reported = adapter.report().losses().any(|loss| loss.keyword() == "pattern");
    if declared == is_reported {
        return Err(format!("{dialect}: `{pattern}` is declared: {declared}, in the report too"));
    }
    Ok(declared)
}

fn texts(schema: &Value) -> Vec<String> {
    let mut texts: Vec<String> = TEXTS.iter().map(|text| (*text).to_owned()).collect();
    if let Ok(instances) = Instances::for_schema(schema) {
        let made = (0..MATCHING_TEXTS).map(|seed| instances.valid(seed));
        texts.extend(made.filter_map(|value| value.as_str().map(str::to_owned)));
    }
    let mut rng = SeededRng::new(0x0070_6174_7465_726e);
    let alphabet: Vec<char> = "aabbc019_-. \n\\]}^é".chars().collect();
    for _ in 0..RANDOM_TEXTS {
        let length = rng.index(5);
        texts.push((0..length).map(|_| alphabet[rng.index(alphabet.len())]).collect());
    }
    texts
}
