//! `assert_tool!`: generates a trial of a tool.

mod emit;
mod raw;

use proc_macro2::TokenStream;

use crate::errors::Errors;
use raw::RawTrial;

/// Expands `assert_tool!`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let raw = RawTrial::parse(input, &errors);
    match (errors.finish(), raw) {
        (None, Some(raw)) => emit::emit(&raw),
        (errors, _) => errors.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::expand;

    #[track_caller]
    fn check(input: proc_macro2::TokenStream, wanted: &str) {
        let found = expand(input).to_string().replace(' ', "");
        assert!(found.contains(&wanted.replace(' ', "")), "{found}");
    }

    #[test]
    fn a_function_is_tried_by_its_handle() {
        check(quote!(search_content), "ToolTrial::for_tool::<SearchContentTool>()");
        check(quote!(site::tools::search_content), "for_tool::<site::tools::SearchContentTool>()");
        check(quote!(r#type), "for_tool::<TypeTool>()");
    }

    #[test]
    fn a_handle_is_taken_as_it_is() {
        check(quote!(tools::Find), "for_tool::<tools::Find>()");
    }

    #[test]
    fn a_method_is_tried_by_its_toolkit() {
        check(quote!(Content::search), "for_method::<Content>(\"search\")");
        check(quote!(kits::Content::r#type), "for_method::<kits::Content>(\"type\")");
    }

    #[test]
    fn settings_are_calls_in_their_order() {
        let input = quote!("content.search", toolkit = Content { db }, cases = 8);
        check(input, ".toolkit(Content{db}).cases(8).assert()");
    }

    #[test]
    fn every_mistake_is_told() {
        check(quote!(), "name the tool first");
        check(quote!(7), "the path of its function");
        check(quote!(search, state), "a setting is `name = value`");
        check(quote!(search, stat = 1), "did you mean `state`?");
        check(quote!(search, seed = 1, seed = 2), "`seed` is set twice");
        let two = expand(quote!(7, stat = 1)).to_string();
        assert_eq!(two.matches("compile_error").count(), 2, "{two}");
    }
}
