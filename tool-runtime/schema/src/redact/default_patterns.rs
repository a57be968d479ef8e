//! The default patterns, their prefilters, and harmless values that look sensitive.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::checks;
use super::patterns::Pattern;
use super::pieces::MatchCheck::{self, Many, One};
use super::pieces::{TextPiece, cut};

/// Order in which patterns are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PatternStage {
    /// Custom patterns.
    Custom,
    /// Values that are sensitive by their context, whatever they look like.
    ByContext,
    /// Values that look sensitive, unless they are known to be harmless.
    ByForm,
}

/// A property of every text that a pattern can match.
#[derive(Debug, Clone, Copy)]
pub(super) enum Prefilter {
    /// No prefilter.
    None,
    Text(&'static str),
    /// One of these texts.
    Either(&'static [&'static str]),
    /// At least this number of digits.
    Digits(usize),
    /// At least this number of digits, and a space.
    DigitsAndSpace(usize),
    /// At least this number of digits in a text of at least this length in bytes.
    DigitsInLength(usize, usize),
    /// A run without spaces of at least this length.
    Run(usize),
    /// One of these words in any case (here in lower case), a space, and a run without spaces of at
    /// least this length.
    Words(&'static [&'static str], usize),
}

impl Prefilter {
    /// Returns thresholds of which every text with this property reaches at least one.
    const fn thresholds(self) -> FeatureThresholds {
        let mut least = FeatureThresholds::UNREACHABLE;
        match self {
            Self::None => least.digits = 0,
            Self::Text(part) => least.present = rarest(part),
            Self::Either(parts) => {
                let mut index = 0;
                while index < parts.len() {
                    least.present |= rarest(parts[index]);
                    index += 1;
                }
            }
            Self::Digits(digits)
            | Self::DigitsAndSpace(digits)
            | Self::DigitsInLength(digits, _) => least.digits = digits,
            Self::Run(run) | Self::Words(_, run) => least.run = run,
        }
        least
    }
}

/// The thresholds of a set of patterns: a text that reaches none of them is matched by none of the
/// patterns. Most short texts reach none.
#[derive(Debug, Clone, Copy)]
pub(super) struct FeatureThresholds {
    digits: usize,
    run: usize,
    /// One of these bytes.
    present: u128,
}

impl FeatureThresholds {
    /// Those of a set without patterns.
    pub(super) const UNREACHABLE: Self = Self { digits: usize::MAX, run: usize::MAX, present: 0 };

    /// Adds the thresholds of one more pattern.
    pub(super) fn or(self, prefilter: Prefilter) -> Self {
        let other = prefilter.thresholds();
        Self {
            digits: self.digits.min(other.digits),
            run: self.run.min(other.run),
            present: self.present | other.present,
        }
    }
}

/// Returns the bit of the byte that is probably the rarest in other texts: one that is no letter,
/// else a capital, else the first.
const fn rarest(part: &str) -> u128 {
    let (bytes, mut index, mut found) = (part.as_bytes(), 0, 0);
    while index < bytes.len() {
        let (is_letter, is_small) =
            (bytes[index].is_ascii_alphabetic(), bytes[index].is_ascii_lowercase());
        let best_byte = bytes[found];
        if best_byte.is_ascii_lowercase() && !is_small
            || best_byte.is_ascii_alphabetic() && !is_letter
        {
            found = index;
        }
        index += 1;
    }
    bit(bytes[found])
}

/// The features of a text, from one scan.
#[derive(Debug, Default)]
pub(super) struct TextFeatures {
    digits: usize,
    longest_run: usize,
    /// A bit per ASCII byte that occurs; the last one stands for all other bytes.
    present: u128,
}

impl TextFeatures {
    pub(super) fn new(text: &str) -> Self {
        let (mut features, mut run) = (Self::default(), 0);
        for byte in text.bytes() {
            features.digits += usize::from(byte.is_ascii_digit());
            run = if byte.is_ascii_whitespace() { 0 } else { run + 1 };
            features.longest_run = features.longest_run.max(run);
            features.present |= bit(byte);
        }
        features
    }

    /// Returns whether the text reaches one of these thresholds.
    pub(super) fn reaches_any(&self, least: &FeatureThresholds) -> bool {
        self.present & least.present != 0
            || self.digits >= least.digits
            || self.longest_run >= least.run
    }

