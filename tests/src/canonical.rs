//! Seeded JSON documents, and a comparison of two writers of canonical JSON.

use std::fmt::Write as _;

use tool_runtime::canonical::{CanonicalErrorKind, canonicalize};

/// Makes documents, the same ones for the same seed.
#[derive(Debug)]
pub struct Documents {
    state: u64,
}

/// The deepest nesting of a document.
const DEEPEST: usize = 5;

/// Common names of fields, and names that are difficult to order.
const NAMES: &[&str] = &[
    "query",
    "limit",
    "tags",
    "user_id",
    "from",
    "to",
    "city",
    "unit",
    "a",
    "aa",
    "A",
    "",
    "1",
    "10",
    "2",
    "é",
    "e\u{301}",
    "\u{e000}",
    "\u{ffff}",
    "\u{10000}",
    "😀",
    "דּ",
    "€",
    "\n",
    "\"",
    "\\",
    "/",
    "\u{7f}",
    "\u{80}",
    "\u{d7ff}",
    "\u{10ffff}",
    "\u{1}",
];

/// Characters that must or must not be escaped, or are often handled wrongly.
const CHARACTERS: &[char] = &[
    'a',
    'b',
    ' ',
    'Z',
    '0',
    '"',
    '\\',
    '/',
    '\n',
    '\r',
    '\t',
    '\u{8}',
    '\u{c}',
    '\0',
    '\u{1f}',
    '\u{7f}',
    'é',
    '€',
    '\u{2028}',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ffff}',
    '😀',
    '\u{10ffff}',
];

impl Documents {
    /// Starts a sequence of documents.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next random number (`SplitMix64`).
    fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.number() >> 33).unwrap_or(0) % bound
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// Makes the next document: valid, with unusual spellings and unordered names.
    pub fn document(&mut self) -> String {
        let mut text = String::new();
        self.value(&mut text, 0);
        text
    }

    /// Changes one byte of a document, which mostly makes it invalid.
    pub fn broken(&mut self, document: &str) -> String {
        let mut bytes = document.as_bytes().to_vec();
        let at = self.below(bytes.len());
        bytes[at] = self.one_of(b"\"\\{}[]:,0123456789-+eE.tfn u\n\x01\x80");
        String::from_utf8(bytes).unwrap_or_else(|_| format!("{document}}}"))
    }

    fn value(&mut self, text: &mut String, depth: usize) {
        self.space(text);
        // Most documents are objects; at the deepest level there are neither objects nor arrays.
        let kind = match depth {
            0 => 4 + self.below(8),
            DEEPEST => self.below(7),
            _ => self.below(9),
        };
        match kind {
            0 => text.push_str(self.one_of(&["null", "true", "false"])),
            1 | 2 => self.integer(text),
            3 => self.float(text),
            4..=6 => self.string(text),
            7 => self.array(text, depth),
            _ => self.object(text, depth),
        }
        self.space(text);
    }

    fn space(&mut self, text: &mut String) {
        if self.below(4) == 0 {
            text.push_str(self.one_of(&[" ", "  ", "\n", "\t", "\r\n"]));
        }
    }

    fn integer(&mut self, text: &mut String) {
        let magnitude = self.number() >> (11 + self.below(53));
        let sign = self.one_of(&["", "", "-"]);
        let _ = write!(text, "{sign}{magnitude}");
    }

    /// Writes a finite float of any size, in one of its spellings.
    fn float(&mut self, text: &mut String) {
        let float = f64::from_bits(self.number());
        let tenths = self.below(100_000);
        let _ = match self.below(6) {
            0 if float.is_finite() => write!(text, "{float:e}"),
            1 if float.is_finite() => write!(text, "{float:.17E}"),
            2 => write!(text, "0.{}{tenths}", "0".repeat(tenths % 9)),
            3 => write!(text, "{tenths}{}.0", "0".repeat(tenths % 20)),
            4 => write!(text, "-{}.{tenths}e{}", tenths % 10, tenths % 40),
            _ => write!(text, "{}.{:02}", tenths / 100, tenths % 100),
        };
    }

    fn string(&mut self, text: &mut String) {
        let length = self.below(12);
        let content: String = (0..length).map(|_| self.one_of(CHARACTERS)).collect();
        self.spell(text, &content);
    }

    /// Writes a string, each character in one of its spellings.
    fn spell(&mut self, text: &mut String, content: &str) {
        text.push('"');
        let plain = self.below(2) == 0;
        for character in content.chars() {
            match character {
                '\u{8}' if plain => text.push_str("\\b"),
                '\n' if plain => text.push_str("\\n"),
                '"' | '\\' if plain => text.extend(['\\', character]),
                '/' if self.below(2) == 0 => text.push_str("\\/"),
                '\0'..='\u{1f}' | '"' | '\\' => self.escape(text, character),
                _ if !plain && self.below(3) == 0 => self.escape(text, character),
                _ => text.push(character),
            }
        }
        text.push('"');
    }

    fn escape(&mut self, text: &mut String, character: char) {
        let capitals = self.below(2) == 0;
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = if capitals {
                write!(text, "\\u{unit:04X}")
            } else {
                write!(text, "\\u{unit:04x}")
            };
        }
    }

    fn array(&mut self, text: &mut String, depth: usize) {
        text.push('[');
        for at in 0..self.below(5) {
            if at > 0 {
                text.push(',');
            }
            self.value(text, depth + 1);
        }
        self.space(text);
        text.push(']');
    }

    fn object(&mut self, text: &mut String, depth: usize) {
        let mut names: Vec<&str> = (0..self.below(8)).map(|_| self.one_of(NAMES)).collect();
        // Each name appears once; their order stays random.
        for at in (0..names.len()).rev() {
            if names[..at].contains(&names[at]) {
                names.remove(at);
            }
        }
        text.push('{');
        for (at, name) in names.into_iter().enumerate() {
            if at > 0 {
                text.push(',');
            }
            self.space(text);
            self.spell(text, name);
            self.space(text);
            text.push(':');
            self.value(text, depth + 1);
        }
        self.space(text);
        text.push('}');
    }
}

