//! Scopes: the rights of a principal.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use tool_contracts::ToolSpec;

/// A right in addition to calling tools that are meant for models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scope {
    /// Call tools that are not meant for models.
    Internal,
    /// List and decide calls that wait for approval.
    Approvals,
    /// List calls that wait for approval, without deciding about them.
    ViewApprovals,
    /// Let a waiting call exceed a budget that asks.
    ExceedBudgets,
    /// List the budgets of a tenant, and what is left of them.
    Budgets,
    /// Read the records of a trace.
    Traces,
    /// Run the reads of a trace again.
    Replay,
    /// Verify the ledger of all tenants.
    Ledger,
    /// List and resolve unknown outcomes.
    Outcomes,
    /// List and read evidence, without its sealed contents.
    Evidence,
    /// Read the sealed contents of evidence.
    EvidenceContents,
    /// Read the server's metrics.
    Metrics,
}

impl Scope {
    const ALL: [Self; 12] = [
        Self::Internal,
        Self::Approvals,
        Self::ViewApprovals,
        Self::ExceedBudgets,
        Self::Budgets,
        Self::Traces,
        Self::Replay,
        Self::Ledger,
        Self::Outcomes,
        Self::Evidence,
        Self::EvidenceContents,
        Self::Metrics,
    ];

    /// Returns the scope's word in a token.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::Approvals => "approvals",
            Self::ViewApprovals => "view_approvals",
            Self::ExceedBudgets => "exceed_budgets",
            Self::Budgets => "budgets",
            Self::Traces => "traces",
            Self::Replay => "replay",
            Self::Ledger => "ledger",
            Self::Outcomes => "outcomes",
            Self::Evidence => "evidence",
            Self::EvidenceContents => "evidence_contents",
            Self::Metrics => "metrics",
        }
    }
}

/// The rights of a principal, in the words of a token's `scope` claim (RFC 8693, section 4.2).
///
/// | word | allows |
/// | --- | --- |
/// | `tools` | every tool that is meant for models |
/// | `tools:NAME` | this tool |
/// | `category:NAME` | the tools of this category |
/// | `internal` | that the tools above need not be meant for models |
/// | `approvals`, `budgets`, `traces`, `replay`, `outcomes`, `evidence`, `metrics` | the path of this name |
/// | `view_approvals` | listing waiting calls as with `approvals`, and deciding about none |
/// | `exceed_budgets` | with `approvals`, letting a waiting call exceed a budget that asks |
/// | `ledger` | `/ledger/verification`, for the records of all tenants |
/// | `evidence_contents` | `/evidence/{id}/contents` |
/// | `approves:WORD` | with `approvals` or `view_approvals`, deciding or listing calls of the tools that `WORD` covers, without the right to call them; `WORD` is one of the first four rows |
///
/// With `approvals`, a caller lists and decides the waiting calls of the tools that it may call and
/// of those that `approves:` covers.
///
/// # Examples
/// ```
/// use tool_runtime::http::{Scope, Scopes};
///
/// let scopes: Scopes = "category:content tools:get_site_map traces".parse()?;
/// assert!(scopes.has(Scope::Traces));
/// assert_eq!(scopes.to_string(), "tools:get_site_map category:content traces");
///
/// // Decides about refunds, and calls nothing.
/// let cashier: Scopes = "approvals approves:tools:refund".parse()?;
/// # assert_eq!(cashier.to_string(), "approvals approves:tools:refund");
///
/// let error = "tolls".parse::<Scopes>().unwrap_err();
/// assert!(error.to_string().starts_with("`tolls` is no scope: expected"));
/// # Ok::<(), tool_runtime::http::UnknownScope>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scopes {
    every_tool: bool,
    tools: BTreeSet<Box<str>>,
    categories: BTreeSet<Box<str>>,
    others: BTreeSet<Scope>,
    /// Tools whose calls may be decided without the right to call them.
    approves: Option<Box<Scopes>>,
}

/// The error for a word that is not a scope.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{word}` is no scope: expected `tools`, `tools:NAME`, `category:NAME`, `internal`, \
     `approvals`, `view_approvals`, `exceed_budgets`, `budgets`, `traces`, `replay`, `ledger`, `outcomes`, `evidence`, \
     `evidence_contents`, `metrics`, or \
     `approves:` before one of the first four, with spaces between them"
)]
pub struct UnknownScope {
    word: Box<str>,
}

impl Scopes {
    /// Allows nothing.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Allows everything, on every path.
    #[must_use]
    pub fn all() -> Self {
        Self { every_tool: true, others: Scope::ALL.into(), ..Self::none() }
    }

    pub(super) fn only_tools(self) -> Self {
        Self { others: BTreeSet::new(), approves: None, ..self }
    }

