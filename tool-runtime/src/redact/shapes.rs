//! The patterns of the default set, the signs that each needs, and what looks harmful and is not.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::checks;
use super::patterns::Pattern;
use super::pieces::Check::{self, Many, One};
use super::pieces::{Piece, cut};

/// When a pattern is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    /// The user's own come first.
    Own,
    /// What says by its surroundings that it is sensitive, whatever it looks like.
    Early,
    /// What looks sensitive, unless it is known to be harmless.
    Late,
}

/// What stands in every text that a pattern can match.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sign {
    /// Nothing is known of it.
    None,
    Text(&'static str),
    /// One of these.
    Either(&'static [&'static str]),
    /// So many digits.
    Digits(usize),
    /// A run so long without spaces.
    Run(usize),
    /// One of these, whatever the case of its letters, which are small here; a space; and a run so
    /// long without.
    Words(&'static [&'static str], usize),
}

/// What one look at a text tells.
#[derive(Debug, Default)]
pub(super) struct Signs {
    digits: usize,
    longest_run: usize,
    /// Which bytes there are, one bit each; the last one stands for all that are not ASCII.
    present: u128,
}

impl Signs {
    pub(super) fn of(text: &str) -> Self {
        let (mut signs, mut run) = (Self::default(), 0);
        for byte in text.bytes() {
            signs.digits += usize::from(byte.is_ascii_digit());
            run = if byte.is_ascii_whitespace() { 0 } else { run + 1 };
            signs.longest_run = signs.longest_run.max(run);
            signs.present |= bit(byte);
        }
        signs
    }

    pub(super) fn show(&self, sign: Sign, text: &str) -> bool {
        match sign {
            Sign::None => true,
            Sign::Text(part) => self.may_contain(part) && text.contains(part),
            Sign::Either(parts) => {
                parts.iter().any(|part| self.may_contain(part) && text.contains(part))
            }
            Sign::Digits(least) => self.digits >= least,
            Sign::Run(least) => self.longest_run >= least,
            Sign::Words(words, least) => {
                self.longest_run >= least
                    && self.has_space()
                    && words.iter().any(|word| self.may_spell(word))
            }
        }
    }

    /// Most texts lack some byte of what is looked for.
    fn may_contain(&self, part: &str) -> bool {
        part.bytes().all(|byte| self.present & bit(byte) != 0)
    }

    /// As [`may_contain`](Self::may_contain), whatever the letters' case.
    fn may_spell(&self, word: &str) -> bool {
        word.bytes().all(|byte| self.present & (bit(byte) | bit(byte.to_ascii_uppercase())) != 0)
    }

    fn has_space(&self) -> bool {
        b"\t\n\x0b\x0c\r ".iter().any(|space| self.present & bit(*space) != 0)
    }
}

fn bit(byte: u8) -> u128 {
    1 << byte.min(127)
}

/// One pattern of the default set: name, stage, sign, expression, check.
type Shape = (&'static str, Stage, Sign, &'static str, Check);