    /// Returns whether the text has the property.
    pub(super) fn passes(&self, prefilter: Prefilter, text: &str) -> bool {
        match prefilter {
            Prefilter::None => true,
            Prefilter::Text(part) => self.may_contain(part) && text.contains(part),
            Prefilter::Either(parts) => {
                parts.iter().any(|part| self.may_contain(part) && text.contains(part))
            }
            Prefilter::Digits(least) => self.digits >= least,
            Prefilter::DigitsAndSpace(least) => self.digits >= least && self.has_space(),
            Prefilter::DigitsInLength(least, length) => {
                self.digits >= least && text.len() >= length
            }
            Prefilter::Run(least) => self.longest_run >= least,
            Prefilter::Words(words, least) => {
                self.longest_run >= least
                    && self.has_space()
                    && words.iter().any(|word| self.may_spell(word))
            }
        }
    }

    /// Tests single bytes first, because most texts lack one of them.
    fn may_contain(&self, part: &str) -> bool {
        part.bytes().all(|byte| self.present & bit(byte) != 0)
    }

    /// Like [`may_contain`](Self::may_contain), ignoring case.
    fn may_spell(&self, word: &str) -> bool {
        word.bytes().all(|byte| self.present & (bit(byte) | bit(byte.to_ascii_uppercase())) != 0)
    }

    fn has_space(&self) -> bool {
        b"\t\n\x0b\x0c\r ".iter().any(|space| self.present & bit(*space) != 0)
    }
}

const fn bit(byte: u8) -> u128 {
    1 << if byte < 127 { byte } else { 127 }
}

/// One default pattern: name, stage, prefilter, expression, check.
type PatternSpec = (&'static str, PatternStage, Prefilter, &'static str, MatchCheck);

/// The digits of a number, ASCII and full-width, as the contents of a character class.
macro_rules! digits {
    () => {
        "0-9０-９"
    };
}

/// The characters of a number in words.
macro_rules! numerals {
    () => {
        "〇零一二三四五六七八九十百"
    };
}

/// The number of a building, a unit or a stairway.
macro_rules! number {
    () => {
        concat!("(?:[", digits!(), "]{1,4}|[", numerals!(), "]{1,3})")
    };
}

/// The entrance of a building, which may be left out.
macro_rules! entrance {
    () => {
        concat!("(?:", number!(), "(?:[单單]元|[门門梯]))?")
    };
}

/// The name before a number.
macro_rules! place {
    () => {
        r"[\u{4e00}-\u{9fff}A-Za-z0-9]*"
    };
}

/// A number after a street, a lane, a village or an estate, in simplified and traditional characters,
/// and a flat in a numbered or lettered building.
const CHINESE_ADDRESS: &str = concat!(
    place!(),
    r"(?:(?:[路街道巷弄村庄莊屯坊园園苑寨组組邨]|邨[\u{4e00}-\u{9fff}]{1,6}[楼樓阁閣座]|胡同",
    r"|社[区區]|小[区區])[东東西南北中]?",
    concat!("(?: ?[", digits!(), numerals!(), "东東西南北中]{1,4}[段组組队隊邻鄰])*"),
    r" ?[甲乙丙丁临臨附]?",
    // A numbered lane such as `东四十条`. Without the letter it may be a clause of a law, or a measure word.
    r"|[条條][甲乙丙丁])",
    concat!("(?:[", digits!(), "]+|[", numerals!(), "]+)"),
    concat!("(?:[-－—之][", digits!(), numerals!(), "]+)?[甲乙丙丁]? ?[号號][甲乙丙丁]?"),
    concat!("(?:之[", digits!(), numerals!(), "]+)?"),
    concat!("(?:[A-Za-z", digits!(), r"\u{4e00}-\u{9fff}-]{0,24}[室楼樓層层栋棟户戶])?"),
    // `三室` may count rooms, so the number of a flat in words has three characters or more.
    "|",
    place!(),
    concat!("(?:[", digits!(), "]{1,4}[栋棟幢座]|", number!(), "[号號][楼樓])"),
    entrance!(),
    concat!("(?:[", digits!(), "]{1,4}|[", numerals!(), "]{3,5})[室號号户戶]"),
    // `三座` and `一栋` may count buildings, so the number of a room in three digits or four follows.
    "|",
    place!(),
    concat!("(?:[A-ZＡ-Ｚ]|[", numerals!(), "]{1,3})[栋棟幢座]"),
    entrance!(),
    concat!("[", digits!(), "]{3,4}室"),
);

