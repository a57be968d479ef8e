//! The path of the runtime in generated code: that of `crate = …`, else the dependency's name in the
//! user's manifest.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Path, parse_quote};

use super::manifest::RuntimeDependency;
use super::options::KeyedValue;
use crate::errors::Errors;

/// The path of the runtime crate.
#[derive(Debug, Clone)]
pub(crate) struct Root(Path);

impl Root {
    /// Takes the path of `crate = …`, else looks the dependency up.
    pub(crate) fn given(path: Option<KeyedValue<Path>>, errors: &Errors) -> Self {
        match path {
            Some(given) => Self(given.value),
            None => Self::from_dependency(RuntimeDependency::read(), errors),
        }
    }

    fn from_dependency(dependency: RuntimeDependency, errors: &Errors) -> Self {
        match dependency {
            RuntimeDependency::Named(name) => {
                let name = format_ident!("{name}", span = Span::call_site());
                return Self(parse_quote!(::#name));
            }
            RuntimeDependency::Absent => errors.span(
                Span::call_site(),
                "this crate does not depend on `tool-runtime`: run `cargo add tool-runtime`, or say \
                 which crate re-exports it, as in `crate = that_crate::tool_runtime`",
            ),
            RuntimeDependency::Unknown => {}
        }
        Self(parse_quote!(::tool_runtime))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dependency: RuntimeDependency, path: &str, message: Option<&str>) {
        let errors = Errors::new();
        let root = Root::from_dependency(dependency, &errors);
        assert_eq!(root.private_text("serde"), format!("{path}::__private::serde"));
        let found = errors.finish().map(|found| found.to_string());
        assert_eq!(found.is_some(), message.is_some());
        assert!(message.is_none_or(|text| found.is_some_and(|found| found.contains(text))));
    }

    #[test]
    fn the_path_follows_the_manifest() {
        check(RuntimeDependency::Named("tools".to_owned()), "::tools", None);
        check(RuntimeDependency::Unknown, "::tool_runtime", None);
        let advice = "`crate = that_crate::tool_runtime`";
        check(RuntimeDependency::Absent, "::tool_runtime", Some(advice));
    }
}
