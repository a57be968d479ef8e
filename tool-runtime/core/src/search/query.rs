//! The words of a query: of all of it, and of each sentence.

use super::tokenizer;

/// The most sentences that are ranked by themselves; the last one includes the rest.
const MAX_SENTENCES: usize = 16;

/// The words of a query.
pub(super) struct QueryWords {
    /// The distinct words of the whole query.
    pub(super) all: Vec<String>,
    /// Those of each sentence with words.
    pub(super) sentences: Vec<Vec<String>>,
}

impl QueryWords {
    pub(super) fn new(query: &str) -> Self {
        let sentences = sentences(query).into_iter().map(tokenizer::query_words);
        Self {
            all: tokenizer::query_words(query),
            sentences: sentences.filter(|words| !words.is_empty()).collect(),
        }
    }
}

/// Splits a text after punctuation that is followed by a space, and at line breaks.
fn sentences(text: &str) -> Vec<&str> {
    let (mut found, mut start) = (Vec::new(), 0);
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_end = matches!(letter, '。' | '？' | '！' | '；')
            || letter == '\n'
            || matches!(letter, '.' | '?' | '!' | ';' | ':')
                && next.is_none_or(char::is_whitespace);
        if is_end && found.len() + 1 < MAX_SENTENCES {
            let end = at + letter.len_utf8();
            found.push(&text[start..end]);
            start = end;
        }
    }
    found.push(&text[start..]);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(query: &str, expected: &[&[&str]]) {
        assert_eq!(QueryWords::new(query).sentences, expected, "{query}");
    }

    #[test]
    fn each_sentence_has_its_own_words() {
        check("Book a hotel. Then, convert euros!", &[&["book", "hotel"], &["convert", "euro"]]);
        check("tea\njam", &[&["tea"], &["jam"]]);
        check("查询天气。预订酒店", &[&["天气", "查询", "询天"], &["订酒", "酒店", "预订"]]);
    }

    #[test]
    fn a_point_within_a_word_or_a_number_ends_no_sentence() {
        check("add 2.5 with math.add", &[&["add", "math"]]);
        check("What? ... The!", &[]);
    }

    #[test]
    fn the_number_of_sentences_is_bounded() {
        let words =
            QueryWords::new(&(0..100).map(|n| format!("word{n}.")).collect::<Vec<_>>().join(" "));
        assert_eq!(words.sentences.len(), MAX_SENTENCES);
        assert!(words.sentences[MAX_SENTENCES - 1].contains(&"word99".to_owned()));
    }
}