const PATTERNS: [PatternSpec; 22] = [
    (
        "key",
        PatternStage::ByContext,
        Prefilter::Text("-----BEGIN "),
        r"-----BEGIN [A-Z0-9 ]+-----(?s:.)*?(?:-----END [A-Z0-9 ]+-----|\z)",
        One(checks::match_always),
    ),
    (
        "secret",
        PatternStage::ByContext,
        Prefilter::Either(&[":", "="]),
        r#"(?i)(?:authorization|cookie)\\*["']?\s*[:=]\s*(\\*"[^"\r\n]*"?|[^"\s][^"\r\n]*)"#,
        One(checks::match_always),
    ),
    (
        "secret",
        PatternStage::ByContext,
        Prefilter::Either(&[":", "="]),
        r#"(?i)(?:password|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|private[_-]?key|(?:access|auth|refresh|session)[_-]?token)\\*["']?\s*[:=]\s*(?:Some\()?(\\*"[^"\r\n]*"?|\\*'[^'\r\n]*'?|[^\s,;&"'<>)\]}]+)"#,
        One(checks::value_of_a_secret),
    ),
    (
        "secret",
        PatternStage::ByContext,
        Prefilter::Either(&[":", "="]),
        r#"(?i)(?:secret|token|session|signature|sig)\\*["']?\s*[:=]\s*(?:Some\()?(\\*"[^"\r\n]*"?|\\*'[^'\r\n]*'?|[^\s,;&"'<>)\]}]+)"#,
        One(checks::match_opaque_token),
    ),
    (
        "secret",
        PatternStage::ByContext,
        Prefilter::Text("://"),
        r#"://([^\s/?#"'<>]+)@"#,
        One(checks::credentials),
    ),
    (
        "token",
        PatternStage::ByContext,
        Prefilter::Text("eyJ"),
        r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)*",
        One(checks::match_always),
    ),
    (
        "token",
        PatternStage::ByContext,
        Prefilter::Words(&["bearer", "basic", "token"], 6),
        r"(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]+)",
        One(checks::match_opaque_token),
    ),
    (
        "token",
        PatternStage::ByContext,
        Prefilter::Run(15),
        r"\b(?:[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|shpat_|whsec_|SG\.|AKIA|ASIA)[A-Za-z0-9._-]+",
        One(checks::match_prefixed_key),
    ),
    (
        "email",
        PatternStage::ByContext,
        Prefilter::Either(&["@", "%40"]),
        r#"[^\s@<>()\[\]{},;:"'|=&?/\\]+(?:@|%40)(?:[A-Za-z0-9\u{80}-\u{10FFFF}-]+\.)+[A-Za-z\u{80}-\u{10FFFF}]{2,}"#,
        One(checks::match_always),
    ),
    (
        "id",
        PatternStage::ByForm,
        Prefilter::Text("<<"),
        r"[A-Z0-9<]+",
        One(checks::machine_readable),
    ),
    (
        "id",
        PatternStage::ByForm,
        Prefilter::Digits(4),
        r"(?i)(?:passport|passeport|reisepass|pasaporte|passaporto|personalausweis|(?:identity|id) ?card|driving licen[cs]e|driver'?s licen[cs]e|f[üÜ]hrerschein|permis de conduire|护照|護照|身[份分][证證]|通行[证證]|居[留住][证證]|[驾駕](?:驶|駛)?[证證照]|台胞[证證]|回[乡鄉][证證]|[军軍]官[证證])[^A-Za-z0-9\r\n]*(?:(?:no|nr|number|nummer|num[eéÉ]ro|n)\b[^A-Za-z0-9\r\n]*)?(?:(?:is|ist|est)\b[^A-Za-z0-9\r\n]*)?([A-Za-z0-9-]+)",
        One(checks::match_document_number),
    ),
    (
        "id",
        PatternStage::ByForm,
        Prefilter::Digits(9),
        r"\d{3}[ -]\d{2}[ -]\d{4}",
        One(checks::social_security),
    ),
    ("id", PatternStage::ByForm, Prefilter::Digits(17), r"\d{17}[\dXx]", One(checks::resident)),
    (
        "id",
        PatternStage::ByForm,
        Prefilter::Digits(13),
        r"[12] ?\d{2} ?\d{2} ?[0-9AB]{2} ?\d{3} ?\d{3} ?\d{2}",
        One(checks::french_nir),
    ),
    (
        "id",
        PatternStage::ByForm,
        Prefilter::Digits(6),
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
        One(checks::match_standalone),
    ),
    (
        "iban",
        PatternStage::ByForm,
        Prefilter::DigitsInLength(2, checks::SHORTEST_IBAN),
        r"(?i)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9])+",
        Many(checks::ibans),
    ),
    (
        "card",
        PatternStage::ByForm,
        Prefilter::Digits(13),
        r"\d(?:[ \u{a0}-]?\d)+",
        Many(checks::cards),
    ),
    (
        "phone",
        PatternStage::ByForm,
        Prefilter::Digits(8),
        r"(?:\+|00)[1-9](?:[ ().\u{a0}/-]{0,3}\d)+",
        Many(checks::international_phones),
    ),
    (
        "phone",
        PatternStage::ByForm,
        Prefilter::Digits(9),
        r"(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}|1[3-9]\d[ -]\d{4}[ -]\d{4}|1[3-9]\d{9}|\(?0[1-9]\d{0,3}\)?(?:[ /.-]{1,3}\d{2,8}){1,4}|0[1-9]\d{8,9}",
        One(checks::national_phone),
    ),
    (
        "address",
        PatternStage::ByForm,
        Prefilter::DigitsAndSpace(1),
        r"\b\d+[A-Za-z]?(?: (?:[NSEW]\.?|[A-Z][A-Za-z.'’-]*|\d+(?:st|nd|rd|th))){1,4} (?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Close|Crescent|Highway|Hwy|Parkway|Pkwy)\b|(?i:\bp\.? ?o\.? box \d+|\bpostfach \d[\d ]*)|\b\d+ ?(?:bis|ter)?,? (?i:rue|avenue|boulevard|bd|place|chemin|allée|impasse|quai|route|cours)(?: (?:de|du|des|la|le|les)| (?:de )?l['’])*[ '’]?[A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}'’-]*(?:[ -][A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}'’-]*){0,3}",
        One(checks::match_always),
    ),
    (
        "address",
        PatternStage::ByForm,
        Prefilter::DigitsAndSpace(1),
        r"(?:[A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}.-]*[ -])?(?:[A-Z\u{c0}-\u{de}]?[A-Za-z\u{c0}-\u{ff}-]*(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|weg|platz|allee|gasse|damm|ufer)|Weg|Platz|Allee|Gasse|Damm) \d+ ?[a-z]?\b|(?:Calle|Avenida|Avda\.|Paseo|Plaza|Viale|Piazza|Corso)(?: [A-Za-z\u{c0}-\u{ff}'’.]+){1,5},? (?:n\.?º? ?)?\d+",
        One(checks::match_always),
    ),
    (
        "address",
        PatternStage::ByForm,
        Prefilter::Either(&["号", "號", "室", "户", "戶"]),
        CHINESE_ADDRESS,
        One(checks::chinese_address),
    ),
];

