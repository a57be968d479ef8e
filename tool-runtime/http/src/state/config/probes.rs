//! The probes and metrics in the configuration.

use std::future::Future;
use std::time::Duration;

use super::HttpConfig;

/// Probes and metrics.
impl HttpConfig {
    /// Adds a check to `/readyz`, for example of a database, a model or a file.
    ///
    /// The server is not ready while the check returns an error, panics, or takes longer than
    /// [`ready_timeout`](Self::ready_timeout). The answer has only the name of the check; the host
    /// logs the cause. A check runs at most once a second, however often `/readyz` is requested,
    /// and never twice at the same time.
    ///
    /// ```
    /// use tool_runtime::http::{Auth, HttpConfig, Principal};
    ///
    /// # #[derive(Clone)] struct Database;
    /// # impl Database { async fn ping(&self) -> Result<(), std::io::Error> { Ok(()) } }
    /// # let database = Database;
    /// let config = HttpConfig::new(Auth::unauthenticated_as(Principal::new("gateway")))
    ///     .ready_check("database", move || {
    ///         let database = database.clone();
    ///         async move { database.ping().await }
    ///     });
    /// # let _ = config;
    /// ```
    pub fn ready_check<F, C, E>(mut self, name: impl Into<Box<str>>, check: F) -> Self
    where
        F: Fn() -> C + Send + Sync + 'static,
        C: Future<Output = Result<(), E>> + Send + 'static,
    {
        self.ready.add(name.into(), check);
        self
    }

    /// Adds a check that the keys of tokens are available, if tokens are accepted.
    pub(crate) fn checking_token_keys(self) -> Self {
        match self.auth.token_key_check() {
            Some(check) => self.ready_check("token_keys", check),
            None => self,
        }
    }

    /// Sets the longest time of all checks of `/readyz` together; by default 2 s.
    pub fn ready_timeout(mut self, time: Duration) -> Self {
        self.ready.set_timeout(time);
        self
    }

    /// Serves `/metrics` without authentication; by default it needs the scope `metrics`.
    pub fn public_metrics(mut self) -> Self {
        self.public_metrics = true;
        self
    }
}
