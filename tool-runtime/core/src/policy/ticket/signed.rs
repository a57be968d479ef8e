//! A ticket: its claims, and the signature over all of them.

use std::fmt;
use std::str::FromStr;

use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;

use super::TicketRejection;
use crate::key_ring::{KeyRing, frame};
use crate::store::UnixMillis;

/// The only version.
pub(super) const VERSION: u8 = 1;

const MAX_JSON_LENGTH: usize = 8 * 1024;
const DOMAIN: &[u8] = b"tool-runtime/ticket";

/// Refers to a call that waits for a person's decision: JSON that may leave the process.
///
/// It identifies its call by hashes and contains neither arguments nor secrets, so that it may be
/// given to a model. It approves nothing by itself: an approval needs an approver, whom the host
/// names. A parsed ticket is not trusted until the runtime has verified its signature.
///
/// ```
/// use tool_runtime::policy::Ticket;
///
/// # let hash = "0".repeat(64);
/// # let text = format!(r#"{{"version":1,"id":"0197f0c4-9a5b-7c3e-8a41-6f2b8f0d1e2a","call_id":null,
/// #     "tenant":"0197f0c4-0000-7000-8000-000000000001","principal":"user:42","tool":"send_mail",
/// #     "tool_version":"1.0.0","schema":"{hash}","arguments":"{hash}","preview":"{hash}",
/// #     "bound_preview":false,"issued_at":1735689600000,"expires_at":1735693200000,
/// #     "key":"2025-01","signature":"{hash}"}}"#);
/// let ticket = Ticket::parse(&text)?;
/// assert_eq!(ticket.tool(), "send_mail");
/// assert_eq!(ticket.principal(), "user:42");
/// assert_eq!(Ticket::parse(&ticket.to_json())?, ticket);
/// # Ok::<(), tool_runtime::policy::TicketRejection>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Ticket {
    pub(super) claims: TicketClaims,
    pub(super) key: Box<str>,
    pub(super) signature: [u8; 32],
}

/// The fields of a ticket that are signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TicketClaims {
    pub(crate) id: Uuid,
    pub(crate) call_id: Option<Box<str>>,
    pub(crate) tenant: Uuid,
    pub(crate) principal: Box<str>,
    pub(crate) tool: Box<str>,
    pub(crate) tool_version: Box<str>,
    pub(crate) schema: Digest,
    pub(crate) arguments: Digest,
    pub(crate) preview: Digest,
    pub(crate) bound_preview: bool,
    pub(crate) issued_at: UnixMillis,
    pub(crate) expires_at: UnixMillis,
}

/// Signs the claims of a ticket; returns [`TicketRejection::Oversized`] if they are too long to be
/// parsed.
pub(crate) fn sign(claims: TicketClaims, ring: &KeyRing) -> Result<Ticket, TicketRejection> {
    if !claims.fit() {
        return Err(TicketRejection::Oversized);
    }
    let key = ring.current();
    let signature = key.sign(&claims.message(key.id()));
    Ok(Ticket { claims, key: key.id().into(), signature })
}

impl Ticket {
    /// Parses a ticket of at most 8 KiB, without verifying its signature.
    ///
    /// Each field has exactly one form, so that a rewritten ticket is refused: unknown and repeated
    /// fields, upper-case hexadecimal digits and texts that are too long are errors.
    ///
    /// # Errors
    /// Returns [`TicketRejection::Malformed`] if the text is not the JSON of a ticket.
    pub fn parse(json: &str) -> Result<Self, TicketRejection> {
        if json.len() > MAX_JSON_LENGTH {
            return Err(TicketRejection::Malformed);
        }
        serde_json::from_str(json).map_err(|_| TicketRejection::Malformed)
    }

    /// Writes the ticket as compact JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_string()
    }

    /// Returns the ticket's own id.
    #[must_use]
    pub const fn id(&self) -> Uuid {
        self.claims.id
    }

    /// Returns the model's id of the call, if it has one.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.claims.call_id.as_deref()
    }

    /// Returns the tenant.
    #[must_use]
    pub const fn tenant(&self) -> Uuid {
        self.claims.tenant
    }

    /// Returns the principal of the call, such as `user:42`.
    #[must_use]
    pub fn principal(&self) -> &str {
        &self.claims.principal
    }

    /// Returns the tool's name.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.claims.tool
    }

    /// Returns the tool's version.
    #[must_use]
    pub fn tool_version(&self) -> &str {
        &self.claims.tool_version
    }

    /// Returns the hash of the tool's schema.
    #[must_use]
    pub const fn schema(&self) -> Digest {
        self.claims.schema
    }

    /// Returns the hash of the exact arguments.
    #[must_use]
    pub const fn arguments(&self) -> Digest {
        self.claims.arguments
    }

    /// Returns the hash of the preview that an approver sees.
    #[must_use]
    pub const fn preview(&self) -> Digest {
        self.claims.preview
    }

    /// Returns whether an approval is bound to this preview, and lapses if it changes.
    #[must_use]
    pub const fn bound_preview(&self) -> bool {
        self.claims.bound_preview
    }

    /// Returns when it was issued.
    #[must_use]
    pub const fn issued_at(&self) -> UnixMillis {
        self.claims.issued_at
    }

    /// Returns when it expires.
    #[must_use]
    pub const fn expires_at(&self) -> UnixMillis {
        self.claims.expires_at
    }

    /// Returns the id of the key that signed it.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Verifies the signature with the keys of the ring.
    pub(crate) fn verify(&self, ring: &KeyRing) -> Result<(), TicketRejection> {
        let key = ring.key(&self.key).ok_or(TicketRejection::UnknownKey)?;
        let genuine = key.verifies(&self.claims.message(&self.key), &self.signature);
        if genuine { Ok(()) } else { Err(TicketRejection::Tampered) }
    }
}

/// Writes the ticket as compact JSON.
impl fmt::Display for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ticket")
            .field("claims", &self.claims)
            .field("key", &self.key)
            .finish_non_exhaustive()
    }
}

impl FromStr for Ticket {
    type Err = TicketRejection;

    fn from_str(json: &str) -> Result<Self, TicketRejection> {
        Self::parse(json)
    }
}

impl TicketClaims {
    /// Returns whether the texts are short enough. The bounds keep the JSON below 8 KiB, even if
    /// every character is escaped.
    pub(super) fn fit(&self) -> bool {
        self.call_id.as_ref().is_none_or(|id| id.len() <= 256)
            && self.principal.len() <= 512
            && self.tool.len() <= 128
            && self.tool_version.len() <= 128
    }

    /// Returns the message that is signed: all fields, in an order that never changes.
    fn message(&self, key: &str) -> Vec<u8> {
        frame(&[
            DOMAIN,
            &[VERSION],
            self.id.as_bytes(),
            &[self.call_id.is_some().into()],
            self.call_id.as_deref().unwrap_or_default().as_bytes(),
            self.tenant.as_bytes(),
            self.principal.as_bytes(),
            self.tool.as_bytes(),
            self.tool_version.as_bytes(),
            self.schema.as_bytes(),
            self.arguments.as_bytes(),
            self.preview.as_bytes(),
            &[self.bound_preview.into()],
            &self.issued_at.get().to_be_bytes(),
            &self.expires_at.get().to_be_bytes(),
            key.as_bytes(),
        ])
    }
}
