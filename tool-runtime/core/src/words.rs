//! Generates enums of closed sets of words, with one list of variants and words.

/// Generates an enum whose variants have words, with `ALL`, `as_str` and `parse`.
#[doc(hidden)]
#[macro_export]
macro_rules! __word_enum {
    ($(#[$about:meta])* $vis:vis enum $type:ident { $($(#[$doc:meta])* $name:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $type {
            $($(#[$doc])* $name,)*
        }

        impl $type {
            /// Every variant, in the order of the definition.
            $vis const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// Returns the word on the wire.
            #[must_use]
            $vis const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Finds the variant of a word; none for another word.
            #[must_use]
            $vis fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|it| it.as_str() == word)
            }
        }
    };
}

pub use crate::__word_enum as word_enum;
