//! Effects and permissions of tools.

use schemars::JsonSchema;
use serde::Serialize;

use crate::wire::{self, is_false, reads, words};

/// Says what a call does to the world. Everything about running it follows from this.
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
    /// Changes something: one at a time, in the model's order, asked for by default.
    Write,
    /// Changes something that cannot be brought back: always asked for.
    Destructive,
}

words!(Effect { Read = "read", Write = "write", Destructive = "destructive" });

impl Effect {
    /// Returns the permission of a tool that sets none: reads are allowed, the others ask.
    #[must_use]
    pub const fn default_permission(self) -> Permission {
        match self {
            Self::Read => Permission::Allow,
            Self::Write | Self::Destructive => Permission::Ask,
        }
    }
}

/// Says whether a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema)]
#[schemars(rename_all = "snake_case", transform = crate::schemas::documented("permission"))]
#[allow(clippy::exhaustive_enums, reason = "a new permission must stop every match on it")]
pub enum Permission {
    /// It runs.
    Allow,
    /// A person has to agree first.
    Ask,
    /// It never runs, and the tool is hidden.
    Deny,
}

words!(Permission { Allow = "allow", Ask = "ask", Deny = "deny" });

/// Says more about a tool's effect, for those who repeat or isolate calls.
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
    /// Whether a second call with the same arguments changes nothing more.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    idempotent: bool,
    /// Whether it reaches things outside the host's own systems.
    #[serde(skip_serializing_if = "is_false")]
    #[schemars(with = "Option<bool>", extend("default" = false))]
    open_world: bool,
}

impl ToolAnnotations {
    /// Creates annotations that promise nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether a repeated call with the same arguments has no further effect.
    #[must_use]
    pub fn with_idempotent(self, idempotent: bool) -> Self {
        Self { idempotent, ..self }
    }

    /// Sets whether it accesses systems outside the host.
    #[must_use]
    pub fn with_open_world(self, open_world: bool) -> Self {
        Self { open_world, ..self }
    }

    /// Returns whether a repeated call with the same arguments has no further effect.
    #[must_use]
    pub const fn idempotent(self) -> bool {
        self.idempotent
    }

    /// Returns whether it accesses systems outside the host.
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
