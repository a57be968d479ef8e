//! The flags of a trace.

use std::{fmt, str::FromStr};

use super::{TraceContextError, ids};

/// The flags of a trace that level 2 of the specification defines.
///
/// They are recommendations of the caller, not requirements. Undefined bits are dropped when flags
/// are read and are never written.
///
/// ```
/// use tool_contracts::trace_context::TraceFlags;
///
/// let flags: TraceFlags = "ff".parse()?;
/// assert!(flags.is_sampled() && flags.is_random());
/// assert_eq!(flags.to_string(), "03");
/// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TraceFlags(u8);

impl TraceFlags {
    /// The caller may have recorded the trace.
    pub const SAMPLED: Self = Self(0b01);
    /// At least the last 7 bytes of the trace's id are random.
    pub const RANDOM: Self = Self(0b10);

    /// Creates the flags from a byte; drops undefined bits.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceFlags;
    ///
    /// assert_eq!(TraceFlags::from_bits(0x05), TraceFlags::SAMPLED);
    /// ```
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & (Self::SAMPLED.0 | Self::RANDOM.0))
    }

    /// Returns the flags as a byte.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns whether the caller may have recorded the trace.
    #[must_use]
    pub const fn is_sampled(self) -> bool {
        self.0 & Self::SAMPLED.0 != 0
    }

    /// Returns whether at least the last 7 bytes of the trace's id are random.
    #[must_use]
    pub const fn is_random(self) -> bool {
        self.0 & Self::RANDOM.0 != 0
    }

    /// Sets whether the trace is recorded from here on; the other flag is unchanged.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceFlags;
    ///
    /// let flags = TraceFlags::RANDOM.with_sampled(true);
    /// assert_eq!(flags.bits(), 0x03);
    /// assert_eq!(flags.with_sampled(false), TraceFlags::RANDOM);
    /// ```
    #[must_use]
    pub const fn with_sampled(self, sampled: bool) -> Self {
        let others = self.0 & !Self::SAMPLED.0;
        Self(if sampled { others | Self::SAMPLED.0 } else { others })
    }
}

impl fmt::Display for TraceFlags {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:02x}", self.0)
    }
}

impl FromStr for TraceFlags {
    type Err = TraceContextError;

    fn from_str(text: &str) -> Result<Self, TraceContextError> {
        let digits = Some(text).filter(|text| ids::is_hex(text, 2));
        let bits = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bits.map(Self::from_bits).ok_or(TraceContextError::Flags)
    }
}
