//! What a body says to the verifier.

use std::borrow::Cow;

use serde::Deserialize;

use super::checkpoint::Checkpoint;

/// What a body says of the chain itself.
pub(super) enum Note {
    /// The bodies of all records below this one may be gone.
    Forgotten(u64),
    /// The chain as it was before this entry; none if it cannot be read.
    Checkpoint(Option<Checkpoint>),
}

/// Reads the note in a body; most have none.
pub(super) fn read(body: &str) -> Option<Note> {
    match &*serde_json::from_str::<Kind<'_>>(body).ok()?.kind {
        "forgotten" => Some(Note::Forgotten(serde_json::from_str::<Horizon>(body).ok()?.before)),
        "checkpoint" => Some(Note::Checkpoint(serde_json::from_str(body).ok())),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Kind<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Horizon {
    before: u64,
}
