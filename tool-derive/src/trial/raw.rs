//! Parses the input of `assert_tool!`.

use proc_macro2::TokenStream;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, LitStr, Path, Token};

use crate::errors::Errors;
use crate::syntax::names::{closest, handle_of};
use crate::syntax::options::KeyedValue;
use crate::syntax::root::Root;

/// The settings of a trial, which are its methods by name.
const SETTINGS: [&str; 13] = [
    "state",
    "shared_state",
    "toolkit",
    "shared_toolkit",
    "with",
    "input",
    "effects",
    "cases",
    "budget",
    "seed",
    "real_time",
    "snapshots_in",
    "context",
];

/// Settings that may be repeated.
const REPEATED: [&str; 6] = ["state", "shared_state", "toolkit", "shared_toolkit", "with", "input"];

const EXAMPLE: &str = "as in `assert_tool!(search_content, state = index)`";

/// The tool and the settings of its trial.
pub(super) struct RawTrial {
    pub(super) tool: Tool,
    pub(super) settings: Vec<(Ident, Expr)>,
    pub(super) root: Root,
}

/// The reference to the tool.
pub(super) enum Tool {
    Handle(Path),
    Method { toolkit: Path, method: Ident },
    Named(LitStr),
}

impl RawTrial {
    pub(super) fn parse(input: TokenStream, errors: &Errors) -> Option<Self> {
        let read = |input: ParseStream<'_>| Ok(Self::read(input, errors));
        Parser::parse2(read, input).map_err(|error| errors.add(error)).ok().flatten()
    }

    fn read(input: ParseStream<'_>, errors: &Errors) -> Option<Self> {
        if input.is_empty() {
            errors.span(input.span(), format!("name the tool first, {EXAMPLE}"));
            return None;
        }
        let tool = tool(input, errors);
        let (mut settings, mut root) = (Vec::new(), None);
        while !input.is_empty() {
            if let Err(error) = input.parse::<Token![,]>() {
                errors.span(error.span(), format!("settings follow after commas, {EXAMPLE}"));
                skip(input);
                return None;
            }
            if input.is_empty() {
                break;
            }
            setting(input, &mut settings, &mut root, errors)?;
        }
        let root = Root::given(root, errors);
        Some(Self { tool: tool?, settings, root })
    }
}

fn tool(input: ParseStream<'_>, errors: &Errors) -> Option<Tool> {
    if input.peek(LitStr) {
        return input.parse().map(Tool::Named).map_err(|error| errors.add(error)).ok();
    }
    let place = input.fork();
    if let Ok(path) = input.call(Path::parse_mod_style) {
        return tool_from_path(path, errors);
    }
    let rule = "a tool is the path of its function, its handle, or its name in quotes";
    let expr: Option<Expr> = place.parse().ok();
    let message = format!("{rule}, {EXAMPLE}");
    if let Some(expr) = expr {
        errors.at(&expr, message);
        drop(input.parse::<Expr>());
    } else {
        errors.span(input.span(), message);
        skip(input);
    }
    None
}

/// Reads a path: a function's refers to its handle, a method's to its toolkit.
fn tool_from_path(mut path: Path, errors: &Errors) -> Option<Tool> {
    let last = path.segments.pop()?;
    let before = path.segments.last();
    if is_type(&last.ident) {
        path.segments.push(last);
        return Some(Tool::Handle(path));
    }
    if before.is_some_and(|before| is_type(&before.ident)) {
        path.segments.pop_punct();
        return Some(Tool::Method { toolkit: path, method: last.ident });
    }
    let Some(handle) = handle_of(&last.ident) else {
        let message = "no handle can be made of this name: name the handle that `handle = …` gives";
        errors.at(&last.ident, message);
        return None;
    };
    path.segments.push(handle.into());
    Some(Tool::Handle(path))
}

fn is_type(name: &Ident) -> bool {
    name.unraw().to_string().starts_with(char::is_uppercase)
}

/// Parses one setting; `None` if parsing cannot continue.
fn setting(
    input: ParseStream<'_>,
    settings: &mut Vec<(Ident, Expr)>,
    root: &mut Option<KeyedValue<Path>>,
    errors: &Errors,
) -> Option<()> {
    let is_named = input.peek(Ident::peek_any) && input.peek2(Token![=]);
    if !is_named {
        let message = "a setting is `name = value`, as in `state = index` or `cases = 64`";
        errors.span(input.span(), message);
        skip(input);
        return None;
    }
    let read = || -> syn::Result<Ident> {
        let name = input.call(Ident::parse_any)?;
        input.parse::<Token![=]>()?;
        Ok(name)
    };
    let name = read().map_err(|error| errors.add(error)).ok()?;
    if name == "crate" {
        let value = input.call(Path::parse_mod_style).map_err(|error| errors.add(error)).ok()?;
        *root = Some(KeyedValue { key: name, value });
        return Some(());
    }
    let value: Expr = input.parse().map_err(|error| errors.add(error)).ok()?;
    let text = name.to_string();
    if !SETTINGS.contains(&text.as_str()) {
        let hint = match closest(&text, SETTINGS.into_iter()) {
            Some(close) => format!("did you mean `{close}`?"),
            None => format!("there are {}", SETTINGS.join(", ")),
        };
        errors.at(&name, format!("there is no setting `{text}`; {hint}"));
    } else if !REPEATED.contains(&text.as_str()) && settings.iter().any(|(other, _)| *other == name)
    {
        errors.at(&name, format!("`{text}` is set twice; keep one"));
    } else {
        settings.push((name, value));
    }
    Some(())
}

/// Skips the rest of the input.
fn skip(input: ParseStream<'_>) {
    drop(input.parse::<TokenStream>());
}
