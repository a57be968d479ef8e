//! The checks of `#[arg(range(…), length(…))]` on typed values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::num::NonZero;
use std::ops::RangeBounds;

use crate::tool::field_reader::Text;

/// A type that `range(…)` applies to.
#[diagnostic::on_unimplemented(
    message = "`range(…)` does not apply to `{Self}`",
    label = "not a number",
    note = "`range` bounds numbers and options of numbers; `length` bounds strings, lists and maps"
)]
pub trait AsNumber {
    /// The number's own type; for a `NonZero`, the type of what is in it.
    type Number: PartialOrd;
    /// Returns the number, if there is one.
    fn number(&self) -> Option<Self::Number>;
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl AsNumber for $number {
            type Number = $number;
            fn number(&self) -> Option<$number> { Some(*self) }
        }
    )*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64);

macro_rules! nonzero {
    ($($number:ty)*) => {$(
        impl AsNumber for NonZero<$number> {
            type Number = $number;
            fn number(&self) -> Option<$number> { Some(self.get()) }
        }
    )*};
}
nonzero!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl<T: AsNumber> AsNumber for Option<T> {
    type Number = T::Number;
    fn number(&self) -> Option<T::Number> {
        self.as_ref()?.number()
    }
}

/// Returns whether the number is in the range, or absent.
pub fn in_range<T: AsNumber>(value: &T, range: &impl RangeBounds<T::Number>) -> bool {
    value.number().is_none_or(|number| range.contains(&number))
}

/// A type that `length(…)` applies to: characters, items or entries.
#[diagnostic::on_unimplemented(
    message = "`length(…)` does not apply to `{Self}`",
    label = "has no length",
    note = "`length` bounds strings (in characters), lists (in items) and maps (in entries); \
            `range` bounds numbers"
)]
pub trait AsLength {
    /// Returns the length, if there is a value.
    fn length(&self) -> Option<usize>;
}

impl AsLength for str {
    fn length(&self) -> Option<usize> {
        Some(self.chars().count())
    }
}

impl AsLength for String {
    fn length(&self) -> Option<usize> {
        self.as_str().length()
    }
}

impl AsLength for Text<'_> {
    fn length(&self) -> Option<usize> {
        str::length(self)
    }
}

impl AsLength for Box<str> {
    fn length(&self) -> Option<usize> {
        str::length(self)
    }
}

impl AsLength for Cow<'_, str> {
    fn length(&self) -> Option<usize> {
        str::length(self)
    }
}

macro_rules! lengths {
    ($([$($generic:ident),*] $container:ty;)*) => {$(
        impl<$($generic),*> AsLength for $container {
            fn length(&self) -> Option<usize> { Some(self.len()) }
        }
    )*};
}
lengths! {
    [T] Vec<T>;
    [T] VecDeque<T>;
    [T] Box<[T]>;
    [T] BTreeSet<T>;
    [T, S] HashSet<T, S>;
    [K, V] BTreeMap<K, V>;
    [K, V, S] HashMap<K, V, S>;
}

impl<T: AsLength> AsLength for Option<T> {
    fn length(&self) -> Option<usize> {
        self.as_ref()?.length()
    }
}

/// Returns whether the length is in the range, or the value is absent.
pub fn has_length<T: AsLength + ?Sized>(value: &T, range: &impl RangeBounds<usize>) -> bool {
    value.length().is_none_or(|length| range.contains(&length))
}
