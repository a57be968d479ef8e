//! Inspects types, and rewrites them for use outside of their function.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Expr, ExprPath, GenericArgument, Lifetime, PathArguments, QSelf, TraitBound, Type,
    TypeImplTrait, TypePath, TypeReference, parse_quote,
};

/// Returns whether the type is spelled `str`.
pub(crate) fn is_str(ty: &Type) -> bool {
    is_named(ty, &["str"])
}

/// Removes parentheses from a type.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(paren) => bare(&paren.elem),
        Type::Group(group) => bare(&group.elem),
        _ => ty,
    }
}

/// Returns whether the type's last path segment is one of these names.
pub(crate) fn is_named(ty: &Type, names: &[&str]) -> bool {
    match bare(ty) {
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last();
            last.is_some_and(|segment| names.iter().any(|name| segment.ident == name))
        }
        _ => false,
    }
}

/// The `T` of a type that is spelled `Option<T>`.
pub(crate) fn optional(ty: &Type) -> Option<&Type> {
    only_argument(ty, &["Option"])
}

/// The `T` of a type that is spelled `Name<T>` with one of these names.
pub(crate) fn only_argument<'t>(ty: &'t Type, names: &[&str]) -> Option<&'t Type> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last()?;
    if !names.iter().any(|name| last.ident == name) {
        return None;
    }
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Formats a type like handwritten code.
pub(crate) fn to_source(ty: &Type) -> String {
    tidy(&ty.to_token_stream())
}

fn tidy(tokens: &TokenStream) -> String {
    let mut text = tokens.to_string();
    for (loose, tight) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        ("< ", "<"),
        ("& ", "&"),
        (" ,", ","),
        (" ;", ";"),
    ] {
        text = text.replace(loose, tight);
    }
    text
}

/// Finds a borrow within an argument's type, and the owned type to use instead.
pub(crate) fn borrowed_inside(ty: &Type) -> Option<(TokenStream, String)> {
    let mut finder = Borrowed::default();
    finder.visit_type(ty);
    let borrow = finder.found?;
    let mut owned = ty.clone();
    OwnedTypeRewriter.visit_type_mut(&mut owned);
    Some((borrow, to_source(&owned)))
}

/// Finds `impl Trait` within the type.
pub(crate) fn opaque_inside(ty: &Type) -> Option<&TypeImplTrait> {
    struct Opaque<'t>(Option<&'t TypeImplTrait>);
    impl<'t> Visit<'t> for Opaque<'t> {
        fn visit_type_impl_trait(&mut self, found: &'t TypeImplTrait) {
            self.0.get_or_insert(found);
        }
    }
    let mut finder = Opaque(None);
    finder.visit_type(ty);
    finder.0
}

/// Finds `impl Future` or `dyn Future` within the type.
pub(crate) fn future_inside(ty: &Type) -> Option<TokenStream> {
    struct Futures(Option<TokenStream>);
    impl<'t> Visit<'t> for Futures {
        fn visit_trait_bound(&mut self, bound: &'t TraitBound) {
            let last = bound.path.segments.last();
            if last.is_some_and(|segment| segment.ident == "Future") {
                self.0.get_or_insert_with(|| bound.to_token_stream());
            }
        }
    }
    let mut finder = Futures(None);
    finder.visit_type(ty);
    finder.0
}

/// Rewrites a type for use outside of its function: `Self` by its name, every lifetime by
/// `'static`.
pub(crate) fn standalone(ty: &Type, this: Option<&Type>) -> Type {
    let mut ty = ty.clone();
    TypeRewriter { this, lifetimes: true }.visit_type_mut(&mut ty);
    ty
}

/// Replaces `Self` in an expression by the type's name.
pub(crate) fn standalone_expr(expr: &Expr, this: Option<&Type>) -> Expr {
    let mut expr = expr.clone();
    TypeRewriter { this, lifetimes: false }.visit_expr_mut(&mut expr);
    expr
}

#[derive(Default)]
struct Borrowed {
    found: Option<TokenStream>,
}

impl<'t> Visit<'t> for Borrowed {
    fn visit_type_reference(&mut self, reference: &'t TypeReference) {
        self.found.get_or_insert_with(|| reference.to_token_stream());
    }

    fn visit_lifetime(&mut self, lifetime: &'t Lifetime) {
        if lifetime.ident != "static" {
            self.found.get_or_insert_with(|| lifetime.to_token_stream());
        }
    }
}

/// Rewrites `&str` as `String`, `&[T]` as `Vec<T>`, any other `&T` as `T`.
struct OwnedTypeRewriter;

impl VisitMut for OwnedTypeRewriter {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Reference(reference) = ty {
            *ty = match reference.elem.as_ref() {
                elem if is_str(elem) => parse_quote!(String),
                Type::Slice(slice) => {
                    let elem = &slice.elem;
                    parse_quote!(Vec<#elem>)
                }
                elem => elem.clone(),
            };
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        *lifetime = Lifetime::new("'static", lifetime.span());
    }
}

struct TypeRewriter<'t> {
    this: Option<&'t Type>,
    lifetimes: bool,
}

impl TypeRewriter<'_> {
    /// Removes `Self` from the front of a path; returns the type that it stands for.
    fn take_self(&self, qself: &mut Option<QSelf>, path: &mut syn::Path) -> Option<Type> {
        let this = self.this?;
        let first = path.segments.first()?;
        if qself.is_some() || path.leading_colon.is_some() || first.ident != "Self" {
            return None;
        }
        if path.segments.len() > 1 {
            let tail_segments = std::mem::take(&mut path.segments).into_iter().skip(1);
            path.segments = tail_segments.collect();
            path.leading_colon = Some(syn::token::PathSep::default());
            *qself = Some(QSelf {
                lt_token: syn::token::Lt::default(),
                ty: Box::new(this.clone()),
                position: 0,
                as_token: None,
                gt_token: syn::token::Gt::default(),
            });
            return None;
        }
        Some(this.clone())
    }
}

impl VisitMut for TypeRewriter<'_> {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::Path(TypePath { qself, path, .. }) = ty {
            if let Some(this) = self.take_self(qself, path) {
                *ty = this;
                return;
            }
        }
        visit_mut::visit_type_mut(self, ty);
    }

    fn visit_expr_path_mut(&mut self, expr: &mut ExprPath) {
        let ExprPath { qself, path, .. } = expr;
        if let Some(Type::Path(this)) = self.take_self(qself, path) {
            *path = this.path;
        }
        visit_mut::visit_expr_path_mut(self, expr);
    }

    fn visit_type_reference_mut(&mut self, reference: &mut TypeReference) {
        if self.lifetimes && reference.lifetime.is_none() {
            reference.lifetime = Some(Lifetime::new("'static", Span::call_site()));
        }
        visit_mut::visit_type_reference_mut(self, reference);
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut Lifetime) {
        if self.lifetimes {
            *lifetime = Lifetime::new("'static", lifetime.span());
        }
    }
}
