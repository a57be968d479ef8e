//! The NPCs that speak to visitors: versions of personas, and their prompts.

use tool_runtime::prelude::*;
use tool_runtime::serde_json::{Map, Value};

use super::{Guide, Place, at};
use crate::store::{Row, StoreError};

/// The profile of an NPC.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NpcProfile {
    /// The NPC's id.
    pub(crate) npc_id: String,
    /// The version of the profile.
    pub(crate) version: i64,
    /// True if this version is in use.
    pub(crate) active: bool,
    /// The NPC's name for visitors.
    pub(crate) name: String,
    /// The NPC's role, its tone, and its restrictions.
    pub(crate) persona: Map<String, Value>,
    /// The NPC's topics.
    pub(crate) knowledge_domains: Vec<String>,
    /// Templates of greetings.
    pub(crate) greeting_templates: Vec<String>,
    /// The maximum length of an answer, in characters.
    pub(crate) max_response_length: i64,
    /// True if answers must name their sources.
    pub(crate) must_cite_sources: bool,
}

/// The purpose of a prompt.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromptType {
    /// The model's role.
    #[default]
    System,
    /// The greeting.
    Greeting,
    /// The answer if the NPC has no information.
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
    /// Finds a version of an NPC's profile, by default the one in use.
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

    /// Lists the ids of a site's NPCs.
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
