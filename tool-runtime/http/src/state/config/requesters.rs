//! The lookup of callers in the configuration, for approvals.

use std::future::Future;
use std::sync::Arc;

use futures::FutureExt;

use super::HttpConfig;
use crate::auth::{Lookup, LookupError, Principal, Requester};

/// The rights of callers whose calls wait.
impl HttpConfig {
    /// Sets the lookup of a caller's current rights, which is used when a waiting call is approved.
    ///
    /// A waiting call runs only if the caller that requested it may still call its tool for its
    /// tenant. By default, an API key counts if a principal of the same name has a valid key in
    /// this server's [`ApiKeySet`](crate::ApiKeySet), and a token counts for the scopes that it
    /// granted, because it is not stored. Set a lookup to ask the issuer about a token's subject,
    /// or if another server accepts the calls. `Ok(None)` means that the caller has no rights any
    /// more; an error is answered 503, and the call keeps waiting.
    ///
    /// # Examples
    /// ```
    /// use std::convert::Infallible;
    /// use tool_runtime::http::{Requester, Auth, HttpConfig, Principal};
    ///
    /// # fn directory(name: &str) -> Option<Principal> { None }
    /// # fn doc(auth: Auth) -> HttpConfig {
    /// HttpConfig::new(auth)
    ///     .look_up_requesters(|requester: Requester| async move { Ok::<_, Infallible>(directory(requester.name())) })
    /// # }
    /// ```
    pub fn look_up_requesters<F, E>(
        mut self,
        look_up: impl Fn(Requester) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Option<Principal>, E>> + Send + 'static,
        E: Into<LookupError>,
    {
        let look_up =
            move |requester| look_up(requester).map(|found| found.map_err(Into::into)).boxed();
        self.requesters = Some(Lookup(Arc::new(look_up)));
        self
    }
}
