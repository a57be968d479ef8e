//! The calls that share a sum.

use tool_contracts::{ToolContext, ToolSpec};

/// The calls that share the sum of a limit. Each sum belongs to one tenant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BudgetScope {
    /// All calls of a tenant.
    #[default]
    Tenant,
    /// The calls for one user: the context's `user_id`.
    User,
    /// The calls of one actor, such as an agent: the context's `actor`.
    Actor,
    /// The calls of one tool.
    Tool,
    /// The calls of one toolkit.
    Toolkit,
    /// The calls of the tools of one category.
    Category,
    /// The calls with one value of this attribute in their context, such as `project`.
    Attribute(String),
}

impl BudgetScope {
    /// Returns the name of the sum that a call belongs to; none if the call has no such part.
    pub(crate) fn value(&self, cx: &ToolContext, tool: &ToolSpec) -> Option<String> {
        Some(match self {
            Self::Tenant => "tenant".to_owned(),
            Self::User => format!("user:{}", cx.user_id()?),
            Self::Actor => {
                let actor = cx.actor()?;
                format!("actor:{}:{}", actor.kind().as_str(), actor.id())
            }
            Self::Tool => format!("tool:{}", tool.name()),
            Self::Toolkit => format!("toolkit:{}", tool.toolkit()?.name()),
            Self::Category => format!("category:{}", tool.category()?),
            Self::Attribute(key) => format!("{key}:{}", cx.attributes().get(key)?),
        })
    }

    /// Returns what a call lacks that belongs to no sum.
    pub(crate) fn missing_part(&self) -> String {
        match self {
            Self::Tenant => "a tenant".to_owned(),
            Self::User => "a user".to_owned(),
            Self::Actor => "an actor".to_owned(),
            Self::Tool => "a tool".to_owned(),
            Self::Toolkit => "a toolkit".to_owned(),
            Self::Category => "a category".to_owned(),
            Self::Attribute(key) => format!("the attribute `{key}`"),
        }
    }
}
