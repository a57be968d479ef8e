// tool_runtime_webhooks::InvalidWebhooks
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidWebhooks {
    pub faults: Vec<String>,
}
impl fmt::Display for InvalidWebhooks {}
impl std::error::Error for InvalidWebhooks {}

// tool_runtime_webhooks::WebhookReceiver
#[derive(Clone)]
#[must_use]
pub struct WebhookReceiver {
    ..
}
impl WebhookReceiver {
    pub fn allow_private_addresses(self) -> Self {}
    pub fn events(self, events: impl IntoIterator<Item = EventType>) -> Self {}
    pub fn new(
        name: impl Into<String>,
        url: impl Into<String>,
        secret: impl Into<String>,
    ) -> Self {}
    pub fn old_secret(self, secret: impl Into<String>) -> Self {}
    pub fn retry_delays(self, delays: impl IntoIterator<Item = Duration>) -> Self {}
    pub fn tenant(self, tenant: Uuid) -> Self {}
    pub fn timeout(self, timeout: Duration) -> Self {}
    pub fn with_arguments(self) -> Self {}
    pub fn with_console(self, url: impl Into<String>) -> Self {}
}
impl fmt::Debug for WebhookReceiver {}

// tool_runtime_webhooks::WebhookSender
#[derive(Debug)]
pub struct WebhookSender {
    ..
}
impl WebhookSender {
    pub async fn shutdown(self) {}
}

// tool_runtime_webhooks::Webhooks
#[derive(Debug, Clone)]
pub struct Webhooks {
    ..
}
impl Webhooks {
    pub fn new(
        receivers: impl IntoIterator<Item = WebhookReceiver>,
    ) -> Result<Self, InvalidWebhooks> {}
    #[must_use]
    pub fn receivers(&self) -> Vec<EventReceiver> {}
    #[must_use = "the sender stops when it is dropped"]
    pub fn start(&self, runtime: &Runtime) -> WebhookSender {}
}

