//! Finds texts that give a model instructions beyond describing a tool.
//!
//! Descriptions are full of imperatives: the order of the server's own tools, how an argument is
//! written, and what must not be sent. A pattern is therefore narrow, is matched within one sentence,
//! and does not count where the sentence negates it.

use std::sync::LazyLock;

use regex_lite::Regex;

/// The most characters of the quoted words.
const MAX_QUOTED: usize = 80;

/// Marks of prompts, which may stand around several sentences.
const MARKS: &[(&str, &str)] = &[
    (
        r"<\s*(important|system|system[_-]prompt|admin)\s*>.*<\s*/\s*(important|system|system[_-]prompt|admin)\s*>|(?-i:<IMPORTANT>|<SYSTEM>)",
        "has a tag of a prompt",
    ),
    (
        r"\[/?inst\]|<\|(im_start|im_end|system|user|assistant|endoftext)\|>|<</?sys>>",
        "has a mark of a prompt",
    ),
];

/// Patterns of instructions in a sentence, with a description for people. Case and white space do not
/// count.
const PATTERNS: &[(&str, &str)] = &[
    (
        r"\b(ignore|disregard|forget|override|bypass)\b(\s+(all|any|every|everything|of|the|these|those|from|in|and))*\s+(previous|prior|earlier|above|preceding|existing|other|your|system|safety|security)\b.{0,30}\b(instruction|prompt|rule|guideline|guardrail|polic|directive)",
        "asks to ignore instructions",
    ),
    (
        r"\b(do not|don't|never|without)\s+(ever\s+)?(tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting)\b.{0,40}\b(user|human|anyone|anybody)\b",
        "asks to hide something from the user",
    ),
    (
        r"\b(do not|don't|never|without)\s+(ask|asking)\s+(the\s+)?(user|human)\b(\s+for\s+(permission|confirmation|approval|consent)|\W*$)",
        "asks to hide something from the user",
    ),
    (
        r"\b(hide|conceal)\b.{0,30}\bfrom the (user|human)|\bkeep\s+(this|it|that|these|them)\b.{0,20}\bfrom the (user|human)",
        "asks to hide something from the user",
    ),
    (
        r"\b(your|the (model|assistant|agent)'s)\s+(own\s+)?(system|hidden|initial|original)\s+(prompt|instructions?|message)\b|(?-i:\bSYSTEM( PROMPT| MESSAGE| OVERRIDE)?:)|\b(new|updated) instructions\s*:",
        "speaks of the model's instructions",
    ),
    (
        r"\b(call|use|invoke|run|called|used|invoked|run)\b.{0,30}\b(before|prior to)\s+(using |calling |invoking |running )?(any|every|each|all)\s+(of the\s+)?(other\s+)?(tool|function|action|request|response|answer|operation|message)|\b(always|must)\b.{0,30}\b(call|use|invoke|run)\s+this\s+(tool|function)\s+first\W*$",
        "asks to be called before other tools",
    ),
    (
        r"\b(before|when|whenever|after|while|each time|every time)\s+(using|calling|invoking|you use|you call|you invoke)\s+(any|every|each|all|other|another)\b.{0,20}\b(tool|function)",
        "asks for more than its own call",
    ),
    (
        r"\b(instead of|rather than|in place of)\s+(any|all|every|the|your|a)?\s*(other|built-?in|native|default|existing)\b.{0,20}\b(tool|function)s?\b",
        "asks to be used in place of other tools",
    ),
    (
        r"(^|[,;:>(]\s*|\b(and|then|first|must|please|always|should)\s+)(read|open|cat|send|include|pass|upload|paste|copy|print|attach)\b.{0,60}(~/\.(ssh|aws|gnupg|kube|docker|netrc|npmrc|pypirc|cursor|claude|config)\b|\bid_(rsa|dsa|ecdsa|ed25519)\b|/etc/(passwd|shadow|sudoers)\b|\bmcp\.json\b|\.env\b)",
        "names private files",
    ),
    (
        r"\b(send|include|pass|put|copy|append|forward|upload|leak|exfiltrate|paste)\b.{0,30}\b((the )?(user|human|customer)'s|your|their|all|any|every|full|entire|complete|whole)\b.{0,20}\b(passwords?|api[ _-]?keys?|secrets?|credentials?|private keys?|(access|auth|session|bearer)[ _-]tokens?|conversation( history)?|chat (history|log)|message history|environment variables)\b",
        "asks for secrets or the conversation",
    ),
    (
        r"\byou are now (a|an|the|in)\b|\bfrom now on\b.{0,10}\b(you|act|behave|respond)\b|(^|\b(must|should|will|please|now)\s+)(act as|pretend (to be|that|you))\b",
        "gives the model a role",
    ),
];

