//! Finds 128-bit integers, which serde cannot read from the buffers of its tagged, untagged and
//! flattened types.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

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
    [] T Vec<T>;
    [] T [T];
    [] T VecDeque<T>;
    [] T LinkedList<T>;
    [] T BinaryHeap<T>;
    [] T BTreeSet<T>;
    [S] T HashSet<T, S>;
    [K] T BTreeMap<K, T>;
    [K S] T HashMap<K, T, S>;
}

macro_rules! pointers {
    ($($pointer:ty: $($bound:path)?;)*) => {$(
        impl<T: WideInteger + ?Sized $(+ $bound)?> WideInteger for $pointer {
            const FOUND: bool = T::FOUND;
        }

        impl<T: WideFields + ?Sized $(+ $bound)?> WideFields for $pointer {
            const FOUND: bool = T::FOUND;
        }
    )*};
}

pointers! {
    Box<T>:;
    Rc<T>:;
    Arc<T>:;
    Cow<'_, T>: ToOwned;
}

impl<T: WideInteger, const N: usize> WideInteger for [T; N] {
    const FOUND: bool = T::FOUND;
}

impl<T: WideFields, const N: usize> WideFields for [T; N] {
    const FOUND: bool = T::FOUND;
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Wide;

    impl WideFields for Wide {
        const FOUND: bool = true;
    }

    /// Checks what is found in each type.
    macro_rules! check {
        ($constant:ident is $expected:literal: $($container:ty)*) => {$(
            let (found, expected) = (WideProbe::<$container>::$constant, $expected);
            assert_eq!(found, expected, stringify!($container));
        )*};
    }

    #[test]
    fn a_wide_integer_is_found_in_the_containers_that_serde_reads() {
        check! { IN_TYPE is true:
            u128 Option<i128> Box<u128> Vec<i128> [i128] [u128; 3] VecDeque<i128> LinkedList<u128>
            BinaryHeap<u128> BTreeSet<i128> HashSet<i128> BTreeMap<String, u128>
            HashMap<u8, Vec<Option<u128>>> Rc<u128> Arc<[i128]> Cow<'static, u128>
            Cow<'static, [i128]>
        }
        // A key is a text.
        check! { IN_TYPE is false: Vec<u64> [i64; 2] BTreeMap<u128, u8> Wide }
    }

    #[test]
    fn the_fields_of_a_type_are_found_in_containers_too() {
        check! { IN_FIELDS is true: Wide [Option<Arc<Wide>>; 2] LinkedList<Box<Wide>> }
        check! { IN_FIELDS is false: u128 [i64; 2] }
    }
}
