//! The errors of the guide's tools.

use tool_runtime::prelude::*;

use crate::store::StoreError;

/// The error of a read.
#[derive(Debug, ToolFailure)]
pub(crate) enum ReadError {
    #[failure(NOT_FOUND, message = "NPC profile not found", details(npc_ids))]
    NoNpc { npc_ids: Vec<String> },
    #[failure(NOT_FOUND, message = "the NPC's profile has no such version; leave `version` out")]
    NoVersion,
    #[failure(NOT_FOUND, message = "no prompt of this type is in use for the NPC")]
    NoPrompt,
    #[failure(NOT_FOUND, message = "site not found; the context's site is none of the tenant's")]
    NoSite,
    #[failure(INTERNAL, message = "the picture could not be drawn")]
    NoPicture,
    #[failure(UNAVAILABLE, message = "the guide's database cannot be read now", retry_after = "2s")]
    Store(StoreError),
}

/// The error of a write.
#[derive(Debug, ToolFailure)]
pub(crate) enum WriteError {
    #[failure(NOT_FOUND, message = "site not found; the context's site is none of the tenant's")]
    NoSite,
    #[failure(
        FORBIDDEN,
        message = "`user_id` must be the user that the call is made for; leave it out"
    )]
    OtherUser,
    #[failure(
        FORBIDDEN,
        message = "`session_id` must be the session that the call is made in; leave it out"
    )]
    OtherSession,
    // If a connection breaks while a write is confirmed, its outcome is unknown.
    #[failure(
        UNAVAILABLE,
        message = "the guide's database cannot be written now",
        retry_after = "2s",
        effect = "unknown"
    )]
    Store(StoreError),
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<StoreError> for WriteError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}
