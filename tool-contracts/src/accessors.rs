//! Setters and getters of text fields, of which each context and envelope has a dozen.

/// Implements a setter for each text field; the expression locates the fields in the builder.
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

/// Implements a getter for each text field, any of which may be absent.
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
