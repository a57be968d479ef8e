//! The caller that limits count a request for: a principal, or an address.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use tool_runtime_core::store::principal::NETWORK;

use crate::auth::Principal;

/// The caller that a resource is counted for: an authenticated principal, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Caller {
    Principal(Arc<str>),
    Address(Peer),
}

/// The network address of a client; `None` if it is unknown.
///
/// An IPv6 address is reduced to its /64, because one client has a whole /64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Peer(Option<IpAddr>);

impl Caller {
    pub(crate) fn new(parts: &Parts, principal: &Principal) -> Self {
        if principal.is_anonymous() {
            Self::peer(parts)
        } else {
            Self::Principal(Arc::clone(principal.id()))
        }
    }

    /// Returns the caller of a connection whose request is not authenticated.
    pub(crate) fn at(address: Option<SocketAddr>) -> Self {
        Self::Address(Peer(address.map(|address| network(address.ip()))))
    }

    /// Returns the caller of a request that is not authenticated: its address.
    pub(crate) fn peer(parts: &Parts) -> Self {
        Self::Address(Peer::from_parts(parts))
    }

    /// Returns the principal's name, if the caller is authenticated.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Principal(id) => Some(id.strip_prefix(NETWORK).unwrap_or(id)),
            Self::Address(_) => None,
        }
    }
}

#[cfg(test)]
impl Caller {
    /// Returns a caller whose address is unknown too.
    pub(crate) fn unknown() -> Self {
        Self::Address(Peer(None))
    }

    pub(crate) fn known(name: &str) -> Self {
        Self::Principal(name.into())
    }
}

impl Peer {
    /// Returns the peer of a request.
    pub(crate) fn from_parts(parts: &Parts) -> Self {
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        Self(address.map(|ConnectInfo(address)| network(address.ip())))
    }

    /// Returns the peer of an address.
    pub(crate) fn at(address: IpAddr) -> Self {
        Self(Some(network(address)))
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
