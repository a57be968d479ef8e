//! Allows generated code to use a deprecated item, and only such code: an `#[allow]` does not compile in
//! a crate that forbids the lint.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Data, DeriveInput, Fields};

/// Returns the attribute that allows uses of a deprecated item, if these attributes may deprecate it.
pub(crate) fn allowance(may_be_deprecated: bool) -> Option<TokenStream> {
    may_be_deprecated.then(|| quote!(#[allow(deprecated)]))
}

/// Returns whether an attribute deprecates its item or allows deprecated ones, if only under a
/// condition.
pub(crate) fn is_named_by<'a>(attributes: impl IntoIterator<Item = &'a Attribute>) -> bool {
    attributes.into_iter().any(|attribute| names_lint(attribute.meta.to_token_stream()))
}

/// Returns whether a type or a part of it may be deprecated.
pub(crate) fn is_named_in(item: &DeriveInput) -> bool {
    let in_fields = |fields: &Fields| fields.iter().any(|field| is_named_by(&field.attrs));
    let in_data = match &item.data {
        Data::Struct(data) => in_fields(&data.fields),
        Data::Enum(data) => {
            data.variants.iter().any(|it| is_named_by(&it.attrs) || in_fields(&it.fields))
        }
        Data::Union(_) => false,
    };
    in_data || is_named_by(&item.attrs)
}

fn names_lint(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(name) => name == "deprecated",
        TokenTree::Group(group) => names_lint(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn a_deprecated_part_is_found_also_under_a_condition() {
        let plain: DeriveInput = parse_quote! {
            /// It is deprecated.
            #[serde(rename = "deprecated")]
            struct A { deprecated: u8 }
        };
        assert!(!is_named_in(&plain));
        for item in [
            parse_quote!(
                #[deprecated(note = "use B")]
                struct A;
            ),
            parse_quote!(
                #[cfg_attr(all(), deprecated)]
                struct A;
            ),
            parse_quote!(
                #[allow(deprecated)]
                struct A {
                    b: B,
                }
            ),
            parse_quote!(
                struct A {
                    #[deprecated]
                    b: u8,
                }
            ),
            parse_quote!(
                enum A {
                    #[deprecated]
                    B,
                }
            ),
            parse_quote!(
                enum A {
                    B {
                        #[deprecated]
                        c: u8,
                    },
                }
            ),
        ] {
            assert!(is_named_in(&item), "{}", item.to_token_stream());
        }
    }
}
