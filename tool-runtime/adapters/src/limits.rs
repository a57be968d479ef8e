//! Warns of declarations that pass a provider's published limits.

use std::fmt;

use super::DeclaredTool;
use super::names::ToolNames;

/// The published limits on the declarations of one request. `None` where none is published.
///
/// The limit on names is that of `NameRules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DeclarationLimits {
    pub(super) tools: Option<usize>,
    /// In characters.
    pub(super) description: Option<usize>,
}

/// A provider without published limits.
pub(super) const UNLIMITED: DeclarationLimits =
    DeclarationLimits { tools: None, description: None };

/// Describes a declaration that passes a published limit of the provider.
///
/// The provider rejects such a request as a whole, or a server with its dialect may. Nothing is left
/// out of the declarations for it.
///
/// | dialect | tools of a request | characters of a description | of a name |
/// | --- | --- | --- | --- |
/// | OpenAI Chat Completions | 128 ([API reference](https://platform.openai.com/docs/api-reference/chat/create), `tools`) | 1,024 ([Azure's reference](https://learn.microsoft.com/azure/ai-foundry/openai/how-to/function-calling), and the server's answer `string_above_max_length`) | 64 |
/// | OpenAI Responses | 128 (the server's answer `array_above_max_length`) | | 64 |
/// | Anthropic | | | 128 |
/// | Gemini | 512 (the server's answer: "At most 512 function declarations can be specified") | | 64 |
/// | Bedrock Converse | | | 64 ([`ToolSpecification`](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html)) |
///
/// A name beyond its limit is declared with a suffix in place of its end, so that no request is
/// rejected for it; see [`Adapter::wire_name`](super::Adapter::wire_name).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitWarning {
    pub(super) tool: Option<String>,
    pub(super) subject: &'static str,
    pub(super) count: usize,
    pub(super) limit: usize,
}

impl LimitWarning {
    /// Returns the tool's own name; `None` for a limit on all tools together.
    #[must_use]
    pub fn tool(&self) -> Option<&str> {
        self.tool.as_deref()
    }

    /// Returns what is limited: `tools`, `characters of the description` or `characters of the name`.
    #[must_use]
    pub fn subject(&self) -> &str {
        self.subject
    }

    /// Returns the number that the host declares.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the provider's limit.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }
}

impl fmt::Display for LimitWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(tool) = &self.tool {
            write!(f, "{tool}: ")?;
        }
        write!(f, "{} {}, of which the provider accepts {}", self.count, self.subject, self.limit)
    }
}

/// Lists the limits that a set of declared tools passes.
pub(super) fn warnings(
    limits: DeclarationLimits,
    tools: &[DeclaredTool],
    names: &ToolNames,
) -> Vec<LimitWarning> {
    let passed = |tool, subject, count, limit: Option<usize>| {
        let limit = limit.filter(|limit| count > *limit)?;
        Some(LimitWarning { tool, subject, count, limit })
    };
    let count_warning = passed(None, "tools", tools.len(), limits.tools);
    let each = tools.iter().flat_map(|tool| {
        let tool_name = || Some(names.tool(&tool.name).unwrap_or(&tool.name).to_owned());
        let characters = tool.declared_description().chars().count();
        let name = tool_name().map_or(0, |name| name.chars().count());
        [
            passed(tool_name(), "characters of the description", characters, limits.description),
            passed(tool_name(), "characters of the name", name, Some(names.max_length())),
        ]
    });
    count_warning.into_iter().chain(each.flatten()).collect()
}
