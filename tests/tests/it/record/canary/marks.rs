//! Unique values, and every form in which they may be found again.

use serde_json::{Value, json};

/// The kind of a value, which decides where it may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An argument that its schema calls secret.
    Secret,
    /// Something in the context's `auth`.
    Credential,
    /// An argument that its schema calls personal.
    Personal,
    /// The value of a field that no schema declares.
    Stranger,
    /// A value that a pattern finds in unmarked text.
    FreeText,
    /// The caller's idempotency key.
    Key,
    /// A value that an answer's schema marks as secret.
    Answered,
}

/// One planted value.
#[derive(Debug)]
pub(super) struct Mark {
    pub(super) kind: Kind,
    /// The place where it was planted.
    pub(super) place: &'static str,
    pub(super) text: &'static str,
}

const fn mark(kind: Kind, place: &'static str, text: &'static str) -> Mark {
    Mark { kind, place, text }
}

// Some need escaping in JSON, some in a URL, one is a number.
pub(super) const TOKEN: &str = r#"tQ7"vX/9ü +kZ2mWp"#;
pub(super) const CODE: &str = "7301948265531";
pub(super) const PIN: &str = r"pN4\hR+8 sLq0Bd/e";
pub(super) const OPTIONAL: &str = "oP3dS%41k7Tc5Xa&";
pub(super) const PAYMENT: &str = "eC5xJ~w3?Yt=6Ku<b>";
pub(super) const LISTED: &str = "vL8mG=r2#Fz9Hn1\t0";
pub(super) const MAPPED: &str = "mK6bV:q0;Wj2Re8é";
pub(super) const EDITED: &str = "eD2nU/y7+Lb4Gs9o";
pub(super) const PERSON: &str = "Quvex \"Zil\" Ötko-Marr";
pub(super) const NAME: &str = "Brontz Ævik Halloqu";
pub(super) const BILLED: &str = "Wynd & Tarpole Osmix";
pub(super) const LABEL: &str = "Yolker+Druif/Praxem";
pub(super) const BEARER: &str = r#"bR9/"fT2 +wQ6cYm4"#;
pub(super) const NESTED_KEY: &str = "nG1zE~k5%Hx8Ud3v";
pub(super) const STRANGER: &str = "sT4pA/u6+Of7Iq0j";
pub(super) const CARD: &str = "4539578763621486";
pub(super) const EMAIL: &str = "wopla.trezin@fexmail.example";
pub(super) const KEY: &str = "kY8aM-d5/Cv3Sw1r";
pub(super) const RECEIPT: &str = "rC7iB+g2/Nx6Lo9h";

/// All that is planted.
pub(super) const MARKS: [Mark; 19] = [
    mark(Kind::Secret, "a parameter", TOKEN),
    mark(Kind::Secret, "a number", CODE),
    mark(Kind::Secret, "a field of a struct", PIN),
    mark(Kind::Secret, "an option", OPTIONAL),
    mark(Kind::Secret, "a variant of an enum", PAYMENT),
    mark(Kind::Secret, "an item of a list", LISTED),
    mark(Kind::Secret, "a value of a map", MAPPED),
    mark(Kind::Secret, "edited arguments", EDITED),
    mark(Kind::Personal, "a parameter", PERSON),
    mark(Kind::Personal, "a field of a struct", NAME),
    mark(Kind::Personal, "a variant of an enum", BILLED),
    mark(Kind::Personal, "an item of a list", LABEL),
    mark(Kind::Credential, "auth", BEARER),
    mark(Kind::Credential, "an object in auth", NESTED_KEY),
    mark(Kind::Stranger, "an unknown field", STRANGER),
    mark(Kind::FreeText, "a card in a note", CARD),
    mark(Kind::FreeText, "an e-mail in a note", EMAIL),
    mark(Kind::Key, "the idempotency key", KEY),
    mark(Kind::Answered, "a field of the answer", RECEIPT),
];

/// Returns the arguments that every tool takes, with a mark in each place.
pub(super) fn arguments(act: &str) -> Value {
    let login = |pin: &str| json!({"name": NAME, "pin": pin, "spare": OPTIONAL, "note": "none"});
    json!({
        "act": act,
        "token": TOKEN,
        "person": PERSON,
        "sent": {
            "code": CODE.parse::<u64>().unwrap(),
            "login": login(PIN),
            "logins": [login(LISTED)],
            "labels": [LABEL],
            "payments": {"first": {"card": [PAYMENT, 7]}, "second": {"bill": {"to": BILLED}}},
            "keys": {"house": {"key": MAPPED}},
            "note": format!("pay by {CARD} and write to {EMAIL}"),
        },
    })
}

