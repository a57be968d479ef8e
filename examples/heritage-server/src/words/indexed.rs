//! The words of a content, in each database's format.

use super::Indexed;

impl Indexed {
    /// Writes title, body and characters with a space between words. FTS5 splits only there, since
    /// words contain only letters and digits.
    pub(crate) fn for_sqlite(&self) -> (String, String, String) {
        // An `x` marks the end of a phrase: no phrase of Chinese characters contains one.
        let characters = self.characters.iter().map(|char| char.unwrap_or('x').to_string());
        let characters = characters.collect::<Vec<_>>().join(" ");
        (self.title.join(" "), self.body.join(" "), characters)
    }

    /// Writes words and characters as the text of a `tsvector`, with their places and weights, so
    /// that no parser of the database takes them apart again.
    pub(crate) fn for_postgres(&self) -> (String, String) {
        let weighed = |words: &[String], weight, before| {
            let placed = words.iter().enumerate();
            placed.map(|(at, word)| lexeme(word, before + at, weight)).collect::<Vec<_>>()
        };
        let mut words = weighed(&self.title, 'A', 0);
        words.extend(weighed(&self.body, 'D', self.title.len()));
        let characters = self.characters.iter().enumerate();
        let characters =
            characters.filter_map(|(at, char)| Some(lexeme(&(*char)?.to_string(), at, 'D')));
        (words.join(" "), characters.collect::<Vec<_>>().join(" "))
    }
}

/// The last position that a `tsvector` distinguishes; later words all get it.
const LAST_PLACE: usize = 16_383;

fn lexeme(word: &str, at: usize, weight: char) -> String {
    format!("'{word}':{}{weight}", (at + 1).min(LAST_PLACE))
}
