//! A receiver of webhooks, as the host configures it.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Url, redirect};
use tool_runtime_core::credential_transport::is_cleartext;
use tool_runtime_core::policy::{EventReceiver, EventType};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::address::{PublicResolver, is_public};
use super::secret::WebhookSecret;

/// The delays between the attempts of a message, which Standard Webhooks recommends: 76 hours in all.
const RETRY_DELAYS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_secs(5 * 60),
    Duration::from_secs(30 * 60),
    Duration::from_secs(2 * HOUR),
    Duration::from_secs(5 * HOUR),
    Duration::from_secs(10 * HOUR),
    Duration::from_secs(14 * HOUR),
    Duration::from_secs(20 * HOUR),
    Duration::from_secs(24 * HOUR),
];

const HOUR: u64 = 60 * 60;

/// The most delays, and the longest one.
const MAX_RETRIES: usize = 1_000;
const MAX_DELAY: Duration = Duration::from_secs(7 * 24 * HOUR);

/// The time that a receiver has to answer.
const TIMEOUT: Duration = Duration::from_secs(15);

/// The longest time for a receiver to answer that may be set.
const MAX_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// A receiver of webhooks: its URL, its secret, and the events that it receives.
///
/// Only receivers that the host configures get events. Redirects are not followed, and private addresses are refused
/// unless [`allow_private_addresses`](Self::allow_private_addresses) is set.
///
/// # Examples
/// ```
/// use tool_runtime::policy::EventType;
/// use tool_runtime::webhooks::WebhookReceiver;
///
/// let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// let receiver = WebhookReceiver::new("ops", "https://ops.example/hooks", secret)
///     .events([EventType::ApprovalRequested, EventType::ApprovalExpired])
///     .with_console("https://tools.example/console");
/// # let _ = receiver;
/// ```
#[derive(Clone)]
#[must_use]
pub struct WebhookReceiver {
    pub(crate) events: EventReceiver,
    url: String,
    secret: Zeroizing<String>,
    old_secrets: Vec<Zeroizing<String>>,
    allows_private_addresses: bool,
    timeout: Duration,
    retry_delays: Vec<Duration>,
}

/// A receiver whose settings are valid.
pub(crate) struct Endpoint {
    pub(crate) name: Box<str>,
    pub(crate) url: Url,
    /// The new one first.
    pub(crate) secrets: Vec<WebhookSecret>,
    pub(crate) timeout: Duration,
    pub(crate) retry_delays: Vec<Duration>,
    pub(crate) client: Client,
}

/// Shows the name only: the URL may contain a credential.
impl fmt::Debug for WebhookReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookReceiver").field("name", &self.events.name()).finish_non_exhaustive()
    }
}

/// Shows the name only: the URL may contain a credential.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("name", &self.name).finish_non_exhaustive()
    }
}

impl WebhookReceiver {
    /// Creates a receiver of all events. The name stays the same for as long as events wait for it; the secret is
    /// `whsec_` and 24 to 64 bytes in base64.
    pub fn new(name: impl Into<String>, url: impl Into<String>, secret: impl Into<String>) -> Self {
        Self {
            events: EventReceiver::new(name),
            url: url.into(),
            secret: Zeroizing::new(secret.into()),
            old_secrets: Vec::new(),
            allows_private_addresses: false,
            timeout: TIMEOUT,
            retry_delays: RETRY_DELAYS.into(),
        }
    }

    /// Signs with an old secret too, until the receiver has the new one.
    pub fn old_secret(mut self, secret: impl Into<String>) -> Self {
        self.old_secrets.push(Zeroizing::new(secret.into()));
        self
    }

    /// Limits the receiver to events of these types.
    pub fn events(mut self, events: impl IntoIterator<Item = EventType>) -> Self {
        self.events = self.events.events(events);
        self
    }

    /// Limits the receiver to events of one tenant.
    pub fn tenant(mut self, tenant: Uuid) -> Self {
        self.events = self.events.tenant(tenant);
        self
    }

