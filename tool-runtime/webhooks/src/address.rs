//! Refuses connections to private addresses: those of this machine, of private networks, and of reserved blocks.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// Resolves names to their public addresses alone.
///
/// The address that is checked is the one that is connected to, so that a name cannot change in between.
#[derive(Debug)]
pub(crate) struct PublicResolver;

impl Resolve for PublicResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            // The port is that of the URL.
            let addresses = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let public_addresses: Vec<SocketAddr> =
                addresses.filter(|address| is_public(address.ip())).collect();
            if public_addresses.is_empty() {
                let error = io::Error::other("the name of the host has no public address");
                return Err(error.into());
            }
            Ok(Box::new(public_addresses.into_iter()) as Addrs)
        })
    }
}

/// Returns whether an address is one of the public Internet, by the registries of special-purpose addresses
/// (RFC 6890, as IANA lists them in November 2026).
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let reserved = |network: [u8; 4], length: u32| {
        let mask = u32::MAX << (32 - length);
        address.to_bits() & mask == Ipv4Addr::from(network).to_bits()
    };
    ![
        ([0, 0, 0, 0], 8),
        ([10, 0, 0, 0], 8),
        ([100, 64, 0, 0], 10),
        ([127, 0, 0, 0], 8),
        ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12),
        ([192, 0, 0, 0], 24),
        ([192, 0, 2, 0], 24),
        ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16),
        ([198, 18, 0, 0], 15),
        ([198, 51, 100, 0], 24),
        ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 3),
    ]
    .into_iter()
    .any(|(network, length)| reserved(network, length))
}

/// Global unicast addresses outside of the reserved blocks are public. An embedded address of IPv4 is checked as such.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_public_v4(address);
    }
    match address.segments() {
        // NAT64 and 6to4 have an address of IPv4 in them.
        [0x64, 0xff9b, 0, 0, 0, 0, first, second] | [0x2002, first, second, ..] => {
            let [a, b] = first.to_be_bytes();
            let [c, d] = second.to_be_bytes();
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Teredo, benchmarking, ORCHID, documentation.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn private_and_reserved_addresses_are_not_public() {
        for address in [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "169.254.169.254",
            "172.31.255.255",
            "192.168.1.1",
            "198.19.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "2001:db8::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!is_public(address.parse().expect("an address")), "{address}");
        }
    }

    #[test]
    fn addresses_of_the_internet_are_public() {
        for address in [
            "1.1.1.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.32.0.1",
            "192.167.255.255",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450::1",
            "64:ff9b::101:101",
            "::ffff:1.1.1.1",
        ] {
            assert!(is_public(address.parse().expect("an address")), "{address}");
        }
    }
}
