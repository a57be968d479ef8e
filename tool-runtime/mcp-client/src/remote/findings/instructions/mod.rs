//! Finds texts that give a model instructions beyond describing a tool.
//!
//! Descriptions are full of imperatives: the order of the server's own tools, how an argument is
//! written, and what must not be sent. A pattern is therefore narrow, is matched within one sentence,
//! and does not count where the sentence negates it.

use std::sync::LazyLock;

use regex_lite::{Match, Regex};

/// The most characters of the quoted words.
const MAX_QUOTED: usize = 80;

/// The most bytes before a match in which its negation is looked for.
const MAX_CLAUSE: usize = 300;

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
        r"\b(ignore|disregard|forget)\b(\s+(all|any|every|everything|of|the|these|those|from|in|and))*\s+((previous|prior|earlier|above|preceding|your|safety|security)\b.{0,30}\b(instruction|prompt|rule|guideline|guardrail|polic|directive)|(existing|other|system)\b.{0,30}\b(instruction|prompt|guideline|guardrail|directive))",
        "asks to ignore instructions",
    ),
    (
        r"\b(override|bypass)\b(\s+(all|any|every|everything|of|the|these|those|from|in|and))*\s+(previous|prior|earlier|above|preceding|your|safety)\b.{0,15}\b(instruction|prompt|guideline|guardrail|directive)",
        "asks to ignore instructions",
    ),
    (
        r"\b(do not|don't|never|without)\s+(ever\s+)?((tell|inform|notify|alert)(ing)?|(mention|reveal|disclos|tell|say|show)(e|ing)?\b.{0,40}\bto)\s+(the\s+|your\s+|any\s+)?(user|human|anyone|anybody)s?([^'\w-]|$)",
        "asks to hide something from the user",
    ),
    (
        r"\b(do not|don't|never|without)\s+(ask|asking)\s+(the\s+)?(user|human)\b(\s+for\s+(permission|confirmation|approval|consent)|\W*$)",
        "asks to hide something from the user",
    ),
    (
        r"\b(hide|conceal|keep)\s+(this|it|that|these|them|your\s+\w+|(the\s+)?(fact|call|action|use|result|output|error)s?)\b.{0,20}\bfrom the (user|human)([^'\w-]|$)",
        "asks to hide something from the user",
    ),
    (
        r"\b(your|the (model|assistant|agent)'s)\s+(own\s+)?((system|hidden|initial|original)\s+(prompt|instructions?)|system message)\b|(?-i:\bSYSTEM( PROMPT| MESSAGE| OVERRIDE)?:)|\b(new|updated) instructions\s*:",
        "speaks of the model's instructions",
    ),
    (
        r"\b(call|use|invoke|run|called|used|invoked|run)\b.{0,30}\b(before|prior to)\s+(using |calling |invoking |running )?(any|every|each|all)\s+(of the\s+)?((other\s+)?(tool|function|response|answer)|other (action|request|operation|message|call))|\b(always|must)\b.{0,30}\b(call|use|invoke|run)\s+this\s+(tool|function)\s+first\W*$",
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
        r"\b(send|include|append|forward|upload|leak|exfiltrate|paste|pass|put|copy)\b.{0,30}\b((the )?(user|human|customer)'s|their)\b.{0,20}\b(passwords?|api[ _-]?keys?|secrets?|credentials?|private keys?|(access|auth|session|bearer)[ _-]tokens?|environment variables)\b",
        "asks for secrets or the conversation",
    ),
    (
        r"\b(send|leak|exfiltrate|forward|paste)\b.{0,30}\b(all|any|every)\b.{0,20}\b(passwords?|api[ _-]?keys?|secrets?|credentials?|private keys?|environment variables)\b",
        "asks for secrets or the conversation",
    ),
    (
        r"\b(send|include|append|forward|upload|leak|exfiltrate|paste|pass|put|copy)\b.{0,30}\b((the )?(user|human|customer)'s|your|(the )?(full|entire|complete|whole))\s+((previous|chat|message)\s+)?(conversation( history)?|chat (history|log)|message history)\b",
        "asks for secrets or the conversation",
    ),
    (
        r"\byou are now (a|an|the|in)\b|\bfrom now on\b.{0,10}\b(you|act|behave|respond)\b|(^|\byou (must|should|will)\s+(now\s+)?|\bplease\s+)(act as|pretend (to be|that|you))\b",
        "gives the model a role",
    ),
];