    /// Returns whether this scope is granted.
    #[must_use]
    pub fn has(&self, scope: Scope) -> bool {
        self.others.contains(&scope)
    }

    /// Returns whether a tool may be called, by its name, its category and whether models may call
    /// it.
    #[must_use]
    pub fn may_call(&self, tool: &ToolSpec) -> bool {
        let is_granted = self.every_tool
            || self.tools.contains(tool.name())
            || tool.category().is_some_and(|category| self.categories.contains(category));
        is_granted && (tool.ai_callable() || self.has(Scope::Internal))
    }

    /// Returns whether waiting calls of a tool may be decided: `approvals` is granted, and the tool
    /// may be called or `approves:` covers it.
    #[must_use]
    pub fn may_decide(&self, tool: &ToolSpec) -> bool {
        self.has(Scope::Approvals) && self.covers(tool)
    }

    /// Returns whether waiting calls of a tool may be listed: with `view_approvals` as with
    /// `approvals`.
    #[must_use]
    pub fn may_view(&self, tool: &ToolSpec) -> bool {
        self.has_approvals() && self.covers(tool)
    }

    fn covers(&self, tool: &ToolSpec) -> bool {
        let granted = self.approves.as_ref().is_some_and(|approves| approves.may_call(tool));
        granted || self.may_call(tool)
    }

    fn has_approvals(&self) -> bool {
        self.has(Scope::Approvals) || self.has(Scope::ViewApprovals)
    }

    /// Returns whether waiting calls of an unregistered tool may be decided. Its category is
    /// unknown, so only its name counts, and it is treated as not meant for models.
    pub(super) fn may_decide_unknown(&self, name: &str) -> bool {
        self.has(Scope::Approvals) && self.covers_unknown(name)
    }

    /// Returns whether waiting calls of an unregistered tool may be listed.
    pub(super) fn may_view_unknown(&self, name: &str) -> bool {
        self.has_approvals() && self.covers_unknown(name)
    }

    fn covers_unknown(&self, name: &str) -> bool {
        let names = |scopes: &Self| {
            scopes.has(Scope::Internal) && (scopes.every_tool || scopes.tools.contains(name))
        };
        self.approves.as_ref().is_some_and(|approves| names(approves)) || names(self)
    }

    /// Grants decisions about calls of the tools that these scopes cover, in addition to existing
    /// grants.
    pub(super) fn approving(mut self, tools: Self) -> Self {
        let internal = tools.has(Scope::Internal).then_some(Scope::Internal);
        let approves = self.approves.get_or_insert_default();
        approves.every_tool |= tools.every_tool;
        approves.tools.extend(tools.tools);
        approves.categories.extend(tools.categories);
        approves.others.extend(internal);
        self
    }

