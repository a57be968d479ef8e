//! `get_npc_profile` and `get_prompt_active`: the profiles of NPCs, and their prompts.

use tool_runtime::prelude::*;

use super::failure::ReadError;
use crate::guide::{Guide, NpcProfile, Place, PromptType};

/// A prompt in use, and its NPC.
#[ai_type]
#[derive(Debug)]
pub(crate) struct ActivePrompt {
    /// The NPC's id.
    npc_id: String,
    /// The purpose of the prompt.
    prompt_type: PromptType,
    /// The prompt.
    prompt_text: String,
    /// The prompt's version.
    version: i64,
    /// The NPC of the prompt.
    metadata: PromptMetadata,
}

/// The NPC of a prompt.
#[ai_type]
#[derive(Debug)]
pub(crate) struct PromptMetadata {
    /// The NPC's name for visitors.
    name: String,
    /// The NPC's topics.
    knowledge_domains: Vec<String>,
}

/// Gets the profile of an NPC: its persona, its topics, its greetings.
#[ai_tool(effect = "read", version = "1.0.0", category = "npc", timeout = "5s", evidence)]
pub(crate) async fn get_npc_profile(
    guide: &Guide,
    place: &Place,
    /// The NPC's id.
    #[arg(length(1..=64), pattern = "^[^\\u0000]*$", example = "ancestor_yan")]
    npc_id: &str,
    /// The profile's version; by default the one in use.
    #[arg(range(1..))]
    version: Option<i64>,
) -> Result<NpcProfile, ReadError> {
    match guide.npc_profile(place, npc_id, version).await? {
        Some(profile) => Ok(profile),
        None => Err(missing(guide, place, npc_id).await?),
    }
}

/// Gets the prompt of an NPC that is in use.
#[ai_tool(effect = "read", version = "1.0.0", category = "prompt", timeout = "5s", evidence)]
pub(crate) async fn get_prompt_active(
    guide: &Guide,
    place: &Place,
    /// The NPC's id.
    #[arg(length(1..=64), pattern = "^[^\\u0000]*$", example = "ancestor_yan")]
    npc_id: &str,
    /// The purpose of the prompt.
    #[arg(default)]
    prompt_type: PromptType,
) -> Result<ActivePrompt, ReadError> {
    let Some(profile) = guide.npc_profile(place, npc_id, None).await? else {
        return Err(missing(guide, place, npc_id).await?);
    };
    let prompt = guide.active_prompt(place, npc_id, prompt_type).await?;
    let prompt = prompt.ok_or(ReadError::NoPrompt)?;
    let NpcProfile { npc_id, name, knowledge_domains, .. } = profile;
    let metadata = PromptMetadata { name, knowledge_domains };
    let (prompt_text, version) = (prompt.text, prompt.version);
    Ok(ActivePrompt { npc_id, prompt_type, prompt_text, version, metadata })
}

/// Distinguishes a missing NPC from a missing version.
async fn missing(guide: &Guide, place: &Place, npc_id: &str) -> Result<ReadError, ReadError> {
    let npc_ids = guide.npc_ids(place).await?;
    let known = npc_ids.iter().any(|known| known == npc_id);
    Ok(if known { ReadError::NoVersion } else { ReadError::NoNpc { npc_ids } })
}
