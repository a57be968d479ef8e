//! Checks the tool's options: `effect`, `effect_options`, `times`, `shared`, `names`, `examples`,
//! `description`.

use syn::ext::IdentExt;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr};

use super::super::model::{Cost, Effect, ToolMetadata};
use super::super::raw::RawOptions;
use super::ToolkitContext;
use crate::errors::Errors;
use crate::syntax::docs::Description;
use crate::syntax::duration::{DAY, milliseconds};
use crate::syntax::json;
use crate::syntax::names::{closest, is_portable, is_semver};
use crate::syntax::options::KeyedValue;

const MAX_NAME_LENGTH: usize = 128;
const EFFECTS: [(&str, Effect); 3] =
    [("read", Effect::Read), ("write", Effect::Write), ("destructive", Effect::Destructive)];

/// Checks the options and the description.
pub(super) fn check(
    options: &RawOptions,
    attributes: &[Attribute],
    function: &Ident,
    kit: Option<ToolkitContext<'_>>,
    errors: &Errors,
) -> Option<ToolMetadata> {
    let effect = effect(options, function, errors);
    if let Some(effect) = effect {
        effect_options(options, effect, errors);
    }
    let ttl_ms = time(options.ttl.as_ref(), errors);
    let timeout_ms = time(options.timeout.as_ref(), errors);
    let retention_ms = retention(options.retention.as_ref(), errors);
    let shared = shared(options, effect, errors);
    let name = name(options.name.as_ref(), function, kit, errors);
    let version = version(options.version.as_ref(), errors);
    let title = non_empty_text(options.title.as_ref(), errors);
    let category = non_empty_text(options.category.as_ref(), errors);
    let cost = cost(options.cost.as_ref(), errors);
    let description = description(attributes, function, errors);
    check_examples(&options.examples, errors);
    Some(ToolMetadata {
        name: name?,
        title,
        version: version?,
        description: description?,
        category,
        cost,
        examples: options.examples.clone(),
        effect: effect?,
        idempotent: flag_or(options.idempotent.as_ref(), false),
        open_world: flag_or(options.open_world.as_ref(), false),
        ttl_ms,
        timeout_ms,
        forwards_key: forwarding(options.forwards_key.as_ref(), effect),
        retention_ms,
        shared,
        requires_auth: flag_or(options.requires_auth.as_ref(), true),
        ai_callable: flag_or(options.ai_callable.as_ref(), true),
    })
}

fn flag_or(given: Option<&KeyedValue<bool>>, otherwise: bool) -> bool {
    given.map_or(otherwise, |given| given.value)
}

/// Keeps the option only for writes; for a read it is an error, reported elsewhere.
fn forwarding(given: Option<&KeyedValue<bool>>, effect: Option<Effect>) -> Option<Ident> {
    let given = given.filter(|given| given.value && effect != Some(Effect::Read));
    given.map(|given| given.key.clone())
}

fn effect(options: &RawOptions, function: &Ident, errors: &Errors) -> Option<Effect> {
    let Some(given) = &options.effect else {
        if !options.effect_malformed {
            missing_effect(options.effect_words.first(), function, errors);
        }
        return None;
    };
    let text = given.value.value();
    for word in &options.effect_words {
        errors.at(&word.key, format!("the effect is \"{text}\" already; remove this option"));
    }
    let effect_entry = EFFECTS.into_iter().find(|(name, _)| *name == text);
    if effect_entry.is_none() {
        errors.at(&given.value, unknown_effect(&text));
    }
    effect_entry.map(|(_, effect)| effect)
}

fn missing_effect(word: Option<&KeyedValue<bool>>, function: &Ident, errors: &Errors) {
    match word {
        Some(KeyedValue { key, .. }) => {
            errors.at(key, format!("the effect is written `effect = \"{key}\"`"));
        }
        None => errors.at(
            function,
            "a tool declares its effect: add `effect = \"read\"`, `\"write\"` or \
             `\"destructive\"` to `#[ai_tool(…)]`",
        ),
    }
}

fn unknown_effect(text: &str) -> String {
    match closest(text, EFFECTS.into_iter().map(|(name, _)| name)) {
        Some(near) => format!("there is no effect \"{text}\"; did you mean \"{near}\"?"),
        None => format!(
            "there is no effect \"{text}\"; a tool that changes nothing is \"read\", one that \
             changes something \"write\", one that cannot be undone \"destructive\""
        ),
    }
}

/// Checks the form of a cost; its currency is checked where the budgets are.
fn cost(given: Option<&KeyedValue<Expr>>, errors: &Errors) -> Option<Cost> {
    let given = given?;
    match &given.value {
        Expr::Lit(ExprLit { lit: Lit::Str(amount), .. }) if is_cost(&amount.value()) => {
            Some(Cost::Fixed(amount.clone()))
        }
        Expr::Path(path) if path.qself.is_none() => Some(Cost::Estimate(path.path.clone())),
        other => {
            errors.at(
                other,
                "a cost is an exact amount and its currency, as in `cost = \"0.02 USD\"`, or a \
                 function over the tool's arguments that returns it, as in `cost = estimate`",
            );
            None
        }
    }
}

