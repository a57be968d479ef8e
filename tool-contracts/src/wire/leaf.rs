//! Leaves: values without fields of their own, each with a description of the expected value.

use std::{collections::BTreeMap, fmt, marker::PhantomData, num::NonZeroU64};

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{fields, text};
use crate::portable::{normalized_object, read_any};

/// A value that is read whole or refused with one message.
pub(crate) trait Leaf<'de>: Deserialize<'de> {
    /// The type of the value in the contract.
    type Value;
    /// The end of the message "expected …".
    const EXPECTED: &'static str;
    /// Returns the value.
    fn into_value(self) -> Self::Value;
}

/// Reads a leaf; null is `None`. The error names only the field and the expected value.
pub(crate) fn leaf<'de, A, L>(map: &mut A, field: &str) -> Result<Option<L::Value>, A::Error>
where
    A: MapAccess<'de>,
    L: Leaf<'de>,
{
    match map.next_value::<Option<L>>() {
        Ok(read) => Ok(read.map(L::into_value)),
        Err(error) if text::is_syntax(&error) => Err(error),
        Err(_) => Err(A::Error::custom(format_args!("`{field}`: expected {}", L::EXPECTED))),
    }
}

/// Removes a leaf from a deserialized object; null is `None`.
pub(crate) fn take<'de, L, E>(
    from: &mut Map<String, Value>,
    field: &str,
) -> Result<Option<L::Value>, E>
where
    L: Leaf<'de>,
    E: Error,
{
    let value = from.remove(field).unwrap_or_default();
    let read = Option::<L>::deserialize(value).map(|read| read.map(L::into_value));
    read.map_err(|_| E::custom(format_args!("`{field}`: expected {}", L::EXPECTED)))
}

macro_rules! plain_leaves {
    ($($(#[$doc:meta])* $name:ident($of:ty) = $expected:literal;)+) => {$(
        $(#[$doc])*
        #[derive(serde::Deserialize)]
        pub(crate) struct $name($of);

        impl Leaf<'_> for $name {
            type Value = $of;
            const EXPECTED: &'static str = $expected;
            fn into_value(self) -> $of {
                self.0
            }
        }
    )+};
}

plain_leaves! {
    /// A boolean.
    Flag(bool) = "true or false";
    /// A list of texts.
    Texts(Vec<String>) = "a list of texts";
}

/// An open object.
#[derive(serde::Deserialize)]
pub(crate) struct Object(Map<String, Value>);

impl Leaf<'_> for Object {
    type Value = Map<String, Value>;
    const EXPECTED: &'static str = "an object";
    fn into_value(self) -> Self::Value {
        normalized_object(self.0)
    }
}

/// A list of open objects.
#[derive(serde::Deserialize)]
pub(crate) struct Objects(Vec<Map<String, Value>>);

impl Leaf<'_> for Objects {
    type Value = Vec<Map<String, Value>>;
    const EXPECTED: &'static str = "a list of objects";
    fn into_value(self) -> Self::Value {
        self.0.into_iter().map(normalized_object).collect()
    }
}

/// Text, which may be empty.
pub(crate) type Text = TextLeaf<false>;

/// Text that is not empty.
pub(crate) type FilledText = TextLeaf<true>;

/// Text. With `FILLED` it must not be empty.
pub(crate) struct TextLeaf<const FILLED: bool>(String);

impl<'de, const FILLED: bool> Deserialize<'de> for TextLeaf<FILLED> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if FILLED && text.is_empty() {
            return Err(D::Error::custom("empty"));
        }
        Ok(Self(text))
    }
}

impl<const FILLED: bool> Leaf<'_> for TextLeaf<FILLED> {
    type Value = String;
    const EXPECTED: &'static str = if FILLED { "text that is not empty" } else { "text" };
    fn into_value(self) -> String {
        self.0
    }
}

/// A whole number; `1.0` is one, as in JSON Schema.
pub(crate) struct Whole<T>(T);

impl<'de, T: TryFrom<u64>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Number<T>(PhantomData<T>);
        impl<T: TryFrom<u64>> Visitor<'_> for Number<T> {
            type Value = Whole<T>;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a whole number")
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Whole<T>, E> {
                T::try_from(number).map(Whole).map_err(|_| text::expected(&self))
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Whole<T>, E> {
                self.visit_u64(whole(number).ok_or_else(|| text::expected::<E>(&"a whole number"))?)
            }
        }
        read_any(Number(PhantomData), from)
    }
}

// Beyond 2^53 a float no longer identifies one integer.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole and within 0..2^53"
)]
fn whole(number: f64) -> Option<u64> {
    let fits = number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
    fits.then_some(number as u64)
}

macro_rules! whole_leaves {
    ($($of:ty = $expected:literal;)+) => {$(
        impl Leaf<'_> for Whole<$of> {
            type Value = $of;
            const EXPECTED: &'static str = $expected;
            fn into_value(self) -> $of {
                self.0
            }
        }
    )+};
}