    /// Sends the arguments of a waiting call, as [`EventReceiver::with_arguments`] says.
    pub fn with_arguments(mut self) -> Self {
        self.events = self.events.with_arguments();
        self
    }

    /// Sends the link to a waiting call in the console at this URL. The link is no secret: the page asks for a login.
    pub fn with_console(mut self, url: impl Into<String>) -> Self {
        self.events = self.events.with_console(url);
        self
    }

    /// Allows addresses of this machine and of private networks; to this machine without TLS too.
    pub fn allow_private_addresses(mut self) -> Self {
        self.allows_private_addresses = true;
        self
    }

    /// Sets the time that the receiver has to answer; 15 seconds by default, at most five minutes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the delays after each failed attempt; after the last delay and one more attempt, the event is undelivered.
    /// By default 5 seconds, 5 and 30 minutes, 2, 5, 10, 14, 20 and 24 hours. A delay is extended by up to a fifth at
    /// random. At most 1,000 delays, each of at most a week.
    pub fn retry_delays(mut self, delays: impl IntoIterator<Item = Duration>) -> Self {
        self.retry_delays = delays.into_iter().take(MAX_RETRIES + 1).collect();
        self
    }

    /// Checks the settings, and prepares the client.
    ///
    /// # Errors
    /// Returns all faults, each with its cure.
    pub(crate) fn endpoint(&self) -> Result<Endpoint, Vec<&'static str>> {
        let mut faults = Vec::new();
        let url = self.checked_url().map_err(|fault| faults.push(fault)).ok();
        let secrets = std::iter::once(&self.secret).chain(&self.old_secrets);
        let secrets: Option<Vec<_>> = secrets.map(|text| WebhookSecret::parse(text)).collect();
        if secrets.is_none() {
            faults.push("a secret is `whsec_` and 24 to 64 random bytes in base64");
        }
        if self.timeout.is_zero() || self.timeout > MAX_TIMEOUT {
            faults.push("`timeout` is more than zero and at most five minutes");
        }
        let is_longest = |delay: &Duration| *delay > MAX_DELAY;
        if self.retry_delays.len() > MAX_RETRIES || self.retry_delays.iter().any(is_longest) {
            faults.push("`retry_delays` has at most 1,000 delays, each of at most a week");
        }
        let client = self.client().map_err(|fault| faults.push(fault)).ok();
        match (url, secrets, client) {
            (Some(url), Some(secrets), Some(client)) if faults.is_empty() => Ok(Endpoint {
                name: self.events.name().into(),
                url,
                secrets,
                timeout: self.timeout,
                retry_delays: self.retry_delays.clone(),
                client,
            }),
            _ => Err(faults),
        }
    }

    fn checked_url(&self) -> Result<Url, &'static str> {
        let url = Url::parse(&self.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or("its URL is not one with `https`")?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("its URL contains credentials: the signature is the proof of the sender");
        }
        if is_cleartext(&url) {
            return Err("its URL has no TLS: use `https`");
        }
        let host = url.host_str().unwrap_or_default();
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let is_private = address.is_ok_and(|address| !is_public(address)) || host == "localhost";
        if is_private && !self.allows_private_addresses {
            return Err("its URL has a private address: set `allow_private_addresses` to allow it");
        }
        if url.scheme() == "http" && !self.allows_private_addresses {
            return Err("its URL has no TLS: use `https`");
        }
        Ok(url)
    }

    fn client(&self) -> Result<Client, &'static str> {
        let client = Client::builder()
            .timeout(self.timeout)
            // A redirect would lead the request past the check of its address.
            .redirect(redirect::Policy::none())
            // A proxy would resolve the name itself.
            .no_proxy()
            .user_agent(concat!("tool-runtime/", env!("CARGO_PKG_VERSION")));
        let client = if self.allows_private_addresses {
            client
        } else {
            client.dns_resolver(Arc::new(PublicResolver))
        };
        client.build().map_err(|_| "its HTTP client cannot be set up")
    }
}
