//! Reads the records that control how the chain is verified.

use std::borrow::Cow;

use serde::Deserialize;

use super::checkpoint::Checkpoint;

/// A record that the verifier interprets.
pub(super) enum ControlRecord {
    /// The bodies of all records below this number may be missing.
    Erased(u64),
    /// A checkpoint of the chain before this entry; none if it cannot be read.
    Checkpoint(Option<Checkpoint>),
}

/// Reads a control record; none for all other records.
pub(super) fn read(body: &str) -> Option<ControlRecord> {
    match &*serde_json::from_str::<ControlRecordKind<'_>>(body).ok()?.kind {
        "forgotten" => {
            Some(ControlRecord::Erased(serde_json::from_str::<ErasedBody>(body).ok()?.before))
        }
        "checkpoint" => Some(ControlRecord::Checkpoint(serde_json::from_str(body).ok())),
        _ => None,
    }
}

#[derive(Deserialize)]
struct ControlRecordKind<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
}

#[derive(Deserialize)]
struct ErasedBody {
    before: u64,
}
