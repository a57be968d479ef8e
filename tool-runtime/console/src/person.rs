//! The person behind a request of a browser: their session, language and the path of the console.

use std::convert::Infallible;
use std::net::SocketAddr;

use axum::extract::{ConnectInfo, FromRequestParts, OriginalUri};
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Uri};
use axum::response::Response;
use subtle::ConstantTimeEq as _;

use crate::SharedState;
use crate::api::{Caller, NO_SITE};
use crate::pages::{FORM_TOKEN, FormFields};
use crate::session::{self, Session, Sessions};
use crate::sign_in;
use crate::texts::{self, Texts};

/// The cookie of the chosen language.
pub(crate) const LANGUAGE_COOKIE: &str = "tool_console_language";

/// The parts of a browser's request that pages need.
#[derive(Debug)]
pub(crate) struct BrowserRequest {
    /// The path under which the console is nested, without a `/` at its end.
    pub(crate) base: String,
    pub(crate) texts: &'static Texts,
    host: Option<HeaderValue>,
    /// True if the browser says that another site has sent the request.
    pub(crate) is_from_elsewhere: bool,
    address: Option<ConnectInfo<SocketAddr>>,
}

/// A person who is signed in.
pub(crate) struct Person {
    pub(crate) request: BrowserRequest,
    pub(crate) session: Session,
}

impl BrowserRequest {
    pub(crate) fn new(parts: &Parts) -> Self {
        let base = base(parts.extensions.get::<OriginalUri>().map(|it| &it.0), &parts.uri);
        let chosen = cookie(&parts.headers, LANGUAGE_COOKIE);
        let accepted = parts.headers.get(ACCEPT_LANGUAGE).and_then(|it| it.to_str().ok());
        // HTTP/2 names the host in the URI.
        let authority =
            parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |it| &it.0).authority();
        let by_uri = || HeaderValue::from_str(authority?.as_str()).ok();
        Self {
            base,
            texts: texts::choose(chosen, accepted),
            host: parts.headers.get(HOST).cloned().or_else(by_uri),
            is_from_elsewhere: is_from_elsewhere(&parts.headers),
            address: parts.extensions.get().copied(),
        }
    }

    /// Returns the path of the inbox.
    pub(crate) fn home(&self) -> &str {
        if self.base.is_empty() { "/" } else { &self.base }
    }

    /// Returns whom the API is asked for.
    pub(crate) fn caller<'r>(&'r self, session: &'r Session) -> Caller<'r> {
        Caller { session, host: self.host.as_ref(), address: self.address, site: NO_SITE }
    }

    /// Returns the value of a cookie that browsers keep under the console's path, and give to no script. They send it
    /// when a person follows a link from elsewhere, and with no form of another site.
    pub(crate) fn cookie(
        &self,
        sessions: &Sessions,
        name: &str,
        value: &str,
        seconds: u64,
    ) -> Option<HeaderValue> {
        let path = self.home();
        let secure = if sessions.have_tls() { "; Secure" } else { "" };
        let text = format!(
            "{name}={value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
        );
        // A path of the browser's choice sets no attribute.
        HeaderValue::from_str(&text).ok().filter(|_| !path.contains(';'))
    }
}

impl Person {
    pub(crate) fn caller(&self) -> Caller<'_> {
        self.request.caller(&self.session)
    }

    /// Returns whether a form was made for this session: no other site knows its token.
    pub(crate) fn sent(&self, form: &FormFields<'_>) -> bool {
        let form_token = form.get(FORM_TOKEN).unwrap_or_default();
        self.session.form_token.as_bytes().ct_eq(form_token.as_bytes()).into()
    }
}

impl FromRequestParts<SharedState> for BrowserRequest {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        _: &SharedState,
    ) -> Result<Self, Self::Rejection> {
        Ok(Self::new(parts))
    }
}

impl FromRequestParts<SharedState> for Person {
    type Rejection = Response;

    /// Reads the session; a browser without one is sent to the page on which one signs in.
    async fn from_request_parts(parts: &mut Parts, shared: &SharedState) -> Result<Self, Response> {
        let request = BrowserRequest::new(parts);
        let session = cookie(&parts.headers, session::COOKIE)
            .and_then(|cookie| shared.sessions.read(cookie))
            .ok_or_else(|| {
                sign_in::redirect(&request.base, sign_in::ticket_of_path(parts.uri.path()))
            })?;
        Ok(Self { request, session })
    }
}

/// Returns whether the browser says that a page of another site has sent a request.
fn is_from_elsewhere(headers: &HeaderMap) -> bool {
    let site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
    site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
}

/// Returns the path under which a router is nested that sees `inner` of the browser's path.
fn base(original: Option<&Uri>, inner: &Uri) -> String {
    let original = original.unwrap_or(inner).path();
    let base = original.strip_suffix(inner.path()).unwrap_or(original);
    base.trim_end_matches('/').to_owned()
}

/// Finds the first cookie of a name.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let mut pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|it| it.trim().split_once('='));
    pairs.find(|pair| pair.0 == name).map(|pair| pair.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_base_is_what_the_application_has_put_before_the_path() {
        let base = |original: &'static str, inner: &'static str| {
            base(Some(&Uri::from_static(original)), &Uri::from_static(inner))
        };
        assert_eq!(base("/console/sign-in", "/sign-in"), "/console");
        assert_eq!(base("/console/", "/"), "/console");
        assert_eq!(base("/console", "/"), "/console");
        assert_eq!(
            base("/staff/console/approvals/7?after=1", "/approvals/7?after=1"),
            "/staff/console"
        );
        assert_eq!(base("/sign-in", "/sign-in"), "");
        assert_eq!(base("/", "/"), "");
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let mut headers = HeaderMap::new();
        headers.append(COOKIE, HeaderValue::from_static("other=1; tool_console=abc"));
        assert_eq!(cookie(&headers, "tool_console"), Some("abc"));
        assert_eq!(cookie(&headers, "console"), None);
    }
}
