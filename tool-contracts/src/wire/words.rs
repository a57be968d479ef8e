//! Enums that are written as words of a closed set.

/// Implements `ALL`, `as_str`, `Display`, `FromStr`, `Serialize`, `Deserialize` for an enum.
///
/// The error for an unknown word lists the accepted ones; the word itself is not quoted.
macro_rules! words {
    ($target:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $target {
            /// Every value, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            const EXPECTED: &'static str = $crate::wire::one_of!($($word)+);

            /// Returns the word for this value on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }

        impl ::std::fmt::Display for $target {
            fn fmt(&self, to: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                to.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $target {
            type Err = $crate::ContractError;
            fn from_str(word: &str) -> Result<Self, Self::Err> {
                Self::from_word(word).ok_or_else(|| {
                    $crate::ContractError::single(
                        stringify!($target),
                        "",
                        format!("expected {}", Self::EXPECTED),
                    )
                })
            }
        }

        impl ::serde::Serialize for $target {
            fn serialize<S: ::serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        $crate::wire::read_word!($target);
    };
}
pub(crate) use words;

/// Implements `Deserialize` by `from_word`; the error for an unknown word lists the accepted ones.
macro_rules! read_word {
    ($target:ident) => {
        impl<'de> ::serde::Deserialize<'de> for $target {
            fn deserialize<D: ::serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Word;
                impl ::serde::de::Visitor<'_> for Word {
                    type Value = $target;
                    fn expecting(&self, to: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                        to.write_str($target::EXPECTED)
                    }
                    $crate::wire::refuse_numbers!();
                    fn visit_str<E: ::serde::de::Error>(self, word: &str) -> Result<$target, E> {
                        $target::from_word(word).ok_or_else(|| $crate::wire::expected(&self))
                    }
                }
                // `deserialize_str` makes serde_json quote a number before the visitor sees it.
                $crate::portable::read_any(Word, from)
            }
        }
    };
}
pub(crate) use read_word;

/// Lists words as "one of `a`, `b`".
macro_rules! one_of {
    ($first:literal $($word:literal)*) => {
        concat!("one of `", $first, "`", $(", `", $word, "`"),*)
    };
}
pub(crate) use one_of;
