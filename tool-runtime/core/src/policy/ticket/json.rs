//! A ticket's JSON: a closed object, in which each field has exactly one form.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::TicketRejection;
use super::signed::{Ticket, TicketClaims, VERSION};
use crate::key_ring::is_id;
use crate::store::UnixMillis;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TicketJson<'a> {
    version: u8,
    id: HyphenatedUuid,
    call_id: Option<Cow<'a, str>>,
    tenant: HyphenatedUuid,
    principal: Cow<'a, str>,
    tool: Cow<'a, str>,
    tool_version: Cow<'a, str>,
    schema: Digest,
    arguments: Digest,
    preview: Digest,
    bound_preview: bool,
    issued_at: UnixMillis,
    expires_at: UnixMillis,
    key: Cow<'a, str>,
    signature: Digest,
}

impl Serialize for Ticket {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        TicketJson::from(self).serialize(to)
    }
}

/// Its errors contain no part of the input.
impl<'de> Deserialize<'de> for Ticket {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let wire = from.deserialize_map(TicketVisitor).map_err(|_| malformed())?;
        wire.into_ticket().ok_or_else(malformed)
    }
}

impl<'a> From<&'a Ticket> for TicketJson<'a> {
    fn from(Ticket { claims, key, signature }: &'a Ticket) -> Self {
        Self {
            version: VERSION,
            id: HyphenatedUuid(claims.id),
            call_id: claims.call_id.as_deref().map(Cow::from),
            tenant: HyphenatedUuid(claims.tenant),
            principal: (&*claims.principal).into(),
            tool: (&*claims.tool).into(),
            tool_version: (&*claims.tool_version).into(),
            schema: claims.schema,
            arguments: claims.arguments,
            preview: claims.preview,
            bound_preview: claims.bound_preview,
            issued_at: claims.issued_at,
            expires_at: claims.expires_at,
            key: (&**key).into(),
            signature: Digest::from_bytes(*signature),
        }
    }
}

impl TicketJson<'_> {
    fn into_ticket(self) -> Option<Ticket> {
        let claims = TicketClaims {
            id: self.id.0,
            call_id: self.call_id.map(Box::from),
            tenant: self.tenant.0,
            principal: self.principal.into(),
            tool: self.tool.into(),
            tool_version: self.tool_version.into(),
            schema: self.schema,
            arguments: self.arguments,
            preview: self.preview,
            bound_preview: self.bound_preview,
            issued_at: self.issued_at,
            expires_at: self.expires_at,
        };
        let ticket = Ticket { claims, key: self.key.into(), signature: *self.signature.as_bytes() };
        let is_whole = self.version == VERSION && is_id(&ticket.key) && ticket.claims.fit();
        is_whole.then_some(ticket)
    }
}

/// Accepts an object only: a derived `Deserialize` would accept an array too.
struct TicketVisitor;

impl<'de> Visitor<'de> for TicketVisitor {
    type Value = TicketJson<'static>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a ticket")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        TicketJson::deserialize(MapAccessDeserializer::new(map))
    }
}

/// A UUID with hyphens, in lower case.
struct HyphenatedUuid(Uuid);

impl Serialize for HyphenatedUuid {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&self.0.hyphenated())
    }
}

impl<'de> Deserialize<'de> for HyphenatedUuid {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let id = Uuid::try_parse(&text).map_err(|_| malformed())?;
        let is_plain = *id.hyphenated().encode_lower(&mut Uuid::encode_buffer()) == *text;
        if is_plain { Ok(Self(id)) } else { Err(malformed()) }
    }
}

fn malformed<E: Error>() -> E {
    E::custom(TicketRejection::Malformed)
}
