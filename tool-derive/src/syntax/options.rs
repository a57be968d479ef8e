//! Reads `key`, `key = value` and `key(…)` lists, and checks the keys against the allowed ones.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use super::groups::{ungrouped, ungrouped_tokens};
use super::names::closest;
use crate::errors::Errors;

/// The form of a description.
pub(crate) const DOC_COMMENT: &str = "a doc comment, `/// …`";

/// The options that an attribute may have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AllowedOptions {
    /// The attribute as the user writes it.
    pub(crate) attribute: &'static str,
    /// Each key with an example of its use.
    pub(crate) keys: &'static [(&'static str, &'static str)],
    /// The keys that are parsed for an error of their own, and are no options.
    pub(crate) misplaced: &'static [&'static str],
    /// The keys that may be given more than once.
    pub(crate) repeatable: &'static [&'static str],
    /// Keys that other libraries have, each with the form to write here.
    pub(crate) synonyms: &'static [(&'static str, &'static str)],
}

/// The options of one attribute, as written.
#[derive(Debug)]
pub(crate) struct Options {
    allowed: AllowedOptions,
    entries: Vec<OptionEntry>,
}

/// A value with its key.
#[derive(Debug, Clone)]
pub(crate) struct KeyedValue<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
}

/// The evidence mode of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    None,
    /// An output whose evidence cannot be stored is returned with a warning.
    BestEffort,
    /// An output whose evidence cannot be stored is withheld.
    Required,
}

#[derive(Debug)]
struct OptionEntry {
    key: Ident,
    value: OptionValue,
}

/// The value of an option.
#[derive(Debug)]
pub(crate) enum OptionValue {
    /// No value.
    Flag,
    /// `= expression`.
    Is(Box<Expr>),
    /// `(tokens)`.
    List(TokenStream),
}

impl Options {
    /// Parses the options; invalid ones are reported and omitted.
    pub(crate) fn read(tokens: TokenStream, allowed: AllowedOptions, errors: &Errors) -> Self {
        let mut options = Self { allowed, entries: Vec::new() };
        let parser = |input: ParseStream<'_>| options.fill(input, errors);
        if let Err(error) = parser.parse2(tokens) {
            errors.add(error);
        }
        options
    }

    /// Takes `key`, or `key = true` and `key = false`.
    pub(crate) fn flag(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<bool>> {
        self.take(key, errors, |value| match value {
            OptionValue::Flag => Ok(true),
            OptionValue::Is(expr) => match expr.as_ref() {
                Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) => Ok(lit.value),
                _ => Err(OptionValue::Is(expr)),
            },
            OptionValue::List(tokens) => Err(OptionValue::List(tokens)),
        })
    }

