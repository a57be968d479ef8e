//! The ids of traces and spans, which are never zero.

use std::{
    fmt,
    num::{NonZeroU64, NonZeroU128},
    str::FromStr,
};

use uuid::Uuid;

use super::TraceContextError;

/// Identifies a trace: 16 bytes, not all zero.
///
/// It is written as 32 lower-case hex digits, and only that form is read.
///
/// ```
/// use tool_contracts::trace_context::TraceId;
///
/// let id: TraceId = "4bf92f3577b34da6a3ce929d0e0e4736".parse()?;
/// assert_eq!(TraceId::from_bytes(id.to_bytes()), Ok(id));
/// assert!("4BF92F3577B34DA6A3CE929D0E0E4736".parse::<TraceId>().is_err());
/// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TraceId(NonZeroU128);

impl TraceId {
    /// Makes the id from its bytes, as they are written from left to right.
    ///
    /// # Errors
    /// When all of them are zero.
    pub fn from_bytes(bytes: [u8; 16]) -> Result<Self, TraceContextError> {
        let id = NonZeroU128::new(u128::from_be_bytes(bytes));
        id.map(Self).ok_or(TraceContextError::TraceId)
    }

    /// Draws an id: a UUID of version 4, the last 7 bytes of which are random throughout.
    ///
    /// That is what [`TraceFlags::RANDOM`](super::TraceFlags::RANDOM) promises.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceId;
    ///
    /// assert_ne!(TraceId::random(), TraceId::random());
    /// ```
    #[must_use]
    pub fn random() -> Self {
        // Never zero, since the version stands in it, left of the last 7 bytes.
        Self(NonZeroU128::new(Uuid::new_v4().as_u128()).unwrap_or(NonZeroU128::MIN))
    }

    /// Gives its bytes, as they are written from left to right.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }
}

/// Identifies a span, which is one operation in a trace: 8 bytes, not all zero.
///
/// The specification calls it parent id, since a request names the span that it came from. It is
/// written as 16 lower-case hex digits, and only that form is read.
///
/// ```
/// use tool_contracts::trace_context::SpanId;
///
/// let id: SpanId = "00f067aa0ba902b7".parse()?;
/// assert_eq!(id.to_bytes()[1], 0xf0);
/// assert!("0000000000000000".parse::<SpanId>().is_err());
/// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpanId(NonZeroU64);

impl SpanId {
    /// Makes the id from its bytes, as they are written from left to right.
    ///
    /// # Errors
    /// When all of them are zero.
    pub fn from_bytes(bytes: [u8; 8]) -> Result<Self, TraceContextError> {
        NonZeroU64::new(u64::from_be_bytes(bytes)).map(Self).ok_or(TraceContextError::SpanId)
    }

    /// Draws an id, of 62 random bits.
    ///
    /// ```
    /// use tool_contracts::trace_context::SpanId;
    ///
    /// assert_ne!(SpanId::random(), SpanId::random());
    /// ```
    #[must_use]
    pub fn random() -> Self {
        // Never zero, since the right half of such a UUID begins with its variant.
        let (_, right) = Uuid::new_v4().as_u64_pair();
        Self(NonZeroU64::new(right).unwrap_or(NonZeroU64::MIN))
    }

    /// Gives its bytes, as they are written from left to right.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 8] {
        self.0.get().to_be_bytes()
    }
}

macro_rules! written_in_hex {
    ($($id:ident: $number:ident, $digits:literal digits;)+) => {$(
        impl fmt::Display for $id {
            fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(to, concat!("{:0", $digits, "x}"), self.0)
            }
        }

        impl fmt::Debug for $id {
            fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(to, concat!(stringify!($id), "({})"), self)
            }
        }

        impl FromStr for $id {
            type Err = TraceContextError;

            fn from_str(text: &str) -> Result<Self, TraceContextError> {
                let digits = Some(text).filter(|text| is_hex(text, $digits));
                let number = digits.and_then(|digits| $number::from_str_radix(digits, 16).ok());
                Self::from_bytes(number.unwrap_or_default().to_be_bytes())
            }
        }
    )+};
}

written_in_hex! {
    TraceId: u128, 32 digits;
    SpanId: u64, 16 digits;
}

/// Tells whether the text is so many lower-case hex digits and nothing else.
pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
