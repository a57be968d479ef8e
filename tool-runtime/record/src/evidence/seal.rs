//! Encryption of keys and contents, each bound to its key and its associated data.

use std::fmt;

use aes_gcm::aead::{Aead as _, Payload};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use tool_runtime_core::key_ring::{cipher, frame};
use tool_runtime_schema::canonical::Digest;
use uuid::Uuid;
use zeroize::Zeroizing;

use super::{ContentsPart, EvidenceErrorKind, SnapshotId};

const FORMAT: u8 = 1;
const SALT_BYTES: usize = 32;
const HEADER_BYTES: usize = 1 + SALT_BYTES;

/// The domain of every derived key: another value makes everything that is sealed unreadable.
const SEAL_DOMAIN: &[u8] = b"tool-runtime/evidence/v1/seal";

/// A key of 256 bits. It is boxed, so that a move leaves no copy in memory.
pub(super) struct SecretKey(Box<Zeroizing<[u8; 32]>>);

/// The associated data of a sealed text, which binds it to its owner (RFC 5116, section 2.1).
#[derive(Debug, Clone, Copy)]
pub(super) enum AssociatedData<'a> {
    TenantKey { tenant: Uuid, version: u32, ring_key: &'a str },
    DataKey { tenant: Uuid, id: SnapshotId, version: u32 },
    Part { tenant: Uuid, id: SnapshotId, part: ContentsPart, facts: Digest },
}

impl SecretKey {
    pub(super) fn random() -> Result<Self, EvidenceErrorKind> {
        let mut secret = Self(Box::default());
        fill(&mut **secret.0)?;
        Ok(secret)
    }

    pub(super) fn new(key: &Zeroizing<[u8; 32]>) -> Self {
        let mut secret = Self(Box::default());
        secret.0.copy_from_slice(&**key);
        secret
    }

    /// Encrypts this key under another one.
    pub(super) fn wrap(
        &self,
        by: &Self,
        data: AssociatedData<'_>,
    ) -> Result<Vec<u8>, EvidenceErrorKind> {
        by.seal(&**self.0, data)
    }

    /// Decrypts a key that was encrypted under this one.
    pub(super) fn unwrap(
        &self,
        wrapped: &[u8],
        data: AssociatedData<'_>,
    ) -> Result<Self, EvidenceErrorKind> {
        let key = self.open(wrapped, data)?;
        let mut secret = Self(Box::default());
        if key.len() != secret.0.len() {
            return Err(EvidenceErrorKind::Altered);
        }
        secret.0.copy_from_slice(&key);
        Ok(secret)
    }

    pub(super) fn seal(
        &self,
        plain: &[u8],
        data: AssociatedData<'_>,
    ) -> Result<Vec<u8>, EvidenceErrorKind> {
        let mut salt = [0; SALT_BYTES];
        fill(&mut salt)?;
        let mut sealed = [&[FORMAT][..], &salt].concat();
        let (cipher, nonce) = cipher(&self.0, &salt, SEAL_DOMAIN);
        let payload = Payload { msg: plain, aad: &data.encoded(&sealed) };
        let text = cipher.encrypt(&nonce, payload).map_err(|_| EvidenceErrorKind::TooLarge)?;
        sealed.extend(text);
        Ok(sealed)
    }

    pub(super) fn open(
        &self,
        sealed: &[u8],
        data: AssociatedData<'_>,
    ) -> Result<Zeroizing<Vec<u8>>, EvidenceErrorKind> {
        let opened = (|| {
            let (header, text) = sealed.split_at_checked(HEADER_BYTES)?;
            let salt = header.strip_prefix(&[FORMAT])?.try_into().ok()?;
            let (cipher, nonce) = cipher(&self.0, salt, SEAL_DOMAIN);
            let payload = Payload { msg: text, aad: &data.encoded(header) };
            cipher.decrypt(&nonce, payload).ok()
        })();
        opened.map(Zeroizing::new).ok_or(EvidenceErrorKind::Altered)
    }

    /// Computes a message's HMAC-SHA-256 under this key.
    pub(super) fn mac(&self, message: &[u8]) -> [u8; 32] {
        self.keyed(message).finalize().into_bytes().into()
    }