    /// Takes `key`, `key = true`, `key = false` and `key = "required"`.
    pub(crate) fn evidence(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<Evidence>> {
        self.take(key, errors, |value| match value {
            OptionValue::Flag => Ok(Evidence::BestEffort),
            OptionValue::Is(expr) => match expr.as_ref() {
                Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) if lit.value => {
                    Ok(Evidence::BestEffort)
                }
                Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }) => Ok(Evidence::None),
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "required" => {
                    Ok(Evidence::Required)
                }
                _ => Err(OptionValue::Is(expr)),
            },
            OptionValue::List(tokens) => Err(OptionValue::List(tokens)),
        })
    }

    /// Takes `key = "text"`.
    pub(crate) fn text(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<LitStr>> {
        self.take(key, errors, |value| match value {
            OptionValue::Is(expr) => match *expr {
                Expr::Lit(ExprLit { lit: Lit::Str(lit), .. }) => Ok(lit),
                other => Err(OptionValue::Is(Box::new(other))),
            },
            other @ (OptionValue::Flag | OptionValue::List(_)) => Err(other),
        })
    }

    /// Takes each `key = "text"`.
    pub(crate) fn texts(&mut self, key: &str, errors: &Errors) -> Vec<LitStr> {
        let mut literals = Vec::new();
        while self.has(key) {
            literals.extend(self.text(key, errors).map(|given| given.value));
        }
        literals
    }

    /// Takes `key = path`.
    pub(crate) fn path(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<Path>> {
        self.take(key, errors, |value| match value {
            OptionValue::Is(expr) => match *expr {
                Expr::Path(path) if path.qself.is_none() => Ok(path.path),
                other => Err(OptionValue::Is(Box::new(other))),
            },
            other @ (OptionValue::Flag | OptionValue::List(_)) => Err(other),
        })
    }

    /// Takes `key = expression`.
    pub(crate) fn expr(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<Expr>> {
        self.take(key, errors, |value| match value {
            OptionValue::Is(expr) => Ok(*expr),
            other @ (OptionValue::Flag | OptionValue::List(_)) => Err(other),
        })
    }

    /// Takes `key(tokens)`.
    pub(crate) fn list(&mut self, key: &str, errors: &Errors) -> Option<KeyedValue<TokenStream>> {
        self.take(key, errors, |value| match value {
            OptionValue::List(tokens) => Ok(tokens),
            other @ (OptionValue::Flag | OptionValue::Is(_)) => Err(other),
        })
    }

    /// Returns whether the option is present, in any form.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Takes an option in any form.
    pub(crate) fn any(&mut self, key: &str) -> Option<KeyedValue<OptionValue>> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        let OptionEntry { key, value } = self.entries.remove(index);
        Some(KeyedValue { key, value })
    }

    fn take<T>(
        &mut self,
        key: &str,
        errors: &Errors,
        convert: impl FnOnce(OptionValue) -> Result<T, OptionValue>,
    ) -> Option<KeyedValue<T>> {
        let KeyedValue { key, value } = self.any(key)?;
        match convert(value) {
            Ok(value) => Some(KeyedValue { key, value }),
            Err(value) => {
                let form = self.form(&key.to_string());
                let value_tokens: TokenStream = value.tokens(&key);
                errors.at(value_tokens, format!("`{key}` is written `{form}`"));
                None
            }
        }
    }

    fn fill(&mut self, input: ParseStream<'_>, errors: &Errors) -> syn::Result<()> {
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            let value = OptionValue::parse(input)?;
            self.admit(OptionEntry { key, value }, errors);
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error("expected a comma between options"));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    }

    fn admit(&mut self, entry: OptionEntry, errors: &Errors) {
        let key = entry.key.to_string();
        let attribute = self.allowed.attribute;
        if !self.allowed.keys.iter().any(|(known, _)| *known == key) {
            errors.at(&entry.key, self.unknown(&key));
        } else if self.entries.iter().any(|earlier| earlier.key == entry.key)
            && !self.allowed.repeatable.contains(&&*key)
        {
            errors.at(
                &entry.key,
                format!("`{key}` is given twice in `{attribute}`; keep one of them"),
            );
        } else {
            self.entries.push(entry);
        }
    }

    fn unknown(&self, key: &str) -> String {
        let AllowedOptions { attribute, keys, misplaced, synonyms, .. } = self.allowed;
        if let Some((_, form)) = synonyms.iter().find(|(synonym, _)| *synonym == key) {
            return format!("`{attribute}` has no option `{key}`; write {form}");
        }
        let known_keys = keys.iter().map(|(key, _)| *key);
        let is_option = |key: &&str| !misplaced.contains(key);
        match closest(key, known_keys.clone()) {
            Some(near) => {
                let near = if is_option(&near) { near } else { self.form(near) };
                format!("`{attribute}` has no option `{key}`; did you mean `{near}`?")
            }
            None => format!(
                "`{attribute}` has no option `{key}`; it has {}",
                known_keys
                    .filter(is_option)
                    .map(|key| format!("`{key}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        }
    }

    fn form(&self, key: &str) -> &'static str {
        let key_form = self.allowed.keys.iter().find(|(known, _)| *known == key);
        key_form.map_or("", |(_, form)| form)
    }
}

impl OptionValue {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            return input.parse().map(|expr| Self::Is(Box::new(ungrouped(expr))));
        }
        if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            return content.parse().map(|tokens| Self::List(ungrouped_tokens(tokens)));
        }
        Ok(Self::Flag)
    }

    /// The tokens to underline for an error in this value: the value, else its key.
    fn tokens(&self, key: &Ident) -> TokenStream {
        match self {
            Self::Is(expr) => expr.to_token_stream(),
            Self::List(tokens) if !tokens.is_empty() => tokens.clone(),
            Self::Flag | Self::List(_) => key.to_token_stream(),
        }
    }
}
