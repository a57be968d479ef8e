//! The payer's signature: an authorization to transfer a token (EIP-3009), signed as typed data (EIP-712).

use k256::ecdsa::SigningKey;
use serde::Serialize;
use sha3::{Digest, Keccak256};

use crate::offer::Offer;

const DOMAIN: &str =
    "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)";
const TRANSFER: &str = "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 \
                        validBefore,bytes32 nonce)";

/// The wallet of the agent.
#[derive(Clone)]
pub(crate) struct Wallet {
    key: SigningKey,
    address: [u8; 20],
}

/// A signed authorization, as the scheme `exact` has it.
#[derive(Debug, Serialize)]
pub(crate) struct SignedAuthorization {
    signature: String,
    authorization: Authorization,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Authorization {
    from: String,
    to: String,
    value: String,
    valid_after: String,
    valid_before: String,
    nonce: String,
}

impl Wallet {
    /// Makes a wallet with a new key.
    pub(crate) fn generate() -> Option<Self> {
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).ok()?;
        let key = SigningKey::from_slice(&secret).ok()?;
        let point = key.verifying_key().to_sec1_point(false);
        let hash = keccak(&[point.as_bytes().get(1..)?]);
        let address = hash.get(12..)?.try_into().ok()?;
        Some(Self { key, address })
    }

    /// Authorizes the seller to take the amount of its offer once, until `valid_before` in seconds since the epoch.
    ///
    /// The same nonce authorizes one transfer, whatever is signed with it.
    pub(crate) fn authorize(
        &self,
        offer: &Offer,
        nonce: [u8; 32],
        valid_before: u64,
    ) -> Option<SignedAuthorization> {
        let terms = &offer.terms;
        let chain: u64 = terms.network.strip_prefix("eip155:")?.parse().ok()?;
        let (to, asset) = (address(&terms.pay_to)?, address(&terms.asset)?);
        let domain = keccak(&[
            &keccak(&[DOMAIN.as_bytes()]),
            &keccak(&[terms.extra.name.as_bytes()]),
            &keccak(&[terms.extra.version.as_bytes()]),
            &word(&chain.to_be_bytes()),
            &word(&asset),
        ]);
        let transfer = keccak(&[
            &keccak(&[TRANSFER.as_bytes()]),
            &word(&self.address),
            &word(&to),
            &word(&offer.millionths.to_be_bytes()),
            &word(&[]),
            &word(&valid_before.to_be_bytes()),
            &nonce,
        ]);
        let digest = keccak(&[&[0x19, 0x01], &domain, &transfer]);
        let (signature, recovery) = self.key.sign_prehash_recoverable(&digest);
        let mut bytes = signature.to_bytes().to_vec();
        bytes.push(27 + recovery.to_byte());
        Some(SignedAuthorization {
            signature: hex(&bytes),
            authorization: Authorization {
                from: hex(&self.address),
                to: terms.pay_to.clone(),
                value: offer.millionths.to_string(),
                valid_after: "0".to_owned(),
                valid_before: valid_before.to_string(),
                nonce: hex(&nonce),
            },
        })
    }
}

/// Derives the nonce of a payment from its key, so that a repeat is the same payment.
pub(crate) fn nonce(key: &str) -> [u8; 32] {
    keccak(&[b"paid-reports/nonce/v1:", key.as_bytes()])
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    digits.fold("0x".to_owned(), |text, digits| text + &digits)
}

fn keccak(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Keccak256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// Returns the word of 32 bytes that ends with these.
fn word(bytes: &[u8]) -> [u8; 32] {
    let mut word = [0; 32];
    word[32 - bytes.len()..].copy_from_slice(bytes);
    word
}

fn address(text: &str) -> Option<[u8; 20]> {
    let digits =
        text.strip_prefix("0x").filter(|digits| digits.len() == 40 && digits.is_ascii())?;
    let mut bytes = [0; 20];
    for (byte, place) in bytes.iter_mut().zip((0..40).step_by(2)) {
        *byte = u8::from_str_radix(&digits[place..place + 2], 16).ok()?;
    }
    Some(bytes)
}

impl std::fmt::Debug for Wallet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wallet").field("address", &hex(&self.address)).finish_non_exhaustive()
    }
}
