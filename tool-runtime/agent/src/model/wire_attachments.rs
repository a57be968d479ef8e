//! Serializes attachments in the form of the envelope: small contents, and handles of stored ones.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serializer};
use tool_runtime_core::tool::Attachment;

pub(crate) fn serialize<S: Serializer>(
    attachments: &[Attachment],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let wire: Result<Vec<_>, _> = attachments.iter().map(Attachment::to_wire).collect();
    serializer.collect_seq(wire.map_err(S::Error::custom)?)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Attachment>, D::Error> {
    let wire = Vec::<tool_contracts::Attachment>::deserialize(deserializer)?;
    let read: Option<Vec<_>> = wire.iter().map(Attachment::from_wire).collect();
    read.ok_or_else(|| D::Error::custom("an attachment has neither content nor a known handle"))
}
