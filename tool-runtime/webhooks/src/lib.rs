//! Signed webhooks: the events of a runtime, delivered to other systems at least once.
//!
//! An event is stored in the transaction of what it reports, and a sender delivers it until its receiver answers with a
//! status of success: see [`Events`](tool_runtime_core::policy::Events). The requests are those of Standard Webhooks, so
//! that its libraries verify them.

mod address;
mod receiver;
mod secret;
mod sender;
mod webhooks;

pub use self::receiver::WebhookReceiver;
pub use self::sender::WebhookSender;
pub use self::webhooks::{InvalidWebhooks, Webhooks};
