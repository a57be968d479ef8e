//! Effects and permissions of tools.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, is_false, reads, words};

/// The effect of a call on data and systems, which decides how the runtime executes it.
///
/// ```
/// use tool_contracts::{Effect, Permission};
///
/// assert_eq!(Effect::Write.default_permission(), Permission::Ask);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("effect"))]
#[allow(clippy::exhaustive_enums, reason = "a new effect must stop every match that decides by it")]
pub enum Effect {
    /// Changes nothing: parallel, cacheable, repeatable.
    Read,
    /// Changes something: one at a time, in the model's order, with approval by default.
    Write,
    /// Changes something irreversibly: always requires approval.
    Destructive,
}

words!(Effect { Read = "read", Write = "write", Destructive = "destructive" });

impl Effect {
    /// Returns the permission of a tool that sets none: `Allow` for a read, else `Ask`.
    #[must_use]
    pub const fn default_permission(self) -> Permission {
        match self {
            Self::Read => Permission::Allow,
            Self::Write | Self::Destructive => Permission::Ask,
        }
    }
}

/// The permission of a call to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("permission"))]
#[allow(clippy::exhaustive_enums, reason = "a new permission must stop every match on it")]
pub enum Permission {
    /// The call runs.
    Allow,
    /// A person must approve the call first.
    Ask,
    /// The call never runs, and the tool is hidden.
    Deny,
}

words!(Permission { Allow = "allow", Ask = "ask", Deny = "deny" });

/// Further properties of a tool's effect, for a runtime that retries or isolates calls.
///
/// ```
/// use tool_contracts::ToolAnnotations;
///
/// let annotations = ToolAnnotations::new().with_idempotent(true);
/// assert!(annotations.idempotent() && !annotations.open_world());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = crate::schemas::documented("tool_annotations"))]
pub struct ToolAnnotations {
    /// True if a repeated call with the same arguments has no further effect.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    idempotent: bool,
    /// True if the tool accesses systems outside the host.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    open_world: bool,
}

impl ToolAnnotations {
    /// Creates annotations without any of these properties.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether a repeated call with the same arguments has no further effect.
    #[must_use]
    pub fn with_idempotent(self, idempotent: bool) -> Self {
        Self { idempotent, ..self }
    }

    /// Sets whether the tool accesses systems outside the host.
    #[must_use]
    pub fn with_open_world(self, open_world: bool) -> Self {
        Self { open_world, ..self }
    }

    /// Returns whether a repeated call with the same arguments has no further effect.
    #[must_use]
    pub const fn idempotent(self) -> bool {
        self.idempotent
    }

    /// Returns whether the tool accesses systems outside the host.
    #[must_use]
    pub const fn open_world(self) -> bool {
        self.open_world
    }
}

reads! {
    ToolAnnotations, "a tool's annotations";
    optional idempotent = "idempotent", leaf wire::Flag;
    optional open_world = "open_world", leaf wire::Flag;
    => Ok(ToolAnnotations {
        idempotent: idempotent.unwrap_or_default(),
        open_world: open_world.unwrap_or_default(),
    })
}
