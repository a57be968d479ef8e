//! Under which names a server is asked, so that no web page makes a browser ask it.
//!
//! A page whose own name its owner points at this server is, for the browser, of the server's own
//! site (DNS rebinding): it may send what it likes, and read what comes back. What it cannot do is to
//! have the browser leave out that name, so that the name decides. The same page under another name
//! is told by its `Origin`, as MCP asks it of servers (streamable HTTP, security warning).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use tool_contracts::ErrorCode;

use super::HttpConfig;
use super::auth::Auth;
use super::problem::Problem;
use crate::refusal_reason::RefusalReason;

#[cfg(test)]
mod tests;

/// The names that a server is asked under.
#[derive(Debug, Clone, Default)]
pub(super) enum Hosts {
    /// Nobody has said them. Whoever proves nothing asks under a name that nobody can point here:
    /// `localhost`, or an address.
    #[default]
    Unsaid,
    These(Arc<[Box<str>]>),
    Any,
}

/// Under which names the tools are asked for.
impl HttpConfig {
    /// Sets the names that the server is asked under; any other is answered 421.
    ///
    /// A name is as it stands in `Host`: `tools.example` with whichever port, `tools.example:8443`
    /// with this one, `[::1]`. Without it, callers who prove who they are ask under any name, and
    /// those who don't under `localhost` or an address, so that no web page whose name is pointed at
    /// this server speaks to it from within a browser (DNS rebinding). Probes are answered under any
    /// name.
    ///
    /// Of callers who prove nothing an `Origin` is taken that is the server's own, of this machine,
    /// or of one of these names; any other is answered 403.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// // Behind a gateway that has proven who calls, and asks for `http://tools:8000`.
    /// let config = HttpConfig::new(Auth::trusting_the_network_as(Principal::trusted("gateway")))
    ///     .hosts(["tools"]);
    /// # let _ = config;
    /// ```
    pub fn hosts<N: Into<Box<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.hosts = Hosts::These(names.into_iter().map(Into::into).collect());
        self
    }

    /// Looks at neither name nor origin: something before the server does, or no browser reaches it.
    pub fn any_host(mut self) -> Self {
        self.hosts = Hosts::Any;
        self
    }
}

impl Hosts {
    /// Refuses what is asked under another name, or by a page of another site.
    pub(super) fn admit(&self, auth: &Auth, parts: &Parts) -> Result<(), Problem> {
        let proves_nothing = auth.takes_without_proof(&parts.headers);
        match self {
            Self::Unsaid if proves_nothing && !said(parts).all(is_never_pointed) => {
                return Err(misdirected(
                    "host: expected `localhost` or an address, since this server lets callers in \
                     who prove nothing; have its configuration list the name (`HttpConfig::hosts`)",
                ));
            }
            Self::These(names) if !is_listed(names, parts) => {
                return Err(misdirected(
                    "host: expected one of the names that this server is asked under; ask under \
                     one, or have its configuration list this one (`HttpConfig::hosts`)",
                ));
            }
            Self::Any => return Ok(()),
            _ => {}
        }
        let is_foreign = |origin| !self.is_own(origin, parts);
        if proves_nothing && values(parts, &ORIGIN).any(is_foreign) {
            return Err(of_another_site());
        }
        Ok(())
    }

    /// Tells whether a page of this origin is the server's own, or of this machine.
    fn is_own(&self, origin: &str, parts: &Parts) -> bool {
        let Some((_, site)) = origin.split_once("://") else { return false };
        let is_listed = match self {
            Self::These(names) => names.iter().any(|name| fits(name, site)),
            _ => false,
        };
        is_listed || is_near(site) || said(parts).any(|host| host.eq_ignore_ascii_case(site))
    }
}

fn is_listed(names: &[Box<str>], parts: &Parts) -> bool {
    let mut hosts = said(parts).peekable();
    hosts.peek().is_some() && hosts.all(|host| names.iter().any(|name| fits(name, host)))
}

/// Gives the names that a request asks under: `Host`, and what HTTP/2 says in its place.
fn said(parts: &Parts) -> impl Iterator<Item = &str> {
    let authority = parts.uri.authority().map(axum::http::uri::Authority::as_str);
    values(parts, &HOST).chain(authority)
}

/// Gives the values of a header; what is no text is no name either.
fn values<'p>(parts: &'p Parts, name: &HeaderName) -> impl Iterator<Item = &'p str> {
    parts.headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default())
}

/// Tells whether a name is the listed one, which stands for every port if it has none.
fn fits(listed: &str, host: &str) -> bool {
    listed.eq_ignore_ascii_case(host) || listed.eq_ignore_ascii_case(name_of(host))
}

/// Tells whether no DNS decides where a host is.
fn is_never_pointed(host: &str) -> bool {
    let name = name_of(host);
    name.eq_ignore_ascii_case("localhost") || address(name).is_some()
}

/// Tells whether a host is this machine.
fn is_near(host: &str) -> bool {
    let name = name_of(host);
    name.eq_ignore_ascii_case("localhost") || address(name).is_some_and(|it| it.is_loopback())
}

fn address(name: &str) -> Option<IpAddr> {
    match name.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(Into::into),
        None => name.parse::<Ipv4Addr>().ok().map(Into::into),
    }
}

/// Leaves out the port.
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

fn of_another_site() -> Problem {
    let message =
        "origin: expected none, or this server's own; pages of other sites do not call it";
    Problem::forbidden(message).with_reason(RefusalReason::Origin)
}
