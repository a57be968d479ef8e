//! The closed set of words for what is known of a failed call's effect: `details.effect`.

macro_rules! effect_states {
    ($(#[$about:meta])* pub(crate) enum $type:ident { $($(#[$doc:meta])* $name:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum $type {
            $($(#[$doc])* $name,)*
        }

        impl $type {
            /// Returns the word on the wire.
            pub(crate) const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }

            /// Finds the state of a word; none if a tool wrote a word of its own.
            pub(crate) fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$name),)*
                    _ => None,
                }
            }
        }
    };
}

effect_states! {
    /// The known effect of a call that failed: the entry `effect` of its error's details.
    pub(crate) enum EffectState {
        /// The call had no effect.
        None = "none",
        /// The call may have had its effect.
        Unknown = "unknown",
        /// The tool has had its effect, and its answer was not delivered.
        Done = "done",
    }
}

impl EffectState {
    /// The name of the entry of `details`.
    pub(crate) const KEY: &'static str = "effect";
}

#[cfg(test)]
mod tests {
    use super::EffectState;

    #[test]
    fn each_word_is_read_as_its_state() {
        for state in [EffectState::None, EffectState::Unknown, EffectState::Done] {
            assert_eq!(EffectState::parse(state.as_str()), Some(state));
        }
        assert_eq!(EffectState::parse("half"), None);
    }
}