const SHAPES: [Shape; 22] = [
    (
        "key",
        Stage::Early,
        Sign::Text("-----BEGIN "),
        r"-----BEGIN [A-Z0-9 ]+-----(?s:.)*?(?:-----END [A-Z0-9 ]+-----|\z)",
        One(checks::whole),
    ),
    (
        "secret",
        Stage::Early,
        Sign::Either(&[":", "="]),
        r#"(?i)(?:authorization|cookie)\\*["']?\s*[:=]\s*(\\*"[^"\r\n]*"?|[^"\s][^"\r\n]*)"#,
        One(checks::whole),
    ),
    (
        "secret",
        Stage::Early,
        Sign::Either(&[":", "="]),
        r#"(?i)(?:password|passwd|passphrase|pwd|api[_-]?key|access[_-]?key|secret[_-]?key|client[_-]?secret|private[_-]?key|(?:access|auth|refresh|session)[_-]?token)\\*["']?\s*[:=]\s*(?:Some\()?(\\*"[^"\r\n]*"?|\\*'[^'\r\n]*'?|[^\s,;&"'<>)\]}]+)"#,
        One(checks::value_of_a_secret),
    ),
    (
        "secret",
        Stage::Early,
        Sign::Either(&[":", "="]),
        r#"(?i)(?:secret|token|session|signature|sig)\\*["']?\s*[:=]\s*(?:Some\()?(\\*"[^"\r\n]*"?|\\*'[^'\r\n]*'?|[^\s,;&"'<>)\]}]+)"#,
        One(checks::opaque),
    ),
    ("secret", Stage::Early, Sign::Text("://"), r#"://([^\s/?#"'<>]+)@"#, One(checks::credentials)),
    (
        "token",
        Stage::Early,
        Sign::Text("eyJ"),
        r"eyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)*",
        One(checks::whole),
    ),
    (
        "token",
        Stage::Early,
        Sign::Words(&["bearer", "basic", "token"], 8),
        r"(?i)\b(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]+)",
        One(checks::opaque),
    ),
    (
        "token",
        Stage::Early,
        Sign::Run(16),
        r"\b(?:[spr]k[-_]|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|xapp-|AIza|ya29\.|npm_|pypi-|hf_|dop_v1_|shpat_|whsec_|SG\.|AKIA|ASIA)[A-Za-z0-9._-]+",
        One(checks::key),
    ),
    (
        "email",
        Stage::Early,
        Sign::Either(&["@", "%40"]),
        r#"[^\s@<>()\[\]{},;:"'|=&?/\\]+(?:@|%40)(?:[A-Za-z0-9\u{80}-\u{10FFFF}-]+\.)+[A-Za-z\u{80}-\u{10FFFF}]{2,}"#,
        One(checks::whole),
    ),
    ("id", Stage::Late, Sign::Text("<<"), r"[A-Z0-9<]+", One(checks::machine_readable)),
    (
        "id",
        Stage::Late,
        Sign::Digits(4),
        r"(?i)(?:passport|passeport|reisepass|pasaporte|passaporto|personalausweis|(?:identity|id) ?card|driving licen[cs]e|driver'?s licen[cs]e|führerschein|permis de conduire|护照|身份证)[^A-Za-z0-9\r\n]*(?:(?:no|nr|number|nummer|num[eé]ro|n)\b[^A-Za-z0-9\r\n]*)?(?:(?:is|ist|est)\b[^A-Za-z0-9\r\n]*)?([A-Za-z0-9-]+)",
        One(checks::document),
    ),
    ("id", Stage::Late, Sign::Digits(9), r"\d{3}[ -]\d{2}[ -]\d{4}", One(checks::social_security)),
    ("id", Stage::Late, Sign::Digits(17), r"\d{17}[\dXx]", One(checks::resident)),
    (
        "id",
        Stage::Late,
        Sign::Digits(13),
        r"[12] ?\d{2} ?\d{2} ?[0-9AB]{2} ?\d{3} ?\d{3} ?\d{2}",
        One(checks::french_nir),
    ),
    (
        "id",
        Stage::Late,
        Sign::Digits(6),
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]",
        One(checks::alone),
    ),
    (
        "iban",
        Stage::Late,
        Sign::Digits(6),
        r"(?i)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9])+",
        Many(checks::ibans),
    ),
    ("card", Stage::Late, Sign::Digits(13), r"\d(?:[ \u{a0}-]?\d)+", Many(checks::cards)),
    (
        "phone",
        Stage::Late,
        Sign::Digits(8),
        r"(?:\+|00)[1-9](?:[ ().\u{a0}/-]{0,3}\d)+",
        Many(checks::international_phones),
    ),
    (
        "phone",
        Stage::Late,
        Sign::Digits(9),
        r"(?:1[ .-])?(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}|1[3-9]\d[ -]\d{4}[ -]\d{4}|1[3-9]\d{9}|\(?0[1-9]\d{0,3}\)?(?:[ /.-]{1,3}\d{2,8}){1,4}|0[1-9]\d{8,9}",
        One(checks::national_phone),
    ),
    (
        "address",
        Stage::Late,
        Sign::Digits(1),
        r"\b\d+[A-Za-z]?(?: (?:[NSEW]\.?|[A-Z][A-Za-z.'’-]*|\d+(?:st|nd|rd|th))){1,4} (?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Square|Sq|Terrace|Way|Close|Crescent|Highway|Hwy|Parkway|Pkwy)\b|(?i:\bp\.? ?o\.? box \d+|\bpostfach \d[\d ]*)|\b\d+ ?(?:bis|ter)?,? (?i:rue|avenue|boulevard|bd|place|chemin|allée|impasse|quai|route|cours)(?: (?:de|du|des|la|le|les)| (?:de )?l['’])*[ '’]?[A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}'’-]*(?:[ -][A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}'’-]*){0,3}",
        One(checks::whole),
    ),
    (
        "address",
        Stage::Late,
        Sign::Digits(1),
        r"(?:[A-Z\u{c0}-\u{de}][A-Za-z\u{c0}-\u{ff}.-]*[ -])?(?:[A-Z\u{c0}-\u{de}]?[A-Za-z\u{c0}-\u{ff}-]*(?:[Ss]traße|[Ss]trasse|[Ss]tr\.|weg|platz|allee|gasse|damm|ufer)|Weg|Platz|Allee|Gasse|Damm) \d+ ?[a-z]?\b|(?:Calle|Avenida|Avda\.|Paseo|Plaza|Viale|Piazza|Corso)(?: [A-Za-z\u{c0}-\u{ff}'’.]+){1,5},? (?:n\.?º? ?)?\d+",
        One(checks::whole),
    ),
    (
        "address",
        Stage::Late,
        Sign::Text("号"),
        r"[\u{4e00}-\u{9fff}A-Za-z0-9]*[路街道巷弄]\d+号(?:[A-Za-z0-9\u{4e00}-\u{9fff}-]{0,24}[室楼层栋])?",
        One(checks::whole),
    ),
];

/// Applied as the last one: runs that no word of a language looks like.
const RUN: Shape = ("token", Stage::Late, Sign::Run(32), r"[A-Za-z0-9+/_=-]+", One(checks::random));

/// The default set, in the order in which it is applied.
pub(super) fn patterns() -> Vec<Pattern> {
    // The expressions are constants; a test compiles them all.
    SHAPES.iter().chain([&RUN]).filter_map(pattern).collect()
}

#[cfg(test)]
pub(super) const fn size() -> usize {
    SHAPES.len() + 1
}

fn pattern((name, stage, sign, expression, check): &Shape) -> Option<Pattern> {
    let regex = Regex::new(expression).ok()?;
    Some(Pattern::new((*name).into(), regex, *stage, *sign, *check))
}

/// Keeps what has digits or runs enough for a pattern and is no secret: UUIDs, trace headers,
/// timestamps, digests that say what they are.
pub(super) fn keep_harmless<'t>(pieces: &[Piece<'t>]) -> Vec<Piece<'t>> {
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
            let kept = cut(pieces, regex, One(checks::alone), usize::MAX, Piece::Kept);
            kept.unwrap_or_else(|| pieces.to_vec())
        }
        None => pieces.to_vec(),
    }
}
