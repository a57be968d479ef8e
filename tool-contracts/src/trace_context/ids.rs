//! The ids of traces and spans, which are never zero.

use std::{
    fmt,
    num::{NonZeroU64, NonZeroU128},
    str::FromStr,
};

use uuid::Uuid;

use super::TraceContextError;

/// The id of a trace: 16 bytes, not all zero.
///
/// It is written as 32 lower-case hex digits; no other form is read.
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
    /// Creates the id from its bytes, the most significant one first.
    ///
    /// # Errors
    /// Returns an error if all bytes are zero.
    pub fn from_bytes(bytes: [u8; 16]) -> Result<Self, TraceContextError> {
        let id = NonZeroU128::new(u128::from_be_bytes(bytes));
        id.map(Self).ok_or(TraceContextError::TraceId)
    }

    /// Generates an id: a version 4 UUID, whose last 7 bytes are all random.
    ///
    /// The flag [`TraceFlags::RANDOM`](super::TraceFlags::RANDOM) requires this.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceId;
    ///
    /// assert_ne!(TraceId::random(), TraceId::random());
    /// ```
    #[must_use]
    pub fn random() -> Self {
        // Never zero, since the UUID contains its version, left of the last 7 bytes.
        Self(NonZeroU128::new(Uuid::new_v4().as_u128()).unwrap_or(NonZeroU128::MIN))
    }

    /// The namespace of ids that are derived from text: a fixed, randomly generated UUID.
    pub const NAMESPACE: Uuid = Uuid::from_u128(0x5f1b_93eb_c010_41d2_8a4e_dad4_8008_a2b2);

    /// Derives the id from a host's own trace id, so that every service derives the same one.
    ///
    /// A UUID gives its 32 hex digits, in any of its forms and in either case; 32 hex digits are
    /// also a UUID. Any other text, and the nil UUID, gives its version 5 UUID under
    /// [`NAMESPACE`](Self::NAMESPACE). Other programs can compute it; in Python,
    /// `uuid.uuid5(uuid.UUID("5f1b93eb-c010-41d2-8a4e-dad48008a2b2"), text).hex`.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceId;
    ///
    /// let of_uuid = TraceId::derived_from("8607a8d9-0f3f-43df-bf86-37e845e1574c");
    /// assert_eq!(of_uuid.to_string(), "8607a8d90f3f43dfbf8637e845e1574c");
    ///
    /// let of_text = TraceId::derived_from("trace-xxx");
    /// assert_eq!(of_text.to_string(), "34aabfe00e795e30b672c958634a953b");
    /// ```
    #[must_use]
    pub fn derived_from(host_id: &str) -> Self {
        let of_uuid = Uuid::try_parse(host_id).unwrap_or_default().as_u128();
        let id = NonZeroU128::new(of_uuid).or_else(|| NonZeroU128::new(hashed(host_id).as_u128()));
        // A version 5 UUID is never zero, since it contains its version.
        Self(id.unwrap_or(NonZeroU128::MIN))
    }

    /// Returns the bytes, the most significant one first.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 16] {
        self.0.get().to_be_bytes()
    }
}

/// The id of a span, which is one operation in a trace: 8 bytes, not all zero.
///
/// The specification calls it parent id, since a request names the span that sent it. It is
/// written as 16 lower-case hex digits; no other form is read.
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
    /// Creates the id from its bytes, the most significant one first.
    ///
    /// # Errors
    /// Returns an error if all bytes are zero.
    pub fn from_bytes(bytes: [u8; 8]) -> Result<Self, TraceContextError> {
        NonZeroU64::new(u64::from_be_bytes(bytes)).map(Self).ok_or(TraceContextError::SpanId)
    }

    /// Generates an id with 62 random bits.
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

    /// Derives the id from a host's own span id, so that every service derives the same one.
    ///
    /// 16 hex digits, in either case and not all zero, are the id itself. Any other text gives the
    /// last 16 digits of its version 5 UUID under [`TraceId::NAMESPACE`].
    ///
    /// ```
    /// use tool_contracts::trace_context::SpanId;
    ///
    /// assert_eq!(SpanId::derived_from("00F067AA0BA902B7").to_string(), "00f067aa0ba902b7");
    /// assert_eq!(SpanId::derived_from("span-xxx").to_string(), "b4379b9e5dfcc640");
    /// ```
    #[must_use]
    pub fn derived_from(host_id: &str) -> Self {
        let digits = Some(host_id).filter(|id| id.len() == 16 && is_hex_of_either_case(id));
        let of_digits = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let id = of_digits.and_then(NonZeroU64::new).or_else(|| {
            let (_, right) = hashed(host_id).as_u64_pair();
            NonZeroU64::new(right)
        });
        // The right half of a UUID is never zero, since it begins with the variant.
        Self(id.unwrap_or(NonZeroU64::MIN))
    }

    /// Returns the bytes, the most significant one first.
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

/// Hashes an id that does not have the form of the specification.
fn hashed(host_id: &str) -> Uuid {
    Uuid::new_v5(&TraceId::NAMESPACE, host_id.as_bytes())
}

fn is_hex_of_either_case(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether the text consists of exactly this many lower-case hex digits.
pub(super) fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
