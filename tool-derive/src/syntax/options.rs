//! Reads `key`, `key = value` and `key(…)` lists against a vocabulary.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use super::names::closest;
use crate::errors::Errors;

/// What may stand in an attribute.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Vocabulary {
    /// The attribute as the user writes it.
    pub(crate) attribute: &'static str,
    /// Each key with an example of its use.
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

/// The options of one attribute, as written.
#[derive(Debug)]
pub(crate) struct Options {
    vocabulary: Vocabulary,
    entries: Vec<Entry>,
}

/// A value with the key that it stands behind.
#[derive(Debug, Clone)]
pub(crate) struct Given<T> {
    pub(crate) key: Ident,
    pub(crate) value: T,
}

/// Whether the answers of a tool leave evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    None,
    /// An answer whose evidence cannot be kept is delivered with a warning.
    BestEffort,
    /// An answer whose evidence cannot be kept is withheld.
    Required,
}

#[derive(Debug)]
struct Entry {
    key: Ident,
    value: Value,
}

/// What stands behind a key.
#[derive(Debug)]
pub(crate) enum Value {
    /// Nothing.
    Flag,
    /// `= expression`.
    Is(Box<Expr>),
    /// `(tokens)`.
    List(TokenStream),
}

impl Options {
    /// Reads the options; what cannot be read is reported and left out.
    pub(crate) fn read(tokens: TokenStream, vocabulary: Vocabulary, errors: &Errors) -> Self {
        let mut options = Self { vocabulary, entries: Vec::new() };
        let parser = |input: ParseStream<'_>| options.fill(input, errors);
        if let Err(error) = parser.parse2(tokens) {
            errors.add(error);
        }
        options
    }

    /// Takes `key`, or `key = true` and `key = false`.
    pub(crate) fn flag(&mut self, key: &str, errors: &Errors) -> Option<Given<bool>> {
        self.take(key, errors, |value| match value {
            Value::Flag => Ok(true),
            Value::Is(expr) => match expr.as_ref() {
                Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) => Ok(lit.value),
                _ => Err(Value::Is(expr)),
            },
            Value::List(tokens) => Err(Value::List(tokens)),
        })
    }

    /// Takes `key`, `key = true`, `key = false` and `key = "required"`.
    pub(crate) fn evidence(&mut self, key: &str, errors: &Errors) -> Option<Given<Evidence>> {
        self.take(key, errors, |value| match value {
            Value::Flag => Ok(Evidence::BestEffort),
            Value::Is(expr) => match expr.as_ref() {
                Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. }) if lit.value => {
                    Ok(Evidence::BestEffort)
                }
                Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }) => Ok(Evidence::None),
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) if text.value() == "required" => {
                    Ok(Evidence::Required)
                }
                _ => Err(Value::Is(expr)),
            },
            Value::List(tokens) => Err(Value::List(tokens)),
        })
    }

    /// Takes `key = "text"`.
    pub(crate) fn text(&mut self, key: &str, errors: &Errors) -> Option<Given<LitStr>> {
        self.take(key, errors, |value| match value {
            Value::Is(expr) => match *expr {
                Expr::Lit(ExprLit { lit: Lit::Str(lit), .. }) => Ok(lit),
                other => Err(Value::Is(Box::new(other))),
            },
            other => Err(other),
        })
    }

    /// Takes `key = path`.
    pub(crate) fn path(&mut self, key: &str, errors: &Errors) -> Option<Given<Path>> {
        self.take(key, errors, |value| match value {
            Value::Is(expr) => match *expr {
                Expr::Path(path) if path.qself.is_none() => Ok(path.path),
                other => Err(Value::Is(Box::new(other))),
            },
            other => Err(other),
        })
    }

    /// Takes `key = expression`.
    pub(crate) fn expr(&mut self, key: &str, errors: &Errors) -> Option<Given<Expr>> {
        self.take(key, errors, |value| match value {
            Value::Is(expr) => Ok(*expr),
            other => Err(other),
        })
    }

    /// Takes `key(tokens)`.
    pub(crate) fn list(&mut self, key: &str, errors: &Errors) -> Option<Given<TokenStream>> {
        self.take(key, errors, |value| match value {
            Value::List(tokens) => Ok(tokens),
            other => Err(other),
        })
    }

    /// Says whether the key is there, in whatever form.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Takes whatever stands behind the key.
    pub(crate) fn any(&mut self, key: &str) -> Option<Given<Value>> {
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        let Entry { key, value } = self.entries.remove(index);
        Some(Given { key, value })
    }

    fn take<T>(
        &mut self,
        key: &str,
        errors: &Errors,
        convert: impl FnOnce(Value) -> Result<T, Value>,
    ) -> Option<Given<T>> {
        let Given { key, value } = self.any(key)?;
        match convert(value) {
            Ok(value) => Some(Given { key, value }),
            Err(value) => {
                let form = self.form(&key.to_string());
                let found: TokenStream = value.tokens(&key);
                errors.at(found, format!("`{key}` is written `{form}`"));
                None
            }
        }
    }

    fn fill(&mut self, input: ParseStream<'_>, errors: &Errors) -> syn::Result<()> {
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            let value = Value::parse(input)?;
            self.admit(Entry { key, value }, errors);
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error("a comma stands between options"));
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    }

    fn admit(&mut self, entry: Entry, errors: &Errors) {
        let key = entry.key.to_string();
        let attribute = self.vocabulary.attribute;
        if !self.vocabulary.keys.iter().any(|(known, _)| *known == key) {
            errors.at(&entry.key, self.unknown(&key));
        } else if self.entries.iter().any(|earlier| earlier.key == entry.key) {
            errors.at(
                &entry.key,
                format!("`{key}` is given twice in `{attribute}`; keep one of them"),
            );
        } else {
            self.entries.push(entry);
        }
    }

    fn unknown(&self, key: &str) -> String {
        let Vocabulary { attribute, keys } = self.vocabulary;
        let known = keys.iter().map(|(key, _)| *key);
        match closest(key, known.clone()) {
            Some(near) => format!("`{attribute}` has no option `{key}`; did you mean `{near}`?"),
            None => format!(
                "`{attribute}` has no option `{key}`; it has {}",
                known.map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
            ),
        }
    }

    fn form(&self, key: &str) -> &'static str {
        let known = self.vocabulary.keys.iter().find(|(known, _)| *known == key);
        known.map_or("", |(_, form)| form)
    }
}

impl Value {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            return input.parse().map(|expr| Self::Is(Box::new(expr)));
        }
        if input.peek(syn::token::Paren) {
            let content;
            syn::parenthesized!(content in input);
            return content.parse().map(Self::List);
        }
        Ok(Self::Flag)
    }

    /// Writes the tokens to underline where this value is wrong: itself, else its key.
    fn tokens(&self, key: &Ident) -> TokenStream {
        match self {
            Self::Is(expr) => expr.to_token_stream(),
            Self::List(tokens) if !tokens.is_empty() => tokens.clone(),
            _ => key.to_token_stream(),
        }
    }
}
