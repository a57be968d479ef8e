//! Collects all errors of an item, so that they are reported together.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The errors so far. Dropping it without reading them panics, because that is a bug.
#[derive(Debug)]
pub(crate) struct Errors {
    found: RefCell<Option<Vec<syn::Error>>>,
}

impl Errors {
    pub(crate) fn new() -> Self {
        Self { found: RefCell::new(Some(Vec::new())) }
    }

    /// Adds an error that underlines these tokens.
    pub(crate) fn at(&self, tokens: impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// Adds an error that underlines this span.
    pub(crate) fn span(&self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// Adds an error of syn.
    pub(crate) fn add(&self, error: syn::Error) {
        if let Some(found) = self.found.borrow_mut().as_mut() {
            found.push(error);
        }
    }

    /// Returns the number of errors so far, to detect new ones.
    pub(crate) fn count(&self) -> usize {
        self.found.borrow().as_ref().map_or(0, Vec::len)
    }

    /// Converts the errors to code, if there are any.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        let errors = self.found.borrow_mut().take().unwrap_or_default();
        if errors.is_empty() {
            return None;
        }
        Some(errors.iter().map(syn::Error::to_compile_error).collect())
    }
}

impl Drop for Errors {
    fn drop(&mut self) {
        let unread = self.found.borrow().is_some();
        assert!(!unread || std::thread::panicking(), "errors of a macro were not read");
    }
}
