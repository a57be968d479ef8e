//! Checks that a regular expression cannot express: check digits, lengths, neighbours.

use std::ops::Range;

use super::pieces::PatternMatch;
use crate::test_cost;

/// The IBAN registry: country codes and the length of their IBANs.
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18\
    DO28EE20EG29ES24FI18FK18FO18FR27GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30\
    KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20MR27MT31MU30NI28NL18NO15OM23PK24PL28\
    PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29VA22VG24XK20\
    YE30";

type MatchPart = Option<Range<usize>>;

#[expect(clippy::unnecessary_wraps, reason = "one of several checks of the same form")]
pub(super) fn match_always(found: &PatternMatch<'_>) -> MatchPart {
    Some(found.range.clone())
}

pub(super) fn match_standalone(found: &PatternMatch<'_>) -> MatchPart {
    part(found, found.is_whole_word())
}

/// The value after a keyword such as `password`; a `Some(` without a value is excluded.
pub(super) fn value_of_a_secret(found: &PatternMatch<'_>) -> MatchPart {
    part(found, found.as_str() != "Some(")
}

/// A value that does not look like a word of a language.
pub(super) fn match_opaque_token(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str().trim_matches(['\\', '"', '\'']);
    let odd = |byte: u8| byte.is_ascii_digit() || b"+/=_~".contains(&byte);
    part(found, text.len() >= 6 && text.bytes().any(odd))
}

/// The user information of a URL, before the `@`: a password, or a token instead of a user.
pub(super) fn credentials(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    part(found, text.contains(':') || text.len() >= 16)
}

/// A long remainder after a key's prefix that is not an identifier made of words.
pub(super) fn match_prefixed_key(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str().trim_end_matches(['.', '-']);
    let long = text.len() >= 20 || (text.len() >= 15 && text.starts_with("xox"));
    let end = found.range.start + text.len();
    (long && text.bytes().any(|byte| byte.is_ascii_digit())).then_some(found.range.start..end)
}

/// A line of a passport's machine-readable zone.
pub(super) fn machine_readable(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    part(found, matches!(text.len(), 30 | 36 | 44) && text.contains("<<"))
}

/// A document number after a keyword.
pub(super) fn match_document_number(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    part(found, (6..=20).contains(&text.len()) && digits >= 4)
}

/// A Chinese address; a line such as `2号线` and the word `号码` are none.
pub(super) fn chinese_address(found: &PatternMatch<'_>) -> MatchPart {
    let mut after = found.text[found.range.end..].chars();
    let is_other_word = match after.next() {
        Some('线' | '線') => !matches!(after.next(), Some('上' | '下')),
        Some('码' | '碼') => !matches!(after.next(), Some('头' | '頭')),
        _ => false,
    };
    part(found, !is_other_word)
}

pub(super) fn social_security(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    let (area, group, serial) = (&text[..3], &text[4..6], &text[7..]);
    let issued = !matches!(area, "000" | "666") && !area.starts_with('9');
    let right = issued && group != "00" && serial != "0000";
    part(found, right && found.is_whole_word() && !found.continues_a_number())
}

/// A Chinese resident id: a date of birth, and a check digit by ISO 7064.
pub(super) fn resident(found: &PatternMatch<'_>) -> MatchPart {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECKS: &[u8] = b"10X98765432";
    let text = found.as_str().as_bytes();
    let sum: u32 = text.iter().zip(WEIGHTS).map(|(byte, weight)| value(*byte) * weight).sum();
    let check = CHECKS[sum as usize % CHECKS.len()];
    let born = matches!(&text[6..8], b"18" | b"19" | b"20")
        && (1..=12).contains(&number(&text[10..12]))
        && (1..=31).contains(&number(&text[12..14]));
    part(found, born && text[17].eq_ignore_ascii_case(&check) && found.is_whole_word())
}

/// A French social security number with its check key, including Corsican letters.
pub(super) fn french_nir(found: &PatternMatch<'_>) -> MatchPart {
    let text: String = found.as_str().replace(' ', "");
    let (body, key) = text.split_at(text.len() - 2);
    let body = body.replace("2A", "19").replace("2B", "18");
    let right = match (body.parse::<u64>(), key.parse::<u64>()) {
        (Ok(body), Ok(key)) => 97 - body % 97 == key,
        _ => false,
    };
    part(found, right && found.is_whole_word())
}

