//! The closed set of words for what is known of a failed call's effect: `details.effect`.

use crate::words::word_enum;

word_enum! {
    /// The known effect of a call that failed: the entry `effect` of its error's details.
    pub enum EffectState {
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
    pub const KEY: &'static str = "effect";
}

#[cfg(test)]
mod tests {
    use super::EffectState;

    #[test]
    fn each_word_is_read_as_its_state() {
        for state in EffectState::ALL.iter().copied() {
            assert_eq!(EffectState::parse(state.as_str()), Some(state));
        }
        assert_eq!(EffectState::parse("half"), None);
    }
}
