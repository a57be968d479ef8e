//! The two families of revisions, which differ in what a server may send.

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;

/// The family of the revision of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Revision {
    /// 2026-07-28 and later: each request stands alone.
    Stateless,
    /// 2025-11-25 and earlier: `initialize` opens a session.
    WithSessions,
}

impl Revision {
    /// Returns the family of a request's revision.
    pub(super) fn from_request(request: &RequestContext<RoleServer>) -> Self {
        let first = ProtocolVersion::V_2026_07_28;
        // Versions are dates, which compare as texts.
        let is_stateless =
            request.protocol_version().is_some_and(|version| version.as_str() >= first.as_str());
        if is_stateless { Self::Stateless } else { Self::WithSessions }
    }
}