/// The IBANs of a run: the length is that of the country, and the number is 1 modulo 97 after its
/// head is moved to its end.
pub(super) fn ibans(found: &PatternMatch<'_>, parts: &mut Vec<Range<usize>>) {
    let run = found.as_str().as_bytes();
    let mut at = 0;
    while at + SHORTEST_IBAN <= run.len() {
        test_cost::count(1);
        let begins = at == 0 || !run[at - 1].is_ascii_alphanumeric();
        let part = begins.then(|| iban(found, found.range.start + at)).flatten();
        at = match part {
            Some(part) => {
                let end = part.end - found.range.start;
                parts.push(part);
                end
            }
            None => at + 1,
        };
    }
}

/// The length of the shortest IBAN of any country.
pub(super) const SHORTEST_IBAN: usize = 15;

/// The IBAN that begins at a position of a run.
fn iban(found: &PatternMatch<'_>, start: usize) -> MatchPart {
    let head = found.text.as_bytes().get(start..start + 4)?;
    if !(head[..2].iter().all(u8::is_ascii_alphabetic) && head[2..].iter().all(u8::is_ascii_digit))
    {
        return None;
    }
    let is_own = |country: &&[u8]| country[..2].eq_ignore_ascii_case(&head[..2]);
    let country = IBANS.as_bytes().chunks_exact(4).find(is_own)?;
    let length = number(&country[2..]) as usize;
    let text = &found.text[start..found.range.end];
    let ranges = text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric());
    let used: Vec<(usize, char)> = ranges.take(length).collect();
    test_cost::count(used.len());
    let last = used.last().filter(|_| used.len() == length)?.0;
    let moved = used[4..].iter().chain(&used[..4]);
    let remainder = moved.fold(0, |rest, (_, c)| match c.to_digit(36) {
        Some(digit) if digit >= 10 => (rest * 100 + digit) % 97,
        digit => (rest * 10 + digit.unwrap_or(0)) % 97,
    });
    let range = start..start + last + 1;
    let exact = PatternMatch { text: found.text, range: range.clone() };
    (remainder == 1 && exact.is_whole_word()).then_some(range)
}

/// The card numbers of a run of digits, aligned to its groups.
pub(super) fn cards(found: &PatternMatch<'_>, parts: &mut Vec<Range<usize>>) {
    let groups: Vec<Range<usize>> = groups(found).collect();
    let mut first = 0;
    while first < groups.len() {
        first += match card(found, &groups[first..]) {
            Some((part, used)) => {
                parts.push(part);
                used
            }
            None => 1,
        };
    }
}

/// The card number that begins with the first group, and its number of groups.
fn card(found: &PatternMatch<'_>, groups: &[Range<usize>]) -> Option<(Range<usize>, usize)> {
    let group = groups.first()?;
    let mut digits = String::new();
    for (next, other) in groups.iter().enumerate() {
        test_cost::count(1);
        if digits.len() + other.len() > MAX_CARD_DIGITS
            || !is_card_group(next, group.len(), other.len())
        {
            break;
        }
        digits.push_str(&found.text[other.clone()]);
        let range = group.start..other.end;
        let exact = PatternMatch { text: found.text, range: range.clone() };
        if is_card(&digits) && exact.is_whole_word() && !continues_by_point(&exact) {
            return Some((range, next + 1));
        }
    }
    None
}

/// The most digits of a card number.
const MAX_CARD_DIGITS: usize = 19;

/// The groups of digits of a match.
fn groups(found: &PatternMatch<'_>) -> impl Iterator<Item = Range<usize>> {
    let bytes = found.as_str().as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + bytes[at..].iter().position(u8::is_ascii_digit)?;
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        at = start + length;
        test_cost::count(1 + length);
        Some(found.range.start + start..found.range.start + at)
    })
}

/// Card numbers are written without separators, or with a first group of four digits.
fn is_card_group(index: usize, first: usize, length: usize) -> bool {
    index == 0 || (first == 4 && (1..=7).contains(&length))
}

fn is_card(digits: &str) -> bool {
    let head: u32 = digits.get(..4).and_then(|head| head.parse().ok()).unwrap_or(0);
    let network = match (head / 1000, digits.len()) {
        (4, length) => matches!(length, 13 | 16 | 19),
        (3, length) => {
            let clubs = matches!(head / 10, 300..=305) || matches!(head / 100, 36 | 38 | 39);
            (matches!(head / 100, 34 | 37) && length == 15)
                || (clubs && (14..=19).contains(&length))
                || (head / 100 == 35 && (16..=19).contains(&length))
        }
        (5 | 6, length) => (13..=19).contains(&length),
        (2, length) => (2221..=2720).contains(&head) && length == 16,
        _ => false,
    };
    network && luhn(digits)
}

