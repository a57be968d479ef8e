//! Determines the address of a client: the peer of its connection, or an address from a trusted proxy's
//! header.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use axum::http::HeaderMap;
use thiserror::Error;

/// The header in which proxies append the address of their client.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The source of a client's address, by which connections and unauthenticated callers are counted.
///
/// It is the connection's peer unless the host names its proxies. `X-Forwarded-For` is read only on
/// connections from these, from its end, up to the first address that is not one of them: the part
/// before it was sent by the client and proves nothing.
///
/// ```
/// use tool_runtime::http::{ClientAddress, ServerLimits};
///
/// let mut limits = ServerLimits::default();
/// limits.client_address = ClientAddress::forwarded_by(["10.0.0.0/8", "2001:db8::1"])?;
/// # Ok::<(), tool_runtime::http::NetworkError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClientAddress {
    /// The peer of the connection.
    #[default]
    Peer,
    /// The address that one of these proxies names, and else the peer of the connection.
    #[non_exhaustive]
    Forwarded {
        /// The proxies. The per-address connection limit does not apply to proxies.
        trusted: Vec<Network>,
    },
}

/// A range of addresses, such as `10.0.0.0/8`; a single address is a range of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// The error for a text that is not a range of addresses.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected an address or a range such as `10.0.0.0/8`, found {found:?}")]
pub struct NetworkError {
    found: String,
}

impl ClientAddress {
    /// Trusts the `X-Forwarded-For` of the proxies in these ranges.
    ///
    /// # Errors
    /// A text is neither an address nor a range.
    pub fn forwarded_by<'n>(
        trusted: impl IntoIterator<Item = &'n str>,
    ) -> Result<Self, NetworkError> {
        let trusted = trusted.into_iter().map(str::parse).collect::<Result<_, _>>()?;
        Ok(Self::Forwarded { trusted })
    }

    /// Returns whether this peer is a proxy that connects for its clients.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        match self {
            Self::Peer => false,
            Self::Forwarded { trusted } => trusted.iter().any(|network| network.contains(peer)),
        }
    }

    /// Returns the client's address: the peer, or the address that a trusted proxy names, with port 0.
    pub(super) fn resolve(&self, peer: SocketAddr, headers: &HeaderMap) -> SocketAddr {
        if !self.is_proxy(peer.ip()) {
            return peer;
        }
        let fields = headers.get_all(FORWARDED_FOR).iter();
        let hops = fields.rev().flat_map(|field| field.as_bytes().rsplit(|byte| *byte == b','));
        let mut nearest = peer;
        for name in hops {
            let Some(address) = std::str::from_utf8(name).ok().and_then(forwarded) else { break };
            nearest = SocketAddr::new(address, 0);
            if !self.is_proxy(address) {
                break;
            }
        }
        nearest
    }
}

impl Network {
    fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(address) => (u128::from(address.to_bits()) << 96, true),
            IpAddr::V6(address) => (address.to_bits(), false),
        };
        let ((own, is_v4), (other, other_is_v4)) = (bits(self.address), bits(address));
        let different = own ^ other;
        is_v4 == other_is_v4 && different.leading_zeros() >= u32::from(self.prefix)
    }
}

impl FromStr for Network {
    type Err = NetworkError;

    fn from_str(text: &str) -> Result<Self, NetworkError> {
        let parsed = || {
            let (address, prefix) = match text.split_once('/') {
                Some((address, prefix)) => (address, Some(prefix)),
                None => (text, None),
            };
            let address: IpAddr = address.parse().ok()?;
            let max_prefix = if address.is_ipv4() { 32 } else { 128 };
            let prefix = prefix.map_or(Some(max_prefix), |prefix| prefix.parse().ok())?;
            (prefix <= max_prefix).then_some(Self { address, prefix })
        };
        parsed().ok_or_else(|| NetworkError { found: text.chars().take(64).collect() })
    }
}

/// Reads an element of the header: an address, with a port or without.
fn forwarded(name: &str) -> Option<IpAddr> {
    let name = name.trim();
    let bare = name.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(name);
    bare.parse().ok().or_else(|| name.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

#[cfg(test)]
mod tests {
    use super::{ClientAddress, Network};

    #[track_caller]
    fn check(peer: &str, headers: &[&'static str], client: &str) {
        let trusting = ClientAddress::forwarded_by(["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"]);
        let fields = headers.iter().map(|field| {
            (super::FORWARDED_FOR.parse().expect("a name"), field.parse().expect("a value"))
        });
        let peer = format!("{peer}:4000").parse().expect("an address");
        let address = trusting.expect("these are ranges").resolve(peer, &fields.collect());
        assert_eq!(address.ip().to_string(), client, "{headers:?}");
    }

    #[test]
    fn a_proxys_header_is_read_only_from_proxies_and_only_up_to_the_first_stranger() {
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
        check("10.1.2.3", &["198.51.100.1"], "198.51.100.1");
        check("10.1.2.3", &["1.1.1.1, 198.51.100.1, 10.9.9.9"], "198.51.100.1");
        check("10.1.2.3", &["1.1.1.1", "198.51.100.1:55, 192.0.2.7"], "198.51.100.1");
        check("[2001:db8::7]", &["[2001:470::1]"], "2001:470::1");
        check("[::ffff:10.1.2.3]", &["198.51.100.1"], "198.51.100.1");
        check("10.1.2.3", &[], "10.1.2.3");
        check("10.1.2.3", &["198.51.100.1, unknown"], "10.1.2.3");
        check("10.1.2.3", &["10.4.4.4"], "10.4.4.4");
    }

    #[test]
    fn a_range_is_an_address_and_a_prefix_that_it_can_have() {
        for text in ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "x", "", "/8"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
        let all: Network = "0.0.0.0/0".parse().expect("a range");
        let address = |text: &str| text.parse().expect("an address");
        assert!(all.contains(address("1.2.3.4")) && !all.contains(address("::1")));
    }
}