whole_leaves! {
    u64 = "a whole number from 0";
    u32 = "a whole number from 0 to 4294967295";
    u16 = "a whole number from 0 to 65535";
    NonZeroU64 = "a whole number from 1";
    OptimizationLevel = "a whole number from 0 to 3";
    TotalTokens = "a whole number from 1000 to 1000000";
    TimeoutSeconds = "a whole number of seconds from 1 to 300";
    MaxAttempts = "a whole number from 1 to 5";
    ContextTokens = "a whole number of tokens from 1000";
    DelayMilliseconds = "a whole number of milliseconds from 10";
}

/// Numbers with a range of their own, which the builders check: a value that is no whole number from 0
/// is answered with this range too, and not with that of an integer type.
macro_rules! bounded_numbers {
    ($($name:ident;)+) => {$(
        pub(crate) struct $name(u64);

        impl $name {
            /// Returns the number, or the largest one of the type.
            pub(crate) fn saturated<T: TryFrom<u64>>(self, largest: T) -> T {
                T::try_from(self.0).unwrap_or(largest)
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self(number)
            }
        }
    )+};
}

bounded_numbers! {
    OptimizationLevel;
    TotalTokens;
    TimeoutSeconds;
    MaxAttempts;
    ContextTokens;
    DelayMilliseconds;
}

/// A finite number; with `SHARE` it must be from 0 to 1.
pub(crate) struct Decimal<const SHARE: bool>(f64);

/// A finite number.
pub(crate) type Finite = Decimal<false>;

/// A number from 0 to 1.
pub(crate) type Share = Decimal<true>;

impl<'de, const SHARE: bool> Deserialize<'de> for Decimal<SHARE> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(from)?;
        let holds = number.is_finite() && (!SHARE || (0.0..=1.0).contains(&number));
        holds.then_some(Self(number)).ok_or_else(|| D::Error::custom("out of range"))
    }
}

impl<const SHARE: bool> Leaf<'_> for Decimal<SHARE> {
    type Value = f64;
    const EXPECTED: &'static str = if SHARE { "a number from 0 to 1" } else { "a number" };
    fn into_value(self) -> f64 {
        self.0
    }
}

/// A UUID in its hyphenated form, the only one that the schema's format allows.
pub(crate) struct Id(Uuid);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
        let id = Uuid::try_parse(&text).ok().filter(|_| hyphenated);
        id.map(Self).ok_or_else(|| D::Error::custom("no UUID"))
    }
}

impl Leaf<'_> for Id {
    type Value = Uuid;
    const EXPECTED: &'static str = "a UUID with hyphens";
    fn into_value(self) -> Uuid {
        self.0
    }
}

/// A point in time with its offset, converted to UTC.
pub(crate) struct Instant(DateTime<Utc>);

impl Instant {
    /// Returns whether every parser of RFC 3339 can read the time; most refuse a leap second.
    pub(crate) fn is_writable(time: &DateTime<Utc>) -> bool {
        (0..=9999).contains(&time.year()) && time.nanosecond() < 1_000_000_000
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        // chrono also accepts a space for the `T` and a typographic minus.
        let is_plain = text.is_ascii() && !text.contains(' ');
        let time = DateTime::parse_from_rfc3339(&text).ok().filter(|_| is_plain);
        time.map(|time| time.to_utc())
            .filter(Self::is_writable)
            .map(Self)
            .ok_or_else(|| D::Error::custom("no instant"))
    }
}

impl Leaf<'_> for Instant {
    type Value = DateTime<Utc>;
    const EXPECTED: &'static str =
        "an RFC 3339 time with an offset, such as 2024-05-03T12:34:56+00:00";
    fn into_value(self) -> DateTime<Utc> {
        self.0
    }
}

/// A map whose keys must not repeat.
pub(crate) struct Unique<L, V>(BTreeMap<String, V>, PhantomData<L>);

impl<'de, L: Leaf<'de>> Deserialize<'de> for Unique<L, L::Value> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Entries<L>(PhantomData<L>);
        impl<'de, L: Leaf<'de>> Visitor<'de> for Entries<L> {
            type Value = Unique<L, L::Value>;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, L>()? {
                    if entries.insert(key, value.into_value()).is_some() {
                        return Err(fields::duplicate("an entry"));
                    }
                }
                Ok(Unique(entries, PhantomData))
            }
        }
        from.deserialize_map(Entries(PhantomData))
    }
}

/// Counts by name.
pub(crate) type Counts = Unique<Whole<u64>, u64>;

impl Leaf<'_> for Counts {
    type Value = BTreeMap<String, u64>;
    const EXPECTED: &'static str = "an object of whole numbers from 0, each name once";
    fn into_value(self) -> Self::Value {
        self.0
    }
}

/// Texts by name.
pub(crate) type Labels = Unique<Text, String>;

impl Leaf<'_> for Labels {
    type Value = BTreeMap<String, String>;
    const EXPECTED: &'static str = "an object of texts, each name once";
    fn into_value(self) -> Self::Value {
        self.0
    }
}