fn luhn(digits: &str) -> bool {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits
        .bytes()
        .rev()
        .map(value)
        .enumerate()
        .map(|(place, digit)| if place % 2 == 1 { doubled(digit) } else { digit })
        .sum();
    sum % 10 == 0
}

fn continues_by_point(found: &PatternMatch<'_>) -> bool {
    let PatternMatch { text, range } = found;
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut before = text[..range.start].chars();
    let mut after = text[range.end..].chars();
    (before.next_back() == Some('.') && digit(before.next_back()))
        || (after.next() == Some('.') && digit(after.next()))
}

/// The international phone numbers of a run.
pub(super) fn international_phones(found: &PatternMatch<'_>, parts: &mut Vec<Range<usize>>) {
    let mut start = found.range.start;
    loop {
        let exact = PatternMatch { text: found.text, range: start..found.range.end };
        let Some(part) = international_phone(&exact) else { return };
        let end = part.end;
        parts.push(part);
        // Within a run, only `00` can begin another number.
        let tail = &found.text.as_bytes()[end..found.range.end];
        let begins = |four: &[u8]| matches!(four, [b'0', b'0', b'1'..=b'9', ..]);
        let Some(at) = tail.windows(4).position(begins) else { return };
        test_cost::count(at);
        start = end + at;
    }
}

/// `+` or `00`, and a number of 8 to 15 digits; of a longer run, the groups that form a number.
fn international_phone(found: &PatternMatch<'_>) -> MatchPart {
    let plus = found.as_str().starts_with('+');
    // Without a plus, only digits with separators are treated as a phone number.
    if !found.starts_at_word_boundary() || (!plus && groups(found).nth(1).is_none()) {
        return None;
    }
    let shortest = if plus { 8 } else { 10 };
    let (mut digits, mut last) = (0, None);
    for group in groups(found) {
        digits += group.len();
        if digits >= shortest + 8 {
            break;
        }
        if digits >= shortest {
            last = Some(group.end);
        }
    }
    let range = found.range.start..last?;
    let exact = PatternMatch { text: found.text, range: range.clone() };
    exact.ends_at_word_boundary().then_some(range)
}

pub(super) fn national_phone(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_digit).collect();
    let right = match digits.as_slice() {
        [b'0', ..] => (9..=12).contains(&digits.len()) && !is_date(text),
        [b'1', rest @ ..] if digits.len() == 11 && text[1..].starts_with([' ', '.', '-']) => {
            is_american(rest)
        }
        [b'1', ..] => digits.len() == 11,
        digits => is_american(digits),
    };
    part(found, right && found.is_whole_word() && !found.continues_a_number())
}

fn is_american(digits: &[u8]) -> bool {
    digits.len() == 10 && digits[0] >= b'2' && digits[3] >= b'2'
}

/// Returns whether the text begins with a date such as `01.02.2024`.
fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 6
        && bytes[2] == bytes[5]
        && b"./-".contains(&bytes[2])
        && text
            .split(['.', '/', '-'])
            .nth(2)
            .is_some_and(|year| year.starts_with("19") || year.starts_with("20"))
}

/// A run of random characters: a key, a signature, an encoded text.
pub(super) fn random(found: &PatternMatch<'_>) -> MatchPart {
    let text = found.as_str();
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 0_u8,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let kinds: Vec<u8> = text.bytes().map(kind).collect();
    let turns = kinds.windows(2).filter(|two| two[0] != two[1] && two[0] < 3 && two[1] < 3).count();
    let has = |kind: u8| kinds.contains(&kind);
    let varied = has(2) && ((has(0) && has(1)) || !has(3));
    let chance = turns * 10 >= text.len() * 3;
    let hexadecimal = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let random = if hexadecimal { is_key_length(text) } else { varied && chance };
    part(found, text.len() >= 32 && random)
}

/// Trace ids have 32 hexadecimal digits and commits 40, so these lengths are not keys.
fn is_key_length(text: &str) -> bool {
    let letters = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    letters && !matches!(text.len(), 32 | 40)
}

fn part(found: &PatternMatch<'_>, counts: bool) -> MatchPart {
    counts.then(|| found.range.clone())
}

fn value(byte: u8) -> u32 {
    u32::from(byte.wrapping_sub(b'0'))
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number, byte| number * 10 + value(*byte))
}
