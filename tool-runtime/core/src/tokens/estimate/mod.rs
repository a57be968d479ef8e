//! An estimate of tokens without a vocabulary.

mod characters;
mod scanner;
#[cfg(test)]
mod tests;
mod weights;

use self::scanner::TokenScanner;
use super::{TokenCounter, TokenMethod};

/// Estimates tokens from the characters of a text, without a vocabulary.
///
/// One pass splits the text into the pieces that encodings tokenize one by one (words with the
/// space before them, groups of three digits, runs of symbols, white space), and adds up how often
/// tokens end within such pieces, by pairs of ASCII characters and by scripts. These weights are
/// fitted to `o200k_base` on 1,870 texts: prose in 60 languages, code, logs, JSON, tables.
///
/// On 39 texts that the fit has not seen, the mean error against `o200k_base` is 4 %, and the worst
/// one 18 %. Other vocabularies differ from `o200k_base`: `cl100k_base` by 3 % for English, code,
/// JSON and logs, and it takes up to twice the tokens for other scripts than the Latin one.
///
/// ```
/// use tool_runtime::tokens::{TokenCounter, TokenEstimate};
///
/// assert_eq!(TokenEstimate.count(""), 0);
/// assert_eq!(TokenEstimate.count("Green tea, 80 °C"), 7);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TokenEstimate;

impl TokenCounter for TokenEstimate {
    fn count(&self, text: &str) -> u64 {
        TokenScanner::new(text).tokens()
    }

    fn method(&self) -> TokenMethod {
        TokenMethod::Estimate
    }
}
