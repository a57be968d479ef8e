//! Setters and getters of texts, of which each context and envelope has a dozen.

/// Gives a builder a setter for each of these texts, which the expression says where to find.
macro_rules! text_setters {
    ($builder:ty, |$it:ident| $fields:expr; $($(#[$doc:meta])* $field:ident;)+) => {
        impl $builder {$(
            $(#[$doc])*
            pub fn $field(mut self, $field: impl Into<String>) -> Self {
                let $it = &mut self;
                $fields.$field = Some($field.into());
                self
            }
        )+}
    };
}

/// Gives a type a getter for each of these texts, any of which may be absent.
macro_rules! text_getters {
    ($type:ty, |$it:ident| $fields:expr; $($(#[$doc:meta])* $field:ident;)+) => {
        impl $type {$(
            $(#[$doc])*
            #[must_use]
            pub fn $field(&self) -> Option<&str> {
                let $it = self;
                $fields.$field.as_deref()
            }
        )+}
    };
}

pub(crate) use {text_getters, text_setters};