    /// Adds a scope; an unknown scope grants nothing.
    pub(super) fn add(&mut self, word: &str) -> Result<(), UnknownScope> {
        let unknown = || UnknownScope { word: word.into() };
        match word.split_once(':') {
            None if word == "tools" => self.every_tool = true,
            None => {
                let scope = Scope::ALL.into_iter().find(|scope| scope.as_str() == word);
                self.others.insert(scope.ok_or_else(unknown)?);
            }
            Some(("tools", name)) if !name.is_empty() => {
                self.tools.insert(name.into());
            }
            Some(("category", name)) if !name.is_empty() => {
                self.categories.insert(name.into());
            }
            Some(("approves", covered)) if covers_tools(covered) => {
                let approves = self.approves.get_or_insert_default();
                approves.add(covered).map_err(|_| unknown())?;
            }
            Some(_) => return Err(unknown()),
        }
        Ok(())
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let mut scopes = Self::none();
        text.split_ascii_whitespace().try_for_each(|word| scopes.add(word))?;
        Ok(scopes)
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let every = self.every_tool.then(|| "tools".to_owned());
        let tools = self.tools.iter().map(|name| format!("tools:{name}"));
        let categories = self.categories.iter().map(|name| format!("category:{name}"));
        let others = self.others.iter().map(|scope| scope.as_str().to_owned());
        let approves = self.approves.as_ref().map(ToString::to_string).unwrap_or_default();
        let approves = approves.split_ascii_whitespace().map(|word| format!("approves:{word}"));
        let words = every.into_iter().chain(tools).chain(categories).chain(others).chain(approves);
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

/// Returns whether a word covers tools.
fn covers_tools(word: &str) -> bool {
    let names = |prefix| word.starts_with(prefix);
    matches!(word, "tools" | "internal") || names("tools:") || names("category:")
}

#[cfg(test)]
mod tests {
    use tool_contracts::{Effect, ToolSpec};

    use super::{Scope, Scopes};

    fn scopes(text: &str) -> Scopes {
        text.parse().expect("these are scopes")
    }

    fn tool(name: &str, category: &str, ai_callable: bool) -> ToolSpec {
        let spec = ToolSpec::builder(name, Effect::Read).description("Reads.").category(category);
        spec.ai_callable(ai_callable).build().expect("it is a tool")
    }

    #[track_caller]
    fn check(words: &str, tool: &ToolSpec, allowed: bool) {
        assert_eq!(scopes(words).may_call(tool), allowed, "{words}");
    }

    #[test]
    fn the_error_for_a_word_names_every_scope() {
        let error = "tolls".parse::<Scopes>().expect_err("no scope").to_string();
        for scope in Scope::ALL {
            assert!(error.contains(&format!("`{}`", scope.as_str())), "{scope:?}: {error}");
        }
    }

    #[test]
    fn a_tool_is_allowed_by_name_by_category_or_with_all_others() {
        let search = tool("search", "content", true);
        for words in ["tools", "tools:search", "category:content", "traces tools"] {
            check(words, &search, true);
        }
        let others = ["", "tools:sear", "tools:searches", "category:search", "tools:content"];
        for words in others.into_iter().chain(["internal", "traces approvals replay metrics"]) {
            check(words, &search, false);
        }
    }

    #[test]
    fn a_tool_that_is_not_for_models_needs_the_internal_scope() {
        let sweep = tool("sweep", "upkeep", false);
        check("tools tools:sweep category:upkeep", &sweep, false);
        check("internal", &sweep, false);
        check("tools:sweep internal", &sweep, true);
    }

    #[test]
    fn calls_are_decided_where_the_tool_is_covered_and_not_by_the_scope_alone() {
        let (search, sweep) = (tool("search", "content", true), tool("sweep", "upkeep", false));
        for (words, of_search, of_sweep) in [
            ("approvals internal", false, false),
            ("tools internal approves:tools approves:internal", false, false),
            ("approvals tools", true, false),
            ("approvals approves:category:content", true, false),
            ("approvals internal approves:tools", true, false),
            ("approvals approves:tools:sweep approves:internal", false, true),
            ("approvals tools:sweep internal", false, true),
        ] {
            let scopes = scopes(words);
            assert_eq!(scopes.may_decide(&search), of_search, "{words}");
            assert_eq!(scopes.may_decide(&sweep), of_sweep, "{words}");
            assert!(!scopes.may_decide_unknown("gone"), "{words}");
        }
        assert!(Scopes::all().may_decide_unknown("gone"));
    }

    #[test]
    fn who_may_only_look_sees_the_calls_that_it_may_not_decide() {
        let search = tool("search", "content", true);
        for (words, views, decides) in [
            ("view_approvals", false, false),
            ("tools approves:tools", false, false),
            ("view_approvals tools", true, false),
            ("view_approvals approves:tools:search", true, false),
            ("approvals tools", true, true),
            ("approvals view_approvals tools", true, true),
        ] {
            let scopes = scopes(words);
            assert_eq!(scopes.may_view(&search), views, "{words}");
            assert_eq!(scopes.may_decide(&search), decides, "{words}");
        }
        let looks = scopes("view_approvals internal tools:gone");
        assert!(looks.may_view_unknown("gone") && !looks.may_decide_unknown("gone"));
    }

    #[test]
    fn printed_scopes_are_read_again() {
        for text in [
            "",
            "tools",
            "tools:a tools:b category:c internal approvals view_approvals traces replay outcomes \
             evidence evidence_contents metrics",
            "approvals approves:tools:a approves:category:c approves:internal",
        ] {
            assert_eq!(scopes(text).to_string(), text);
        }
        assert_eq!(scopes(&Scopes::all().to_string()), Scopes::all());
    }

    #[test]
    fn a_configuration_with_an_unknown_word_is_refused_and_a_token_is_not() {
        for word in
            ["tool", "Tools", "tools:", "category:", "category", "traces:x", "*", ":", "a:b"]
                .into_iter()
                .chain(["approves", "approves:", "approves:traces", "approves:approves:tools"])
        {
            let text = format!("tools {word}");
            let error = text.parse::<Scopes>().expect_err(word);
            assert!(error.to_string().contains(&format!("`{word}`")), "{error}");
            let mut granted = scopes("tools");
            assert!(granted.add(word).is_err(), "{word}");
            assert_eq!(granted, scopes("tools"));
        }
    }

    #[test]
    fn anonymous_callers_get_scopes_of_tools_only() {
        let left = Scopes::all().only_tools();
        assert!(Scope::ALL.iter().all(|scope| !left.has(*scope)));
        assert_eq!(left, scopes("tools"));
    }
}
