//! The NPCs that speak to visitors: versions of personas, and their prompts.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Map, Value};

use super::{Guide, Place, at};
use crate::store::{Row, StoreError};

/// Who an NPC is.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NpcProfile {
    /// The NPC.
    pub(crate) npc_id: String,
    /// Which version of the profile this is.
    pub(crate) version: i64,
    /// Whether it is the one in use.
    pub(crate) active: bool,
    /// What visitors call it.
    pub(crate) name: String,
    /// Its role, its tone, and what it never does.
    pub(crate) persona: Map<String, Value>,
    /// What it speaks about.
    pub(crate) knowledge_domains: Vec<String>,
    /// How it may greet.
    pub(crate) greeting_templates: Vec<String>,
    /// The most characters of an answer.
    pub(crate) max_response_length: i64,
    /// Whether its answers have to name their sources.
    pub(crate) must_cite_sources: bool,
}

/// What a prompt is for.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromptType {
    /// Who the model is to be.
    #[default]
    System,
    /// How it greets.
    Greeting,
    /// What it says where it knows nothing.
    Fallback,
}

/// A prompt in use.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Prompt {
    pub(crate) version: i64,
    pub(crate) text: String,
}

impl PromptType {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Greeting => "greeting",
            Self::Fallback => "fallback",
        }
    }
}

impl Guide {
    /// Finds a version of an NPC's profile, or else the one in use.
    pub(crate) async fn npc_profile(
        &self,
        place: &Place,
        npc_id: &str,
        version: Option<i64>,
    ) -> Result<Option<NpcProfile>, StoreError> {
        let which = if version.is_some() { "version = $4" } else { "active" };
        let sql = format!(
            "SELECT npc_id, version, active, name, persona, knowledge_domains, greeting_templates,
                    max_response_length, must_cite_sources
             FROM npc_profiles
             WHERE tenant_id = $1 AND site_id = $2 AND npc_id = $3 AND {which}"
        );
        let values = [Some(npc_id.into()), version.map(Into::into)];
        let row = self.store.row(at(place, sql, values.into_iter().flatten())).await?;
        row.as_ref().map(profile).transpose()
    }

    /// Names the NPCs of a site.
    pub(crate) async fn npc_ids(&self, place: &Place) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT DISTINCT npc_id FROM npc_profiles
                   WHERE tenant_id = $1 AND site_id = $2 ORDER BY npc_id";
        let rows = self.store.rows(at(place, sql, [])).await?;
        rows.iter().map(|row| row.text(0)).collect()
    }

    /// Finds the prompt of an NPC that is in use.
    pub(crate) async fn active_prompt(
        &self,
        place: &Place,
        npc_id: &str,
        prompt_type: PromptType,
    ) -> Result<Option<Prompt>, StoreError> {
        let sql = "SELECT version, prompt_text FROM prompts
                   WHERE tenant_id = $1 AND site_id = $2 AND npc_id = $3 AND type = $4 AND active";
        let values = [npc_id.into(), prompt_type.as_str().into()];
        let row = self.store.row(at(place, sql, values)).await?;
        row.map(|row| Ok(Prompt { version: row.number(0)?, text: row.text(1)? })).transpose()
    }
}

fn profile(row: &Row) -> Result<NpcProfile, StoreError> {
    Ok(NpcProfile {
        npc_id: row.text(0)?,
        version: row.number(1)?,
        active: row.flag(2)?,
        name: row.text(3)?,
        persona: row.json(4)?,
        knowledge_domains: row.json(5)?,
        greeting_templates: row.json(6)?,
        max_response_length: row.number(7)?,
        must_cite_sources: row.flag(8)?,
    })
}