/// Applied last: runs that do not look like words of a language.
const RUN: PatternSpec =
    ("token", PatternStage::ByForm, Prefilter::Run(32), r"[A-Za-z0-9+/_=-]+", One(checks::random));

/// The default set, in order of application.
pub(super) fn patterns() -> Vec<Pattern> {
    // The expressions are constants, and a test compiles all of them.
    PATTERNS.iter().chain([&RUN]).filter_map(pattern).collect()
}

#[cfg(test)]
pub(super) const fn size() -> usize {
    PATTERNS.len() + 1
}

fn pattern((name, stage, prefilter, expression, check): &PatternSpec) -> Option<Pattern> {
    let regex = Regex::new(expression).ok()?;
    Some(Pattern::new((*name).into(), regex, *stage, *prefilter, *check))
}

/// Keeps harmless values that have as many digits or as long runs as sensitive ones: UUIDs, trace
/// headers, timestamps, labelled digests.
pub(super) fn accept_harmless<'t>(pieces: &[TextPiece<'t>]) -> Vec<TextPiece<'t>> {
    static HARMLESS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
            r"|[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}",
            r"|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?",
            r"|(?:md5|sha1|sha224|sha256|sha384|sha512|blake3|pii)[:-][A-Za-z0-9+/=_-]+",
        ))
        .ok()
    });
    match &*HARMLESS {
        Some(regex) => {
            let cut_pieces =
                cut(pieces, regex, One(checks::match_standalone), usize::MAX, TextPiece::Accepted);
            cut_pieces.unwrap_or_else(|| pieces.to_vec())
        }
        None => pieces.to_vec(),
    }
}