/// The counts of a comparison.
#[derive(Debug, Default)]
pub struct Comparison {
    /// Valid documents.
    pub documents: usize,
    /// Documents with one byte changed that one of the writers rejects.
    pub refused: usize,
    /// Documents of both kinds for which the writers differ.
    pub different: usize,
    /// The first such document.
    pub first: Option<String>,
}

impl Comparison {
    fn note(&mut self, document: String, agrees: bool) {
        if !agrees {
            self.different += 1;
            self.first.get_or_insert(document);
        }
    }
}

/// Compares the output for this many valid documents, and for as many with one byte changed, with
/// that of the crate `serde_json_canonicalizer`.
#[must_use]
pub fn compare(documents: usize, seed: u64) -> Comparison {
    let mut made = Documents::new(seed);
    let mut found = Comparison::default();
    for _ in 0..documents {
        let document = made.document();
        let broken = made.broken(&document);
        found.documents += 1;
        let same = canonicalize(&document).ok() == serde_json_canonicalizer::pipe(&document).ok();
        let taken = canonicalize(&document).is_ok();
        found.note(document, same && taken);
        found.refused += usize::from(canonicalize(&broken).is_err());
        let agrees = agrees(&broken);
        found.note(broken, agrees);
    }
    found
}

/// Returns whether both write the same text, or both reject it.
///
/// This crate may reject documents that I-JSON excludes and the other crate's reader accepts, and
/// it reads one level deeper.
#[must_use]
pub fn agrees(text: &str) -> bool {
    match (canonicalize(text), serde_json_canonicalizer::pipe(text)) {
        (Ok(ours), Ok(theirs)) => ours == theirs,
        (Ok(_), Err(error)) => error.to_string().starts_with("recursion limit exceeded"),
        (Err(error), Ok(_)) => matches!(
            error.kind(),
            CanonicalErrorKind::DuplicateName | CanonicalErrorKind::IntegerTooLarge
        ),
        (Err(_), Err(_)) => true,
    }
}