/// Returns the text of a careless tool: all its values, in every form in which a log may show
/// them.
pub(super) fn quote(given: impl Fn(&Mark) -> bool) -> String {
    let marks = MARKS.iter().filter(|mark| given(mark)).map(|mark| {
        let text = mark.text;
        if mark.kind == Kind::FreeText {
            // A value without a schema is recognized only by its form.
            return format!("got {text}, {text:?}.");
        }
        let login = base64(format!("user:{text}").as_bytes(), STANDARD);
        let (percent, hex) = (percent(text, true, "%20"), hex(text, false));
        format!("got {text}, {text:?}, ?q={percent}&x=1, Basic {login}, 0x{hex}.")
    });
    marks.collect::<Vec<_>>().join("\n")
}

/// Returns the forms of a mark, with their names.
pub(super) fn forms(text: &str) -> Vec<(&'static str, String)> {
    let escaped = |text: &str| json!(text).to_string().trim_matches('"').to_owned();
    let once = json!(text).to_string();
    let once = &once[1..once.len() - 1];
    let ascii: String = once.chars().map(ascii).collect();
    let mut forms = vec![
        ("raw", text.to_owned()),
        ("in JSON", once.to_owned()),
        ("in JSON in JSON", escaped(once)),
        ("in JSON of ASCII alone", ascii),
        ("as Debug has it", text.escape_debug().to_string()),
        ("percent-encoded", percent(text, true, "%20")),
        ("percent-encoded, small", percent(text, false, "%20")),
        ("of a form", percent(text, true, "+")),
        ("of a form, small", percent(text, false, "+")),
        ("in hexadecimal", hex(text, false)),
        ("in hexadecimal, big", hex(text, true)),
    ];
    for offset in 0..3 {
        forms.push(("in Base64", base64_inside(text, offset, STANDARD)));
        forms.push(("in Base64 for URLs", base64_inside(text, offset, FOR_URLS)));
    }
    forms
}

/// In which form a text holds a mark, if it does, and where it begins.
pub(super) fn found(text: &str, mark: &Mark) -> Option<(&'static str, usize)> {
    let mut forms = forms(mark.text).into_iter();
    forms.find_map(|(name, form)| Some((name, text.find(&form)?)))
}

fn ascii(character: char) -> String {
    if character.is_ascii() {
        return character.to_string();
    }
    let mut units = [0; 2];
    let units = character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}"));
    units.collect::<Vec<_>>().concat()
}

fn percent(text: &str, big: bool, space: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        b' ' => space.to_owned(),
        _ if big => format!("%{byte:02X}"),
        _ => format!("%{byte:02x}"),
    };
    text.bytes().map(encoded).collect()
}

fn hex(text: &str, big: bool) -> String {
    let digits = |byte| if big { format!("{byte:02X}") } else { format!("{byte:02x}") };
    text.bytes().map(digits).collect()
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const FOR_URLS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 without padding.
fn base64(bytes: &[u8], alphabet: &[u8; 64]) -> String {
    let group = |group: &[u8]| {
        let bits =
            (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        let letters = (0..4).map(|at| alphabet[(bits >> (18 - 6 * at) & 63) as usize]);
        letters.map(char::from).take(group.len() + 1).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// Returns the part of a text's Base64 that does not depend on its surroundings, at this offset in
/// a group.
fn base64_inside(text: &str, offset: usize, alphabet: &[u8; 64]) -> String {
    let bytes = [&vec![0; offset], text.as_bytes()].concat();
    let encoded = base64(&bytes, alphabet);
    encoded[(8 * offset).div_ceil(6)..8 * bytes.len() / 6].to_owned()
}

#[test]
fn a_mark_is_found_in_every_form() {
    for mark in MARKS {
        for text in [format!("a{}b", mark.text), json!([mark.text, 1]).to_string()] {
            assert!(found(&text, &mark).is_some(), "{text}");
        }
        for around in ["", "a", "ab"] {
            let text = format!("{around}{}{around}.", mark.text);
            for alphabet in [STANDARD, FOR_URLS] {
                let encoded = format!("x.{}.y", base64(text.as_bytes(), alphabet));
                assert!(found(&encoded, &mark).is_some(), "{text}");
            }
        }
        for encoded in [percent(mark.text, false, "+"), hex(mark.text, true)] {
            assert!(found(&encoded, &mark).is_some(), "{encoded}");
        }
        assert_eq!(found("nothing of that", &mark), None);
    }
    assert_eq!(base64(b"any carnal pleas", STANDARD), "YW55IGNhcm5hbCBwbGVhcw");
}
