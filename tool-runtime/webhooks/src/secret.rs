//! The secret that a sender and a receiver share, and the signature that it makes.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

/// The prefix of the text form.
const PREFIX: &str = "whsec_";

/// The lengths that Standard Webhooks allows, in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A secret of Standard Webhooks.
#[derive(Clone)]
pub(crate) struct WebhookSecret(Zeroizing<Vec<u8>>);

impl WebhookSecret {
    /// Parses `whsec_` and 24 to 64 bytes in base64; none if it is not that.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let bytes = STANDARD.decode(text.strip_prefix(PREFIX)?).ok().map(Zeroizing::new)?;
        LENGTHS.contains(&bytes.len()).then_some(Self(bytes))
    }

    /// Signs a request: `v1,` and the HMAC-SHA-256 in base64.
    pub(crate) fn sign(&self, id: &str, timestamp: u64, body: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for WebhookSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WebhookSecret")
    }
}

#[cfg(test)]
mod tests {
    use super::WebhookSecret;

    // The example of the specification of Standard Webhooks.
    #[test]
    fn a_request_is_signed_as_standard_webhooks_says() {
        let secret =
            WebhookSecret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").expect("a secret");
        let body = r#"{"test": 2432232314}"#;
        let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_has_a_prefix_and_24_to_64_bytes() {
        let text = |length: usize| {
            use base64::Engine as _;
            let bytes = vec![7_u8; length];
            format!("whsec_{}", base64::engine::general_purpose::STANDARD.encode(bytes))
        };
        for length in [24, 32, 64] {
            assert!(WebhookSecret::parse(&text(length)).is_some(), "{length}");
        }
        for refused in [text(23), text(65), text(24).replace("whsec_", ""), "whsec_*".to_owned()] {
            assert!(WebhookSecret::parse(&refused).is_none(), "{refused}");
        }
    }
}
