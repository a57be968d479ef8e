//! Splits texts into passages, which are kept or left out as a whole.

use std::ops::Range;

/// The bytes after which a passage ends at the next space, whatever it is.
const SOFT_PASSAGE_BYTES: usize = 800;
/// The bytes after which a passage ends even inside of a word.
const MAX_PASSAGE_BYTES: usize = 4_000;

/// Splits a text into sentences and lines, each with the white space after it. The passages cover
/// the text.
pub(super) fn sentences(text: &str) -> Sentences<'_> {
    Sentences { text, start: 0 }
}

pub(super) struct Sentences<'t> {
    text: &'t str,
    start: usize,
}

impl Iterator for Sentences<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let tail = self.text.get(self.start..).filter(|rest| !rest.is_empty())?;
        let start = self.start;
        self.start += sentence_length(tail);
        Some(start..self.start)
    }
}

/// Returns the length of the first sentence, with the white space after it.
fn sentence_length(text: &str) -> usize {
    let mut letters = text.char_indices();
    let mut ends = false;
    // The end of the escape of JSON that began last.
    let mut escaped = 0;
    while let Some((at, letter)) = letters.next() {
        let begins_escape = letter == '\\' && at >= escaped;
        if begins_escape {
            escaped = at + escape_length(&text[at..]);
        }
        let is_over = match letter {
            '\n' | '。' | '！' | '？' => true,
            // A line break inside of a string of JSON.
            '\\' if begins_escape && text[at..].starts_with("\\n") => {
                letters.next();
                true
            }
            letter if letter.is_whitespace() => ends || at >= SOFT_PASSAGE_BYTES,
            letter => at >= MAX_PASSAGE_BYTES && at + letter.len_utf8() >= escaped,
        };
        if is_over {
            return at_end_of_space(text, letters.offset());
        }
        ends = match letter {
            '.' | '!' | '?' | '…' => true,
            // Closing marks after the end of a sentence.
            '"' | '\'' | ')' | ']' | '”' | '’' | '*' | '_' => ends,
            _ => false,
        };
    }
    text.len()
}

/// Returns the length of an escape of JSON, both halves of a surrogate pair together.
fn escape_length(text: &str) -> usize {
    let unicode = |text: &str| text.starts_with("\\u").then_some(6);
    let is_high = text.get(2..4).is_some_and(|digits| {
        matches!(digits.as_bytes(), [b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B'])
    });
    match unicode(text) {
        Some(first) if is_high => first + text.get(first..).and_then(unicode).unwrap_or(0),
        Some(first) => first,
        None => 2,
    }
}

fn at_end_of_space(text: &str, from: usize) -> usize {
    text.len() - text[from..].trim_start().len()
}

/// Splits a text into pieces of a few sentences, each of at most so many bytes; a longer sentence is
/// split between any two characters. The pieces cover the text, and an empty text is one piece.
pub(super) fn short_pieces(text: &str, max_bytes: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut start, mut end) = (0, 0);
    for sentence in sentences(text) {
        if sentence.end - start > max_bytes && end > start {
            pieces.push(&text[start..end]);
            start = end;
        }
        end = sentence.end;
        while end - start > max_bytes {
            let is_boundary = |cut: &usize| text.is_char_boundary(*cut);
            let cut = (start + 1..=start + max_bytes).rev().find(is_boundary).unwrap_or(end);
            pieces.push(&text[start..cut]);
            start = cut;
        }
    }
    if end > start || pieces.is_empty() {
        pieces.push(&text[start..]);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).map(|range| &text[range]).collect();
        assert_eq!(found, expected);
        assert_eq!(found.concat(), text);
    }

    #[test]
    fn sentences_and_lines_are_passages() {
        check("One. Two! \"Three?\" four", &["One. ", "Two! ", "\"Three?\" ", "four"]);
        check("a\n\n  b\nc", &["a\n\n  ", "b\n", "c"]);
        check("它是绿茶。很好喝！", &["它是绿茶。", "很好喝！"]);
        check("costs 49.99 today", &["costs 49.99 today"]);
        check("", &[]);
    }

    #[test]
    fn line_breaks_inside_of_json_end_a_passage() {
        check(r"one\ntwo\\three", &[r"one\n", r"two\\three"]);
        check(r"C:\\new\nC:\\notes", &[r"C:\\new\n", r"C:\\notes"]);
    }

    #[test]
    fn long_texts_without_an_end_are_split() {
        let words = "word ".repeat(1_000);
        assert!(sentences(&words).all(|range| range.len() <= SOFT_PASSAGE_BYTES + 5));
        let letters = "ä".repeat(10_000);
        assert!(sentences(&letters).all(|range| range.len() <= MAX_PASSAGE_BYTES + 2));
    }

    #[test]
    fn short_pieces_cover_the_text() {
        let long = "茶".repeat(2_000);
        for text in ["", "One. Two. ", &long, &"One. ".repeat(900), &" ".repeat(5_000)] {
            let pieces = short_pieces(text, 1_000);
            assert!(pieces.iter().all(|piece| piece.len() <= 1_000));
            assert_eq!(pieces.concat(), text);
        }
    }

    #[test]
    fn an_escape_of_json_is_never_split() {
        for before in MAX_PASSAGE_BYTES - 14..=MAX_PASSAGE_BYTES {
            let escapes = r#"\\\\yy\"\u00e4\ud83d\ude00\ud83d\ude00"#;
            let text = ["x".repeat(before).as_str(), escapes].concat().repeat(2);
            for range in sentences(&text) {
                let json = format!("\"{}\"", &text[range]);
                assert!(serde_json::from_str::<String>(&json).is_ok(), "{before}: {}", json.len());
            }
        }
    }
}
