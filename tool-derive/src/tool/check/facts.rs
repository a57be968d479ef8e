//! What is said about the tool: `effect`, `effect_options`, `times`, `names`, `description`.

use syn::ext::IdentExt;
use syn::{Attribute, Ident, LitStr};

use super::super::model::{Effect, Facts};
use super::super::raw::RawOptions;
use super::Surroundings;
use crate::errors::Errors;
use crate::syntax::docs::Description;
use crate::syntax::duration::milliseconds;
use crate::syntax::names::{closest, is_portable, is_semver};
use crate::syntax::options::Given;

const LONGEST_NAME: usize = 128;
const EFFECTS: [(&str, Effect); 3] =
    [("read", Effect::Read), ("write", Effect::Write), ("destructive", Effect::Destructive)];

/// Checks the options and the description.
pub(super) fn check(
    options: &RawOptions,
    attributes: &[Attribute],
    function: &Ident,
    kit: Option<Surroundings<'_>>,
    errors: &Errors,
) -> Option<Facts> {
    let effect = effect(options, function, errors);
    if let Some(effect) = effect {
        effect_options(options, effect, errors);
    }
    let ttl = time(options.ttl.as_ref(), errors);
    let timeout = time(options.timeout.as_ref(), errors);
    let name = name(options.name.as_ref(), function, kit, errors);
    let version = version(options.version.as_ref(), errors);
    let title = line(options.title.as_ref(), errors);
    let category = line(options.category.as_ref(), errors);
    let description = description(attributes, function, errors);
    Some(Facts {
        name: name?,
        title,
        version: version?,
        description: description?,
        category,
        effect: effect?,
        idempotent: is(options.idempotent.as_ref(), false),
        open_world: is(options.open_world.as_ref(), false),
        ttl,
        timeout,
        requires_auth: is(options.requires_auth.as_ref(), true),
        ai_callable: is(options.ai_callable.as_ref(), true),
    })
}

fn is(given: Option<&Given<bool>>, otherwise: bool) -> bool {
    given.map_or(otherwise, |given| given.value)
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
        errors.at(
            &word.key,
            format!("the effect is \"{text}\" already, and a tool has one; remove this word"),
        );
    }
    let found = EFFECTS.into_iter().find(|(name, _)| *name == text);
    if found.is_none() {
        errors.at(&given.value, unknown_effect(&text));
    }
    found.map(|(_, effect)| effect)
}

fn missing_effect(word: Option<&Given<bool>>, function: &Ident, errors: &Errors) {
    match word {
        Some(Given { key, .. }) => {
            errors.at(key, format!("the effect is written `effect = \"{key}\"`"));
        }
        None => errors.at(
            function,
            "a tool says what it does to the world: add `effect = \"read\"`, `\"write\"` or \
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

fn effect_options(options: &RawOptions, effect: Effect, errors: &Errors) {
    if effect != Effect::Read {
        if let Some(ttl) = &options.ttl {
            errors.at(
                &ttl.key,
                "`ttl` keeps an answer to give it again, but a write must run; remove it",
            );
        }
        return;
    }
    if let Some(given) = &options.idempotent {
        errors.at(&given.key, "a read can always be repeated; remove `idempotent`");
    }
}

fn time(given: Option<&Given<LitStr>>, errors: &Errors) -> Option<u64> {
    given.and_then(|given| milliseconds(&given.value, errors))
}

fn name(
    given: Option<&Given<LitStr>>,
    function: &Ident,
    kit: Option<Surroundings<'_>>,
    errors: &Errors,
) -> Option<String> {
    let own = given.map_or_else(|| function.unraw().to_string(), |given| given.value.value());
    let full = kit.map_or_else(|| own.clone(), |kit| format!("{}.{own}", kit.name));
    if is_portable(&full, LONGEST_NAME) && !own.is_empty() {
        return Some(full);
    }
    let rule = "a tool's name is 1 to 128 of `A-Z a-z 0-9 _ . -`";
    match given {
        Some(given) => errors.at(&given.value, format!("{rule}; choose another")),
        None => errors.at(function, format!("{rule}; give one: `name = \"…\"`")),
    }
    None
}

fn version(given: Option<&Given<LitStr>>, errors: &Errors) -> Option<String> {
    let Some(given) = given else { return Some("1.0.0".to_owned()) };
    let text = given.value.value();
    if is_semver(&text) {
        return Some(text);
    }
    errors.at(&given.value, "a version is `major.minor.patch`, as in `version = \"1.0.0\"`");
    None
}

fn line(given: Option<&Given<LitStr>>, errors: &Errors) -> Option<LitStr> {
    let Given { key, value } = given?;
    if value.value().trim().is_empty() {
        errors.at(value, format!("`{key}` is empty; write one or remove the option"));
    }
    Some(value.clone())
}

fn description(attributes: &[Attribute], function: &Ident, errors: &Errors) -> Option<Description> {
    let found = Description::of(attributes);
    if found.is_none() {
        errors.at(
            function,
            "a model chooses a tool by its description: add a doc comment (`/// …`) to the function",
        );
    }
    found
}
