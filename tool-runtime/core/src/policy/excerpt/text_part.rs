//! Parts of an answer's JSON text, as a model reads them: of a text of the tool without its quotes and escapes.

/// A part of an answer's JSON text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextPart {
    pub(super) text: String,
    /// The bytes of JSON that the part has.
    pub(super) length: usize,
}

/// The longest escape of a character, which a part has as a whole: a pair of surrogates.
pub(super) const LONGEST_ESCAPE: usize = r"\ud83c\udf75".len();

impl TextPart {
    /// Returns the first part of a whole answer, of at most `limit` bytes of JSON.
    pub(super) fn first(json: &str, limit: usize) -> Self {
        let mut end = limit.min(json.len());
        while !json.is_char_boundary(end) {
            end -= 1;
        }
        let part = json.get(..end).unwrap_or_default();
        if json.starts_with('"') { Self::from_text(part, true) } else { Self::from_json(part) }
    }

    /// Returns a part as it is stored.
    pub(super) fn from_json(part: &str) -> Self {
        Self { text: part.to_owned(), length: part.len() }
    }

    /// Returns a part of a JSON string without its escapes. An escape that its end splits belongs to the
    /// next part.
    ///
    /// `is_first` tells that it begins with the opening quote.
    pub(super) fn from_text(part: &str, is_first: bool) -> Self {
        let begin = usize::from(is_first).min(part.len());
        let inner = part.get(begin..).unwrap_or_default();
        let end = whole_characters(inner.as_bytes());
        let escaped = inner.get(..end).unwrap_or_default();
        let is_last = inner.as_bytes().get(end) == Some(&b'"');
        let length = begin + end + usize::from(is_last);
        match serde_json::from_str(&format!("\"{escaped}\"")) {
            Ok(text) => Self { text, length },
            // It does not begin between two characters.
            Err(_) => Self::from_json(part),
        }
    }
}

/// Returns the end of the last whole character of a JSON string's inside, which ends at a quote.
fn whole_characters(inner: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let escaped = match inner.get(at..).unwrap_or_default() {
            [] | [b'"', ..] => return at,
            [b'\\', b'u', b'd' | b'D', b'8'..=b'9' | b'a' | b'b' | b'A' | b'B', ..] => {
                LONGEST_ESCAPE
            }
            [b'\\', b'u', ..] => r"\u0000".len(),
            [b'\\', ..] => r"\n".len(),
            [_, ..] => 1,
        };
        if at + escaped > inner.len() {
            return at;
        }
        at += escaped;
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_ESCAPE, TextPart};

    #[test]
    fn the_parts_of_a_text_are_the_text_however_it_is_split() {
        let text = "a\"\\\n\u{1}茶\u{1f375}é/{\u{7f}";
        let escaped = r#""a\"\\\n\u0001\u8336\ud83c\udf75\u00e9\/{\u007f""#;
        for json in [serde_json::to_string(text).expect("it is written"), escaped.to_owned()] {
            for limit in LONGEST_ESCAPE..=json.len() {
                let mut part = TextPart::first(&json, limit);
                let (mut read, mut at) = (part.text, part.length);
                while at < json.len() {
                    let mut end = (at + limit).min(json.len());
                    while !json.is_char_boundary(end) {
                        end -= 1;
                    }
                    part = TextPart::from_text(&json[at..end], false);
                    assert!(part.length > 0, "{json} at {at} of {limit}");
                    read.push_str(&part.text);
                    at += part.length;
                }
                assert_eq!((&*read, at), (text, json.len()), "{limit}");
            }
        }
    }

    #[test]
    fn a_part_of_other_json_is_its_beginning() {
        let part = TextPart::first(r#"{"a":"é"}"#, 7);
        assert_eq!((&*part.text, part.length), (r#"{"a":""#, 6));
        assert_eq!(TextPart::first("", 10).length, 0);
        assert_eq!(TextPart::first("\"", 10).length, 1);
    }
}
