//! Checks a raw toolkit. In order:
//!
//! - `block`: an inherent `impl` without type parameters
//! - `name`: a valid prefix of every tool's name
//! - `description`: the block has a description
//! - `tools`: there are tools, each is valid, and names are unique

use std::collections::HashSet;

use syn::{Ident, LitStr, Type};

use super::model::Toolkit;
use super::raw::RawToolkit;
use crate::errors::Errors;
use crate::syntax::deprecation;
use crate::syntax::docs::Description;
use crate::syntax::names::{is_portable, snake};
use crate::syntax::options::KeyedValue;
use crate::syntax::root::Root;
use crate::syntax::types;
use crate::tool::check::{self, ToolkitContext};
use crate::tool::model::Tool;
use crate::tool::raw::RawTool;

const MAX_NAME_LENGTH: usize = 64;

/// Checks the block and every tool in it.
pub(crate) fn check(raw: RawToolkit, errors: &Errors) -> Option<Toolkit> {
    block(&raw, errors);
    let name = name(raw.name.as_ref(), &raw.this, errors);
    let description = description(&raw, errors);
    let root = Root::given(raw.crate_, errors);
    let kit_name = name.as_deref().unwrap_or("toolkit");
    let kit = ToolkitContext { name: kit_name, this: &raw.this, root: &root };
    let tools = tools(raw.tools, kit, errors);
    Some(Toolkit {
        name: name?,
        description: description?,
        may_be_deprecated: deprecation::is_named_by(&raw.attributes),
        conditions: raw.attributes.into_iter().filter(|it| it.path().is_ident("cfg")).collect(),
        this: raw.this,
        root,
        tools,
    })
}

fn block(raw: &RawToolkit, errors: &Errors) {
    if let Some((path, _)) = &raw.of_trait {
        errors.at(
            path,
            "a toolkit is an `impl` block of its own type: move the tools out of the trait's, and \
             let them call it",
        );
    }
    for parameter in &raw.generics.params {
        errors.at(
            parameter,
            "a toolkit has one set of schemas, so it cannot be generic: name the type, or hold an \
             `Arc<dyn Trait>`",
        );
    }
    if !raw.any {
        errors.at(
            &raw.this,
            "this toolkit has no tools: write `#[ai_tool(effect = …)]` over a method, by that name",
        );
    }
}

fn name(given: Option<&KeyedValue<LitStr>>, this: &Type, errors: &Errors) -> Option<String> {
    let rule = "a toolkit's name is 1 to 64 of `A-Z a-z 0-9 _ . -`";
    match (given, type_name(this)) {
        (Some(given), _) => {
            let name = given.value.value();
            let fits = is_portable(&name, MAX_NAME_LENGTH);
            if !fits {
                errors.at(&given.value, format!("{rule}; choose another"));
            }
            fits.then_some(name)
        }
        (None, Some(name)) if is_portable(&name, MAX_NAME_LENGTH) => Some(name),
        (None, _) => {
            errors.at(this, format!("{rule}; give one: `#[ai_toolkit(name = \"…\")]`"));
            None
        }
    }
}

fn type_name(this: &Type) -> Option<String> {
    match types::bare(this) {
        Type::Path(path) => path.path.segments.last().map(|segment| snake(&segment.ident)),
        _ => None,
    }
}

fn description(raw: &RawToolkit, errors: &Errors) -> Option<Description> {
    let doc_text = Description::from_attributes(&raw.attributes);
    if doc_text.is_none() {
        errors.at(
            &raw.this,
            "a toolkit says what its tools are for: add a doc comment (`/// …`) to the `impl` block",
        );
    }
    doc_text
}

fn tools(raw: Vec<RawTool>, kit: ToolkitContext<'_>, errors: &Errors) -> Vec<Tool> {
    let mut seen = HashSet::new();
    let checked = raw.into_iter().filter_map(|tool| {
        let function = tool.signature.ident.clone();
        let conditional = tool.attributes.iter().any(|it| it.path().is_ident("cfg"));
        let tool = check::method(tool, kit, errors)?;
        if !conditional {
            distinct(&tool, &function, &mut seen, errors);
        }
        Some(tool)
    });
    checked.collect()
}

fn distinct(tool: &Tool, function: &Ident, seen: &mut HashSet<String>, errors: &Errors) {
    let name = &tool.metadata.name;
    if !seen.insert(name.clone()) {
        errors.at(
            function,
            format!("two tools of this toolkit are named `{name}`; give this one another `name`"),
        );
    }
}
