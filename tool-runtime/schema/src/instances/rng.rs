//! A reproducible random number generator.

/// A small random number generator (SplitMix64): the same sequence for the same seed on every
/// machine.
#[derive(Debug, Clone)]
// Not proptest: the schema determines how values are made and shrunk, so only randomness is left.
pub struct SeededRng(u64);

impl SeededRng {
    /// Creates a generator; equal seeds generate equal numbers.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next_u64() % end).unwrap_or(0)
    }

    /// Returns a number of an inclusive range.
    pub(super) fn within(&mut self, min: i128, max: i128) -> i128 {
        let width = max.abs_diff(min).saturating_add(1);
        let wide = (u128::from(self.next_u64()) << 64) | u128::from(self.next_u64());
        let step = if width == 0 { wide } else { wide % width };
        min.saturating_add_unsigned(step)
    }

    /// Returns true with a probability of one in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// Picks an item; none of an empty list.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len()))
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}
