//! Where generated code finds the runtime: `::tool_runtime`, or what `crate = …` says.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Path, parse_quote};

use super::options::Given;

/// The path of the runtime crate.
#[derive(Debug, Clone)]
pub(crate) struct Root(Path);

impl Root {
    /// Takes the path that `crate = …` gave, if it did.
    pub(crate) fn given(path: Option<Given<Path>>) -> Self {
        Self(path.map_or_else(|| parse_quote!(::tool_runtime), |given| given.value))
    }

    /// Writes the path of the hidden module.
    pub(crate) fn private(&self) -> TokenStream {
        let Self(root) = self;
        quote!(#root::__private)
    }

    /// Writes the path of something in the hidden module as text, for `#[serde(crate = "…")]`.
    pub(crate) fn private_text(&self, name: &str) -> String {
        let root: String =
            self.0.to_token_stream().into_iter().map(|token| token.to_string()).collect();
        format!("{root}::__private::{name}")
    }
}