fn is_cost(text: &str) -> bool {
    let is_amount = |amount: &str| {
        let (whole, part) = amount.split_once('.').unwrap_or((amount, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        digits(whole) && digits(part) && part.len() <= 6
    };
    let is_code = |code: &str| code.len() == 3 && code.bytes().all(|it| it.is_ascii_uppercase());
    text.split_once(' ').is_some_and(|(amount, code)| is_amount(amount) && is_code(code))
}

fn effect_options(options: &RawOptions, effect: Effect, errors: &Errors) {
    let misplaced: &[(Option<&Ident>, &str)] = match effect {
        Effect::Read => &[
            (
                key(options.idempotent.as_ref()),
                "a read can always be repeated; remove `idempotent`",
            ),
            (
                key(options.reconcile.as_ref()),
                "`reconcile` is for writes; remove it, or set `effect = \"write\"`",
            ),
            (
                key(options.forwards_key.as_ref()),
                "`forwards_key` is for writes; remove it, or set `effect = \"write\"`",
            ),
            (
                key(options.cost.as_ref()),
                "a call that costs money has an effect: set `effect = \"write\"`, or remove `cost`",
            ),
            (
                key(options.retention.as_ref()),
                "`retention` is for writes, whose results are stored under an idempotency key; the \
                 cache time of a read is `ttl`: use that, or remove it",
            ),
        ],
        Effect::Write | Effect::Destructive => &[
            (
                key(options.ttl.as_ref()),
                "`ttl` is for reads, since results of a write are not cached; remove it",
            ),
            (
                key(options.shared.as_ref()),
                "`shared` is for reads, since results of a write are not cached; remove it",
            ),
        ],
    };
    for (key, rule) in misplaced {
        if let Some(key) = key {
            errors.at(key, rule);
        }
    }
}

fn key<T>(given: Option<&KeyedValue<T>>) -> Option<&Ident> {
    given.map(|given| &given.key)
}

/// Checks that shared outputs are cached; for a write, the option is an error.
fn shared(options: &RawOptions, effect: Option<Effect>, errors: &Errors) -> bool {
    let Some(given) = options.shared.as_ref().filter(|given| given.value) else { return false };
    if effect == Some(Effect::Read) && options.ttl.is_none() {
        errors.at(
            &given.key,
            "`shared` shares cached results, and without a `ttl` none are cached: add one, as in \
             `ttl = \"60s\"`, or remove it",
        );
    }
    true
}

/// Parses the retention of an output under its key, at least the runtime's minimum.
fn retention(given: Option<&KeyedValue<LitStr>>, errors: &Errors) -> Option<u64> {
    let retention_period = time(given, errors);
    if let (Some(given), Some(..DAY)) = (given, retention_period) {
        errors.at(
            &given.value,
            "`retention` is at least a day, since repeats may arrive late: write `\"24h\"` or more",
        );
    }
    retention_period
}

fn time(given: Option<&KeyedValue<LitStr>>, errors: &Errors) -> Option<u64> {
    given.and_then(|given| milliseconds(&given.value, errors))
}

fn name(
    given: Option<&KeyedValue<LitStr>>,
    function: &Ident,
    kit: Option<ToolkitContext<'_>>,
    errors: &Errors,
) -> Option<String> {
    let own_name = given.map_or_else(|| function.unraw().to_string(), |given| given.value.value());
    let full = kit.map_or_else(|| own_name.clone(), |kit| format!("{}.{own_name}", kit.name));
    if is_portable(&full, MAX_NAME_LENGTH) && !own_name.is_empty() {
        return Some(full);
    }
    let rule = "a tool's name is 1 to 128 of `A-Z a-z 0-9 _ . -`";
    match given {
        Some(given) => errors.at(&given.value, format!("{rule}; choose another")),
        None => errors.at(function, format!("{rule}; give one: `name = \"…\"`")),
    }
    None
}

fn version(given: Option<&KeyedValue<LitStr>>, errors: &Errors) -> Option<String> {
    let Some(given) = given else { return Some("1.0.0".to_owned()) };
    let text = given.value.value();
    if is_semver(&text) {
        return Some(text);
    }
    errors.at(&given.value, "a version is `major.minor.patch`, as in `version = \"1.0.0\"`");
    None
}

fn non_empty_text(given: Option<&KeyedValue<LitStr>>, errors: &Errors) -> Option<LitStr> {
    let KeyedValue { key, value } = given?;
    if value.value().trim().is_empty() {
        errors.at(value, format!("`{key}` must not be empty: give it a value or remove it"));
    }
    Some(value.clone())
}

/// Checks that each example is a JSON object; the runtime checks it against the schema.
fn check_examples(examples: &[LitStr], errors: &Errors) {
    for example in examples {
        if let Err(error) = json::check_object(&example.value()) {
            errors.at(
                example,
                format!(
                    "an example is a JSON object of all arguments, as in \
                     `example = r#\"{{\"query\":\"tea\"}}\"#`: {error}"
                ),
            );
        }
    }
}

fn description(attributes: &[Attribute], function: &Ident, errors: &Errors) -> Option<Description> {
    let doc_description = Description::from_attributes(attributes);
    if doc_description.is_none() {
        errors.at(
            function,
            "a model chooses a tool by its description: add a doc comment (`/// …`) to the function",
        );
    }
    doc_description
}
