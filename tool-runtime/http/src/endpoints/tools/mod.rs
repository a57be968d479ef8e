//! `GET /tools`: finds tools that the caller may call, with all that a person needs to know of them.

mod view;

use std::borrow::Cow;

use axum::extract::State;
use tool_contracts::{Effect, ToolSpec, ToolkitSpec};

use self::view::ToolDetails;
pub(crate) use self::view::ToolsPage;
use crate::problem::Problem;
use crate::request::admission::Admitted;
use crate::request::context::{self, RequestHead, decoded};
use crate::request::parameters::{Bodyless, PageRequest, one};
use crate::response::JsonResponse;
use crate::state::app::SharedApp;

/// The longest text that is searched for, in bytes.
const MAX_TEXT: usize = 256;

/// The tools that a query asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct ToolFilter {
    name: Option<String>,
    toolkit: Option<String>,
    effect: Option<Effect>,
    /// In small letters; each of them has to occur.
    words: Vec<String>,
}

/// Handles a request for a page of the tools.
pub(crate) async fn find(
    admitted: Admitted,
    State(app): State<SharedApp>,
    request: Bodyless,
) -> Result<JsonResponse, Problem> {
    let expected = "the `next` of the page before, a tool's name";
    let query = request.query();
    let page = PageRequest::<String>::read(query, expected)?;
    let filter = ToolFilter::read(query)?;
    let principal = admitted.principal();
    // The list is refused to a caller that may not act for the tenant that it names.
    let head = RequestHead::from_parts(request.parts());
    context::context(&head, None, principal, &app.config.context_defaults)?;
    let tools = app.runtime.tools().list();
    let admits = |spec: &&ToolSpec| {
        let is_later = page.after.as_deref().is_none_or(|after| spec.name() > after);
        is_later && principal.may_call(spec) && filter.admits(spec)
    };
    let mut matching = tools.specs().map(|spec| &**spec).filter(admits);
    let details: Vec<_> = matching.by_ref().take(page.limit).map(ToolDetails::new).collect();
    let next = matching.next().and(details.last()).map(|last| last.name().to_owned());
    Ok(JsonResponse::ok(&ToolsPage { tools: details, next }))
}

impl ToolFilter {
    fn read(query: Option<&str>) -> Result<Self, Problem> {
        let text = |name: &str| {
            let read = |text: &str| {
                decoded(text).filter(|text| text.len() <= MAX_TEXT).map(Cow::into_owned)
            };
            one(query, name, &format_args!("at most {MAX_TEXT} bytes of UTF-8"), read)
        };
        let effect = |text: &str| text.parse().ok();
        let words = text("words")?.unwrap_or_default().to_lowercase();
        Ok(Self {
            name: text("name")?,
            toolkit: text("toolkit")?,
            effect: one(query, "effect", &"`read`, `write` or `destructive`", effect)?,
            words: words.split_whitespace().map(str::to_owned).collect(),
        })
    }

    fn admits(&self, spec: &ToolSpec) -> bool {
        let toolkit = spec.toolkit().map(ToolkitSpec::name);
        let is_named = self.name.as_deref().is_none_or(|name| name == spec.name());
        let is_of_kit = self.toolkit.is_none() || self.toolkit.as_deref() == toolkit;
        is_named
            && is_of_kit
            && self.effect.is_none_or(|effect| effect == spec.effect())
            && self.has_words(spec)
    }

    fn has_words(&self, spec: &ToolSpec) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let title = spec.title().unwrap_or_default();
        let text = format!("{} {title} {}", spec.name(), spec.description()).to_lowercase();
        self.words.iter().all(|word| text.contains(&**word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(query: &str) -> Result<ToolFilter, String> {
        ToolFilter::read(Some(query)).map_err(|problem| problem.message.into_owned())
    }

    #[test]
    fn a_tool_is_found_by_name_toolkit_effect_and_words() {
        let toolkit = ToolkitSpec::new("bank", "A bank.").expect("a toolkit");
        let spec = ToolSpec::builder("bank.pay", Effect::Write).toolkit(toolkit);
        let spec = spec.title("Pay a bill").description("Pays größere Rechnungen.");
        let spec = spec.build().expect("a tool");
        for (query, is_admitted) in [
            ("", true),
            ("name=bank.pay", true),
            ("name=bank", false),
            ("toolkit=bank&effect=write", true),
            ("toolkit=shop", false),
            ("effect=read", false),
            ("words=BILL+pays", true),
            ("words=gr%C3%96%C3%9Fere", true),
            ("words=bill+coffee", false),
        ] {
            assert_eq!(filter(query).map(|it| it.admits(&spec)), Ok(is_admitted), "{query}");
        }
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_refused_by_name() {
        let expected = "query `effect`: expected `read`, `write` or `destructive`, once";
        assert_eq!(filter("effect=all"), Err(expected.to_owned()));
        let long = format!("words={}", "x".repeat(MAX_TEXT + 1));
        assert_eq!(
            filter(&long),
            Err("query `words`: expected at most 256 bytes of UTF-8, once".to_owned())
        );
    }
}
