//! Who calls, how that is proven, and what they may do.

use axum::http::HeaderMap;

use super::problem::Problem;

/// Says which ways there are for a caller to prove who it is.
///
/// There is no default: a server that lets anybody in has to say so.
#[derive(Debug, Clone)]
pub struct Auth {
    network: Option<Principal>,
}

/// Who a request is from, as it was proven.
#[derive(Debug, Clone)]
pub struct Principal {
    name: Box<str>,
}

impl Auth {
    /// Takes whoever reaches the server for this principal, without any proof.
    ///
    /// It is for development on one machine, and for a server behind a gateway that has proven who
    /// calls.
    #[must_use]
    pub fn trusting_the_network_as(principal: Principal) -> Self {
        Self { network: Some(principal) }
    }

    /// Finds out who a request is from.
    pub(super) async fn principal(&self, _headers: &HeaderMap) -> Result<Principal, Problem> {
        self.network.clone().ok_or_else(|| Problem::unauthorized("expected an API key or a token"))
    }
}

impl Principal {
    /// Names who calls: a service, or a person.
    #[must_use]
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self { name: name.into() }
    }

    /// Gives the name, as it stands in records.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}
