//! The syntax of language tags, currencies and time zones, each as a pattern and as a check.
//!
//! A well-formed name may not exist; the host that owns the data must check that.

use crate::contract_error::Problems;

/// The schema's pattern of a UUID.
pub(crate) const UUID: &str =
    "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$";

/// The schema's pattern of a language tag: the grammar of RFC 5646, section 2.1.
///
/// A regular expression cannot check that variants and singletons do not repeat.
pub(crate) const LOCALE: &str = concat!(
    r"^(?:(?:(?:[A-Za-z]{2,3}(?:-[A-Za-z]{3}){0,3}|[A-Za-z]{4}|[A-Za-z]{5,8})",
    r"(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?",
    r"(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*",
    r"(?:-[A-WY-Za-wy-z0-9](?:-[A-Za-z0-9]{2,8})+)*",
    r"(?:-[Xx](?:-[A-Za-z0-9]{1,8})+)?|[Xx](?:-[A-Za-z0-9]{1,8})+)",
    r"|[Ee][Nn]-[Gg][Bb]-[Oo][Ee][Dd]|[Ii]-[Aa][Mm][Ii]|[Ii]-[Bb][Nn][Nn]",
    r"|[Ii]-[Dd][Ee][Ff][Aa][Uu][Ll][Tt]|[Ii]-[Ee][Nn][Oo][Cc][Hh][Ii][Aa][Nn]",
    r"|[Ii]-[Hh][Aa][Kk]|[Ii]-[Kk][Ll][Ii][Nn][Gg][Oo][Nn]|[Ii]-[Ll][Uu][Xx]",
    r"|[Ii]-[Mm][Ii][Nn][Gg][Oo]|[Ii]-[Nn][Aa][Vv][Aa][Jj][Oo]|[Ii]-[Pp][Ww][Nn]",
    r"|[Ii]-[Tt][Aa][Oo]|[Ii]-[Tt][Aa][Yy]|[Ii]-[Tt][Ss][Uu]",
    r"|[Ss][Gg][Nn]-[Bb][Ee]-[Ff][Rr]|[Ss][Gg][Nn]-[Bb][Ee]-[Nn][Ll]",
    r"|[Ss][Gg][Nn]-[Cc][Hh]-[Dd][Ee])$",
);

/// The schema's pattern of a currency.
pub(crate) const CURRENCY: &str = "^[A-Z]{3}$";

/// The schema's pattern of a time zone.
pub(crate) const TIMEZONE: &str = "^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$";

/// The schema's pattern of a trace id, beside its length: at least one digit is not zero.
pub(super) const TRACE_ID: &str = "^[0-9a-f]*[1-9a-f][0-9a-f]*$";

/// The schema's pattern of a trace's flags.
pub(super) const FLAGS: &str = "^[0-9a-f]{2}$";

macro_rules! member {
    () => {
        r"[0-9a-z][0-9a-z_*/@-]{0,255}=[ -+\--<>-~]{0,255}[!-+\--<>-~]"
    };
}

/// The schema's pattern of a trace's state: the grammar of W3C Trace Context, level 2.
///
/// A regular expression cannot check that keys do not repeat.
pub(super) const STATE: &str = concat!("^", member!(), "(,", member!(), "){0,31}$");

// The grandfathered tags that the grammar does not cover; the regular ones are ordinary tags.
const IRREGULAR: &[&str] = &[
    "en-gb-oed",
    "i-ami",
    "i-bnn",
    "i-default",
    "i-enochian",
    "i-hak",
    "i-klingon",
    "i-lux",
    "i-mingo",
    "i-navajo",
    "i-pwn",
    "i-tao",
    "i-tay",
    "i-tsu",
    "sgn-be-fr",
    "sgn-be-nl",
    "sgn-ch-de",
];

/// Checks the three texts that have a syntax of their own.
pub(crate) fn check(
    problems: &mut Problems,
    locale: Option<&str>,
    currency: Option<&str>,
    timezone: Option<&str>,
) {
    problems.check(
        locale.is_none_or(is_language_tag),
        "locale",
        "expected a well-formed BCP 47 tag, such as `de-DE`",
    );
    problems.check(
        currency.is_none_or(is_currency),
        "currency",
        "expected three capital letters as in ISO 4217, such as `EUR`",
    );
    problems.check(
        timezone.is_none_or(is_timezone),
        "timezone",
        "expected a name as in the IANA database, such as `Europe/Berlin`",
    );
}

/// Returns whether the text is a well-formed language tag (RFC 5646, sections 2.1 and 2.2).
fn is_language_tag(tag: &str) -> bool {
    let tag = tag.to_ascii_lowercase();
    if IRREGULAR.contains(&tag.as_str()) {
        return true;
    }
    let subtags: Vec<&str> = tag.split('-').collect();
    if subtags.iter().any(|subtag| !is_alphanumeric(subtag, 1..=8)) {
        return false;
    }
    let mut cursor = Subtags(&subtags);
    cursor.is_private_use() || cursor.language() && cursor.after_language()
}

/// Returns whether the text has the shape of an ISO 4217 code.
fn is_currency(code: &str) -> bool {
    code.len() == 3 && code.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Returns whether the text has the shape of a name in the IANA time zone database.
fn is_timezone(name: &str) -> bool {
    let admitted = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.split('/').all(|part| !part.is_empty() && part.bytes().all(admitted))
}

/// The remaining subtags; each part is removed from the front, in the order of the grammar.
struct Subtags<'a>(&'a [&'a str]);

impl<'a> Subtags<'a> {
    fn take_if(&mut self, fits: impl Fn(&str) -> bool) -> Option<&'a str> {
        let (first, rest) = self.0.split_first()?;
        fits(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn language(&mut self) -> bool {
        let Some(language) = self.take_if(|subtag| is_alphabetic(subtag, 2..=8)) else {
            return false;
        };
        // Only a short language has extended subtags, at most three.
        if language.len() <= 3 {
            for _ in 0..3 {
                self.take_if(|subtag| is_alphabetic(subtag, 3..=3));
            }
        }
        true
    }

    fn after_language(&mut self) -> bool {
        self.take_if(|subtag| is_alphabetic(subtag, 4..=4));
        self.take_if(is_region);
        let mut seen = Vec::new();
        while let Some(variant) = self.take_if(is_variant) {
            seen.push(variant);
        }
        while let Some(singleton) = self.take_if(|subtag| subtag.len() == 1 && subtag != "x") {
            seen.push(singleton);
            if self.take_if(is_extension).is_none() {
                return false;
            }
            while self.take_if(is_extension).is_some() {}
        }
        (self.0.is_empty() || self.is_private_use()) && are_unique(&mut seen)
    }

    fn is_private_use(&self) -> bool {
        self.0.len() > 1 && self.0[0] == "x"
    }
}

fn is_region(subtag: &str) -> bool {
    is_alphabetic(subtag, 2..=2)
        || subtag.len() == 3 && subtag.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_variant(subtag: &str) -> bool {
    subtag.len() >= 5 || subtag.len() == 4 && subtag.as_bytes()[0].is_ascii_digit()
}

fn is_extension(subtag: &str) -> bool {
    subtag.len() >= 2
}

fn is_alphabetic(subtag: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_alphanumeric(subtag: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&subtag.len()) && subtag.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

fn are_unique(subtags: &mut [&str]) -> bool {
    subtags.sort_unstable();
    subtags.windows(2).all(|pair| pair[0] != pair[1])
}
