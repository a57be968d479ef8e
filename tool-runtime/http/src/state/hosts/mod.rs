//! Checks the host names and origins of requests, against web pages that use a browser to call the
//! server.
//!
//! In a DNS rebinding attack, a page resolves its own name to this server, so that the browser
//! treats both as one site: the page can send any request and read the answer. The browser still
//! sends that name in `Host`, so the name decides. A page under another name is recognised by its
//! `Origin`, as MCP requires of servers (streamable HTTP, security warning).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use tool_contracts::ErrorCode;
use tool_runtime_core::refusal_reason::RefusalReason;

use crate::auth::Auth;
use crate::problem::Problem;

#[cfg(test)]
mod tests;

/// The host names that a server accepts.
#[derive(Debug, Clone, Default)]
pub(crate) enum Hosts {
    /// Not configured. Requests without a credential have to use a name that no DNS record can
    /// point here: `localhost` or an address.
    #[default]
    NotConfigured,
    Listed(Arc<[Box<str>]>),
    Any,
}

impl Hosts {
    /// Refuses a request with another host name, or of a page of another site.
    pub(crate) fn admit(&self, auth: &Auth, parts: &Parts) -> Result<(), Problem> {
        let has_no_credential = auth.admits_without_credential(&parts.headers);
        match self {
            Self::NotConfigured if has_no_credential && !hosts_of(parts).all(needs_no_dns) => {
                return Err(misdirected(
                    "host: expected `localhost` or an address, because this server accepts requests \
                     without a credential; list the name in its configuration (`HttpConfig::hosts`)",
                ));
            }
            Self::Listed(names) if !is_listed(names, parts) => {
                return Err(misdirected(
                    "host: expected one of the names that this server accepts; use one of them, or \
                     list this one in its configuration (`HttpConfig::hosts`)",
                ));
            }
            Self::NotConfigured | Self::Listed(_) => {}
            Self::Any => return Ok(()),
        }
        let is_foreign = |origin| !self.is_own(origin, parts);
        if has_no_credential && values(parts, &ORIGIN).any(is_foreign) {
            return Err(foreign_origin());
        }
        Ok(())
    }

    /// Returns whether an origin is the server's own or of this machine.
    fn is_own(&self, origin: &str, parts: &Parts) -> bool {
        let Some((_, site)) = origin.split_once("://") else { return false };
        let is_listed = match self {
            Self::Listed(names) => names.iter().any(|name| matches(name, site)),
            Self::NotConfigured | Self::Any => false,
        };
        is_listed || is_local(site) || hosts_of(parts).any(|host| host.eq_ignore_ascii_case(site))
    }
}

fn is_listed(names: &[Box<str>], parts: &Parts) -> bool {
    let mut hosts = hosts_of(parts).peekable();
    hosts.peek().is_some() && hosts.all(|host| names.iter().any(|name| matches(name, host)))
}

/// Returns the host names of a request: `Host`, and `:authority` of HTTP/2.
fn hosts_of(parts: &Parts) -> impl Iterator<Item = &str> {
    let authority = parts.uri.authority().map(axum::http::uri::Authority::as_str);
    values(parts, &HOST).chain(authority)
}

/// Returns the values of a header; an empty text for a value that is not ASCII.
fn values<'p>(parts: &'p Parts, name: &HeaderName) -> impl Iterator<Item = &'p str> {
    parts.headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default())
}

/// Returns whether a host matches a listed name, which matches every port if it has none.
fn matches(listed: &str, host: &str) -> bool {
    listed.eq_ignore_ascii_case(host) || listed.eq_ignore_ascii_case(name_of(host))
}

/// Returns whether a host is reached without DNS.
fn needs_no_dns(host: &str) -> bool {
    let name = name_of(host);
    name.eq_ignore_ascii_case("localhost") || address(name).is_some()
}

/// Returns whether a host is this machine.
fn is_local(host: &str) -> bool {
    let name = name_of(host);
    name.eq_ignore_ascii_case("localhost") || address(name).is_some_and(|it| it.is_loopback())
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(Into::into),
        None => name.parse::<Ipv4Addr>().ok().map(Into::into),
    }
}

/// Returns the host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

fn misdirected(message: &'static str) -> Problem {
    Problem::new(StatusCode::MISDIRECTED_REQUEST, ErrorCode::Forbidden, message)
        .with_reason(RefusalReason::Host)
}

fn foreign_origin() -> Problem {
    let message =
        "origin: expected none or this server's own; pages of other sites may not call it";
    Problem::forbidden(message).with_reason(RefusalReason::Origin)
}