/// Words that negate what follows them in a clause, and one that begins the description of a switch.
const NEGATION: &str = r"(?i)\b(not|never|nor|neither|\w+n't|cannot|avoid|without|no need to|refrain from|rather than|whether)\b";
/// Words after a negation that turn it round.
const TURNED: &str = r"(?i)\b(hesitate|forget|fail|worry|mind|skip|miss)\b";
/// The end of a clause. A comma ends none within a list, such as `do not store, log or send`.
const CLAUSE_END: &str = r"(?i)[,;:()>]|\b(but|then|instead|however|must|always|please|so)\b";
/// The last items of a list before a verb.
const LISTED: &str =
    r"(?i)(,\s*\w+)*,?\s*(\w+\s+)?(or|nor)\s+$|,\s*(under|in) any (circumstances?|case),\s*$";
/// The beginning of a pattern's words that are an order not to do something.
const PROHIBITION: &str = r"(?i)^(do not|don't|never)\b";

/// Expressions with their descriptions.
type Compiled = Vec<(Regex, &'static str)>;

static COMPILED_MARKS: LazyLock<Compiled> = LazyLock::new(|| compiled(MARKS));
static COMPILED: LazyLock<Compiled> = LazyLock::new(|| compiled(PATTERNS));

static NEGATIONS: LazyLock<Option<Negations>> = LazyLock::new(Negations::compiled);

/// The expressions by which a negated pattern is recognized.
struct Negations {
    negation: Regex,
    turned: Regex,
    clause_end: Regex,
    listed: Regex,
    prohibition: Regex,
}

impl Negations {
    fn compiled() -> Option<Self> {
        Some(Self {
            negation: Regex::new(NEGATION).ok()?,
            turned: Regex::new(TURNED).ok()?,
            clause_end: Regex::new(CLAUSE_END).ok()?,
            listed: Regex::new(LISTED).ok()?,
            prohibition: Regex::new(PROHIBITION).ok()?,
        })
    }

    /// Returns whether the clause before these words negates them.
    fn negate(&self, before: &str, words: &str) -> bool {
        // `Never delete it, and do not tell the user` asks for two things.
        if self.prohibition.is_match(words) {
            return false;
        }
        let before = last_words(before);
        let list_start = self.listed.find(before).map_or(before.len(), |items| items.start());
        // The word before the list, such as in `neither store nor send`, is no item of it.
        let end =
            if self.negation.is_match(&before[list_start..]) { before.len() } else { list_start };
        let clause = &before[..end];
        let begin = self.clause_end.find_iter(clause).last().map_or(0, |mark| mark.end());
        let clause = &clause[begin..];
        self.negation
            .find_iter(clause)
            .last()
            .is_some_and(|words| !self.turned.is_match(&clause[words.end()..]))
    }
}

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
    let is_negated = |words: &Match<'s>| {
        let negations = NEGATIONS.as_ref();
        negations.is_some_and(|it| it.negate(&sentence[..words.start()], words.as_str()))
    };
    let words = pattern.find_iter(sentence).find(|words| !is_negated(words))?;
    Some(words.as_str())
}

/// Returns the end of a text, so that a text of many matches takes linear time.
fn last_words(text: &str) -> &str {
    let begin = text.len().saturating_sub(MAX_CLAUSE);
    let begin = (begin..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[begin..]
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