/// The end of the words before a pattern that negates it.
const NEGATION: &str = r"(?i)\b(do not|don't|does not|doesn't|must not|mustn't|should not|shouldn't|cannot|can't|will not|won't|never|not|avoid|without|no need to|refrain from)\s+(\S+\s+){0,4}$";
/// Words after a negation that turn it round.
const TURNED: &str = r"(?i)\b(hesitate|forget|fail|worry|mind)\b";

/// Expressions with their descriptions.
type Compiled = Vec<(Regex, &'static str)>;

static COMPILED_MARKS: LazyLock<Compiled> = LazyLock::new(|| compiled(MARKS));
static COMPILED: LazyLock<Compiled> = LazyLock::new(|| compiled(PATTERNS));

/// [`NEGATION`] and [`TURNED`].
static NEGATIONS: LazyLock<Option<(Regex, Regex)>> =
    LazyLock::new(|| Some((Regex::new(NEGATION).ok()?, Regex::new(TURNED).ok()?)));

fn compiled(patterns: &[(&str, &'static str)]) -> Compiled {
    let compiled = patterns.iter().filter_map(|(pattern, described)| {
        Some((Regex::new(&format!("(?is){pattern}")).ok()?, *described))
    });
    compiled.collect()
}

/// Describes the instructions of a text, each kind once.
pub(super) fn instructions(text: &str) -> Vec<String> {
    let sentences = sentences(text);
    let mut descriptions: Vec<String> = Vec::new();
    let mut kinds: Vec<&str> = Vec::new();
    for (mark, kind) in &*COMPILED_MARKS {
        if let Some(words) = mark.find(text) {
            descriptions.push(format!("{kind}: `{}`", quoted(words.as_str())));
        }
    }
    for (pattern, kind) in &*COMPILED {
        if kinds.contains(kind) {
            continue;
        }
        if let Some(words) = sentences.iter().find_map(|sentence| matched(pattern, sentence)) {
            kinds.push(kind);
            descriptions.push(format!("{kind}: `{}`", quoted(words)));
        }
    }
    descriptions
}

/// Splits a text into sentences and items of lists, with single spaces.
fn sentences(text: &str) -> Vec<String> {
    let mut sentences = vec![String::new()];
    for line in text.lines() {
        let line = line.trim();
        let begins_item = line.is_empty()
            || line.starts_with(['-', '*', '•', '#'])
            || line.split_once(['.', ')']).is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        if begins_item {
            sentences.push(String::new());
        }
        for word in line.trim_start_matches(['-', '*', '•', '#', ' ']).split_whitespace() {
            let Some(sentence) = sentences.last_mut() else { continue };
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            // Typographic apostrophes are those of the patterns.
            sentence.push_str(&word.replace('\u{2019}', "'"));
            if word.ends_with(['.', '!', '?', ';']) {
                sentences.push(String::new());
            }
        }
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Returns the words of a sentence that a pattern matches, unless they are negated.
fn matched<'s>(pattern: &Regex, sentence: &'s str) -> Option<&'s str> {
    let mut matches = pattern.find_iter(sentence);
    let words = matches.find(|words| !is_negated(&sentence[..words.start()]))?;
    Some(words.as_str())
}

fn is_negated(before: &str) -> bool {
    let Some((negation, turned)) = &*NEGATIONS else { return false };
    negation.find(before).is_some_and(|words| !turned.is_match(words.as_str()))
}

fn quoted(words: &str) -> String {
    let mut quoted: String = words.chars().take(MAX_QUOTED).collect();
    if quoted.len() < words.len() {
        quoted.push('…');
    }
    quoted.escape_debug().to_string()
}

#[cfg(test)]
mod tests;
