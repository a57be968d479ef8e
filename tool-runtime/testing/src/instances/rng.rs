//! A reproducible random number generator.

/// A small random number generator (SplitMix64): the same sequence for the same seed on every
/// machine.
#[derive(Debug, Clone)]
// Not proptest: the schema determines how values are made and shrunk, so only randomness is left.
pub(crate) struct SeededRng(u64);

impl SeededRng {
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// Returns a number of an inclusive range.
    pub(super) fn within(&mut self, min: i128, max: i128) -> i128 {
        let width = max.abs_diff(min).saturating_add(1);
        let wide = (u128::from(self.next()) << 64) | u128::from(self.next());
        let step = if width == 0 { wide } else { wide % width };
        min.saturating_add_unsigned(step)
    }

    /// Returns true with a probability of one in `times`.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(super) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