    /// Compares a message's HMAC-SHA-256 with this one, in constant time.
    pub(super) fn verifies(&self, message: &[u8], mac: &[u8]) -> bool {
        self.keyed(message).verify_slice(mac).is_ok()
    }

    fn keyed(&self, message: &[u8]) -> Hmac<Sha256> {
        let keyed = Hmac::<Sha256>::new_from_slice(&**self.0);
        keyed.expect("HMAC takes a key of any length").chain_update(message)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(***)")
    }
}

impl AssociatedData<'_> {
    fn encoded(&self, header: &[u8]) -> Vec<u8> {
        match self {
            Self::TenantKey { tenant, version, ring_key } => frame(&[
                header,
                b"tenant-key",
                tenant.as_bytes(),
                &version.to_be_bytes(),
                ring_key.as_bytes(),
            ]),
            Self::DataKey { tenant, id, version } => frame(&[
                header,
                b"data-key",
                tenant.as_bytes(),
                id.uuid().as_bytes(),
                &version.to_be_bytes(),
            ]),
            Self::Part { tenant, id, part, facts } => frame(&[
                header,
                b"part",
                tenant.as_bytes(),
                id.uuid().as_bytes(),
                part.as_str().as_bytes(),
                facts.as_bytes(),
            ]),
        }
    }
}

fn fill(bytes: &mut [u8]) -> Result<(), EvidenceErrorKind> {
    getrandom::fill(bytes).map_err(|_| EvidenceErrorKind::NoRandomness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_sealed_at_one_place_opens_at_no_other() {
        let [one, two] = [1, 2].map(Uuid::from_u128);
        let ids = ["ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a", "ev_0197f0c49a5b7c3e8a416f2b8f0d1e2b"];
        let [id, other_id] = ids.map(|id| id.parse::<SnapshotId>().expect("an id"));
        let [facts, other_facts] = [[1; 32], [2; 32]].map(Digest::from_bytes);
        let (arguments, output) = (ContentsPart::Arguments, ContentsPart::Output);
        let places = [
            AssociatedData::TenantKey { tenant: one, version: 1, ring_key: "a" },
            AssociatedData::TenantKey { tenant: two, version: 1, ring_key: "a" },
            AssociatedData::TenantKey { tenant: one, version: 2, ring_key: "a" },
            AssociatedData::TenantKey { tenant: one, version: 1, ring_key: "b" },
            AssociatedData::DataKey { tenant: one, id, version: 1 },
            AssociatedData::DataKey { tenant: two, id, version: 1 },
            AssociatedData::DataKey { tenant: one, id: other_id, version: 1 },
            AssociatedData::DataKey { tenant: one, id, version: 2 },
            AssociatedData::Part { tenant: one, id, part: arguments, facts },
            AssociatedData::Part { tenant: two, id, part: arguments, facts },
            AssociatedData::Part { tenant: one, id: other_id, part: arguments, facts },
            AssociatedData::Part { tenant: one, id, part: output, facts },
            AssociatedData::Part { tenant: one, id, part: arguments, facts: other_facts },
        ];
        let key = SecretKey::random().expect("random bytes");
        for (at, data) in places.iter().enumerate() {
            let sealed = key.seal(b"text", *data).expect("it is sealed");
            for (other, there) in places.iter().enumerate() {
                let opened = key.open(&sealed, *there).is_ok();
                assert_eq!(opened, at == other, "{data:?} at {there:?}");
            }
        }
    }

    #[test]
    fn another_key_opens_nothing() {
        let data = AssociatedData::DataKey {
            tenant: Uuid::nil(),
            id: SnapshotId::at(tool_runtime_core::store::UnixMillis::new(0)),
            version: 1,
        };
        let [one, other] = [(); 2].map(|()| SecretKey::random().expect("random bytes"));
        let sealed = one.seal(b"text", data).expect("it is sealed");
        assert_eq!(other.open(&sealed, data).map(|_| ()), Err(EvidenceErrorKind::Altered));
        assert_eq!(one.unwrap(&sealed, data).map(|_| ()), Err(EvidenceErrorKind::Altered));
    }
}
