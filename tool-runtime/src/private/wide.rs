//! Finds 128-bit integers, which serde cannot read from the buffers of its tagged, untagged and
//! flattened types.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::fmt;
use std::marker::PhantomData;

/// A type of the standard library that is a 128-bit integer, or may contain one.
pub trait WideInteger {
    /// True if it is or contains one.
    const FOUND: bool;
}

/// A type of `#[ai_type]`, or a container of it.
pub trait WideFields {
    /// True if one of its fields is or contains a 128-bit integer.
    const FOUND: bool;
}

macro_rules! wide {
    ($($integer:ty)*) => {$(
        impl WideInteger for $integer {
            const FOUND: bool = true;
        }
    )*};
}

wide!(i128 u128 std::num::NonZeroI128 std::num::NonZeroU128);

macro_rules! containers {
    ($([$($parameter:ident)*] $item:ident $container:ty;)*) => {$(
        impl<$item: WideInteger $(, $parameter)*> WideInteger for $container {
            const FOUND: bool = $item::FOUND;
        }

        impl<$item: WideFields $(, $parameter)*> WideFields for $container {
            const FOUND: bool = $item::FOUND;
        }
    )*};
}

containers! {
    [] T Option<T>;
    [] T Box<T>;
    [] T Vec<T>;
    [] T VecDeque<T>;
    [] T BTreeSet<T>;
    [S] T HashSet<T, S>;
    [K] T BTreeMap<K, T>;
    [K S] T HashMap<K, T, S>;
}

/// Probes whether a type has 128-bit integers. A constant of the type itself is preferred to one of
/// [`NoWideInteger`] and [`NoWideFields`].
pub struct WideProbe<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> fmt::Debug for WideProbe<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WideProbe")
    }
}

impl<T: ?Sized + WideInteger> WideProbe<T> {
    /// True if the type is or contains a 128-bit integer.
    pub const IN_TYPE: bool = T::FOUND;
}

impl<T: ?Sized + WideFields> WideProbe<T> {
    /// True if a field of the type is or contains a 128-bit integer.
    pub const IN_FIELDS: bool = T::FOUND;
}

/// Fallback: nothing is known about the type.
pub trait NoWideInteger {
    /// Always false.
    const IN_TYPE: bool = false;
}

impl<T: ?Sized> NoWideInteger for WideProbe<T> {}

/// Fallback: the type is none of `#[ai_type]`.
pub trait NoWideFields {
    /// Always false.
    const IN_FIELDS: bool = false;
}

impl<T: ?Sized> NoWideFields for WideProbe<T> {}
