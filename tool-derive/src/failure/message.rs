//! Checks the fields in a message's placeholders.

use proc_macro2::Ident;
use syn::{LitStr, parse_str};

use crate::errors::Errors;
use crate::syntax::names::closest;

/// Checks that every `{field}` exists, and rewrites `{0}` as `{_0}`.
pub(crate) fn check(message: &LitStr, fields: &[Ident], errors: &Errors) -> Option<LitStr> {
    let text = message.value();
    if text.trim().is_empty() {
        errors.at(message, "the message is empty; write one, or `hide` for the code's own text");
        return None;
    }
    let mut written = String::new();
    let mut tail = text.as_str();
    while let Some(at) = tail.find(['{', '}']) {
        let (plain, brace) = tail.split_at(at);
        written.push_str(plain);
        if brace.starts_with("{{") || brace.starts_with("}}") {
            written.push_str(&brace[..2]);
            tail = &brace[2..];
            continue;
        }
        let Some(end) = brace.find('}').filter(|end| *end > 0) else {
            errors
                .at(message, "a single brace opens or closes a field: write `{{` or `}}` for text");
            return None;
        };
        written.push_str(&placeholder(&brace[1..end], fields, message, errors)?);
        tail = &brace[end + 1..];
    }
    written.push_str(tail);
    Some(LitStr::new(&written, message.span()))
}

fn placeholder(inner: &str, fields: &[Ident], message: &LitStr, errors: &Errors) -> Option<String> {
    let (name, format) = inner.split_once(':').map_or((inner, ""), |(name, format)| (name, format));
    let name = name.trim();
    let wanted = if name.parse::<usize>().is_ok() { format!("_{name}") } else { name.to_owned() };
    let is_field =
        parse_str::<Ident>(&wanted).is_ok() && fields.iter().any(|field| *field == wanted);
    if !is_field {
        errors.at(message, unknown(name, fields));
        return None;
    }
    let colon = if format.is_empty() { "" } else { ":" };
    Some(format!("{{{wanted}{colon}{format}}}"))
}

/// The message for an unknown field, with the existing ones.
pub(crate) fn unknown(name: &str, fields: &[Ident]) -> String {
    let number = name.parse::<usize>().is_ok();
    let display_name = |field: &Ident| {
        let text = field.to_string();
        if number { text.trim_start_matches('_').to_owned() } else { text }
    };
    let names: Vec<String> = fields.iter().map(display_name).collect();
    let candidates = names.iter().map(String::as_str);
    if names.is_empty() {
        return format!("there is no field `{name}` here: this case has no fields");
    }
    match closest(name, candidates) {
        Some(near) => format!("there is no field `{name}` here; did you mean `{near}`?"),
        None => format!("there is no field `{name}` here; there is {}", names.join(", ")),
    }
}
