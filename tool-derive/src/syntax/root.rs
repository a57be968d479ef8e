//! The path of the runtime in generated code: `::tool_runtime`, or that of `crate = …`.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Path, parse_quote};

use super::options::KeyedValue;

/// The path of the runtime crate.
#[derive(Debug, Clone)]
pub(crate) struct Root(Path);

impl Root {
    /// Takes the path of `crate = …`, if present.
    pub(crate) fn given(path: Option<KeyedValue<Path>>) -> Self {
        Self(path.map_or_else(|| parse_quote!(::tool_runtime), |given| given.value))
    }

    /// Generates the path of the hidden module.
    pub(crate) fn private(&self) -> TokenStream {
        let Self(root) = self;
        quote!(#root::__private)
    }

    /// The path of an item in the hidden module as text, for `#[serde(crate = "…")]`.
    pub(crate) fn private_text(&self, name: &str) -> String {
        let root: String =
            self.0.to_token_stream().into_iter().map(|token| token.to_string()).collect();
        format!("{root}::__private::{name}")
    }
}
