//! The ring from which all keys of the runtime are derived.

mod frame;
mod subkey;

use std::fmt;

use aes_gcm::{Aes256Gcm, Nonce, aead::consts::U12};
use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use thiserror::Error;
use zeroize::{Zeroize, Zeroizing};

use tool_runtime_schema::canonical::Digest;

pub use self::frame::frame;

const LEAST_SECRET: usize = 32;
const MAX_ID_LENGTH: usize = 64;

// HKDF labels: changing one invalidates all tickets that were ever signed.
const SIGNING: &[u8] = b"tool-runtime/ticket/v1/sign";
const SEALING: &[u8] = b"tool-runtime/ticket/v1/seal";
const SEALING_ONE: &[u8] = b"tool-runtime/ticket/v1/seal/message";

// The HKDF label of all keys except the keys of tickets: changing it loses the data that these keys
// encrypted.
const ROOT: &[u8] = b"tool-runtime/key-ring/v1/root";

/// Keys derived from the host's secrets: for tickets, ledgers, evidence, sessions and the checksums
/// of the SQLite store.
///
/// Each secret has an id, which is stored with what its keys sign or encrypt. The current one signs
/// and encrypts; former ones still verify and decrypt, so that a secret can be rotated: make the new
/// one current, and keep the old one as former for as long as anything needs it. A ticket needs its
/// secret until it expires; records of a ledger, evidence, sessions and stored answers need theirs
/// for longer (the guide's page about the rotation of keys).
///
/// The ring keeps the derived keys (HKDF-SHA-256), not the secrets, and overwrites them when it is
/// dropped. Tickets are signed by HMAC-SHA-256, and the calls behind them encrypted by AES-256-GCM.
/// `Debug` shows ids only.
///
/// ```
/// use tool_runtime::policy::KeyRing;
///
/// # let (new, old) = ([7; 32], [8; 32]);
/// let keys = KeyRing::new("2025-07", &new)?.with_former("2025-01", &old)?;
/// assert_eq!(format!("{keys:?}"), r#"KeyRing { current: "2025-07", former: ["2025-01"] }"#);
///
/// let error = KeyRing::new("2025-07", b"hunter2").unwrap_err();
/// assert_eq!(error.to_string(), "the secret of a key has 7 bytes: expected at least 32 random bytes");
/// # Ok::<(), tool_runtime::policy::KeyRingError>(())
/// ```
pub struct KeyRing {
    current: RingKey,
    former: Vec<RingKey>,
}

/// The reason why a secret cannot be added to a [`KeyRing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyRingError {
    /// The secret is too short to be secure.
    #[error("the secret of a key has {found} bytes: expected at least 32 random bytes")]
    ShortSecret {
        /// The length of the secret, in bytes.
        found: usize,
    },
    /// The secret is all zeros, as in memory that was never filled.
    #[error("the secret of a key is all zeros: expected at least 32 random bytes")]
    ZeroSecret,
    /// The key's id has characters that are not allowed, or is too long.
    #[error("invalid id of a key: expected 1 to 64 letters, digits, `_`, `.` and `-`")]
    InvalidId,
    /// Another key on the ring has this id.
    #[error("two keys have the same id: give a new secret a new id")]
    RepeatedId,
    /// The operating system has no random bytes.
    #[error("the operating system has no random bytes: configure a secret instead")]
    NoRandomness,
}

/// Separates these hashes from signatures, which begin with another tag.
const KEYED_HASH: &[u8] = b"tool-runtime/hidden-digest/v1\0";

/// The keys derived from one secret. Boxed, so that moving the ring leaves no copies in memory.
pub struct RingKey {
    id: Box<str>,
    derived: Box<DerivedKeys>,
}

impl fmt::Debug for RingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RingKey").finish_non_exhaustive()
    }
}

struct DerivedKeys {
    // As long as a block of the hash, so that HMAC uses it as it is.
    signing: Zeroizing<[u8; 64]>,
    sealing: Zeroizing<[u8; 32]>,
    #[allow(
        dead_code,
        reason = "only the features `ledger` and `sqlite-unbundled` derive from it"
    )]
    root: Zeroizing<[u8; 32]>,
}

/// A key that seals texts of one purpose.
#[derive(Clone, Copy)]
pub struct SealingKey<'k> {
    /// The id of the ring's key from which it is derived.
    pub id: &'k str,
    pub secret: &'k [u8; 32],
    /// The HKDF label of the key of a single text.
    pub label: &'static [u8],
}

impl fmt::Debug for SealingKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealingKey").finish_non_exhaustive()
    }
}

impl KeyRing {
    /// Creates a ring with one secret, of 32 random bytes or more.
    ///
    /// Processes that accept each other's tickets need the same id and secret.
    ///
    /// # Errors
    /// Returns an error if the secret is shorter or all zeros, or the id is not 1 to 64 letters, digits, `_`,
    /// `.` and `-`.
    pub fn new(id: impl Into<Box<str>>, secret: &[u8]) -> Result<Self, KeyRingError> {
        Ok(Self { current: RingKey::derive(id.into(), secret)?, former: Vec::new() })
    }

    /// Adds a former secret, which verifies and decrypts, and never signs.
    ///
    /// # Errors
    /// Returns the errors of [`new`](Self::new), and an error if the id is on the ring.
    pub fn with_former(
        mut self,
        id: impl Into<Box<str>>,
        secret: &[u8],
    ) -> Result<Self, KeyRingError> {
        let key = RingKey::derive(id.into(), secret)?;
        if self.key(&key.id).is_some() {
            return Err(KeyRingError::RepeatedId);
        }
        self.former.push(key);
        Ok(self)
    }

    /// Creates a ring with a random secret: its tickets are valid in this process only.
    ///
    /// # Errors
    /// Returns an error if the operating system has no random bytes.
    ///
    /// ```
    /// use tool_runtime::policy::KeyRing;
    ///
    /// let keys = KeyRing::ephemeral()?;
    /// # Ok::<(), tool_runtime::policy::KeyRingError>(())
    /// ```
    pub fn ephemeral() -> Result<Self, KeyRingError> {
        let mut secret = Zeroizing::new([0; 32]);
        let mut name = [0; 8];
        getrandom::fill(&mut *secret).map_err(|_| KeyRingError::NoRandomness)?;
        getrandom::fill(&mut name).map_err(|_| KeyRingError::NoRandomness)?;
        // A random id, so that another process's ticket fails with `UnknownKey`, not with
        // `Tampered`.
        Self::new(format!("ephemeral-{:016x}", u64::from_be_bytes(name)), &*secret)
    }

    /// Hashes a hash with a key, so that the hashed value cannot be guessed without the key.
    ///
    /// Uses the key of this id, else the current one; none if the id is not on the ring.
    pub(crate) fn keyed_hash(&self, digest: Digest, key: Option<&str>) -> Option<Digest> {
        let key = key.map_or(Some(&self.current), |id| self.key(id))?;
        Some(Digest::from_bytes(key.sign(&[KEYED_HASH, digest.as_bytes()].concat())))
    }

    /// Returns the key that signs and encrypts.
    #[must_use]
    pub fn current(&self) -> &RingKey {
        &self.current
    }

    /// Returns the key of this id, current or former.
    #[must_use]
    pub fn key(&self, id: &str) -> Option<&RingKey> {
        self.keys().find(|key| &*key.id == id)
    }

    /// Iterates over all keys, the current one first.
    pub fn keys(&self) -> impl Iterator<Item = &RingKey> {
        std::iter::once(&self.current).chain(&self.former)
    }
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let former: Vec<&str> = self.former.iter().map(RingKey::id).collect();
        f.debug_struct("KeyRing")
            .field("current", &self.current.id())
            .field("former", &former)
            .finish()
    }
}

impl RingKey {
    fn derive(id: Box<str>, secret: &[u8]) -> Result<Self, KeyRingError> {
        if !is_id(&id) {
            return Err(KeyRingError::InvalidId);
        }
        if secret.len() < LEAST_SECRET {
            return Err(KeyRingError::ShortSecret { found: secret.len() });
        }
        if secret.iter().all(|byte| *byte == 0) {
            return Err(KeyRingError::ZeroSecret);
        }
        let mut derived = Box::new(DerivedKeys {
            signing: Zeroizing::new([0; 64]),
            sealing: Zeroizing::new([0; 32]),
            root: Zeroizing::new([0; 32]),
        });
        expand(None, secret, SIGNING, &mut *derived.signing);
        expand(None, secret, SEALING, &mut *derived.sealing);
        expand(None, secret, ROOT, &mut *derived.root);
        Ok(Self { id, derived })
    }

    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn sign(&self, message: &[u8]) -> [u8; 32] {
        self.mac(message).finalize().into_bytes().into()
    }

    /// Verifies a signature in constant time.
    pub(crate) fn verifies(&self, message: &[u8], signature: &[u8; 32]) -> bool {
        self.mac(message).verify_slice(signature).is_ok()
    }

    /// Returns the key that seals the calls behind tickets.
    #[must_use]
    pub fn sealing(&self) -> SealingKey<'_> {
        SealingKey { id: &self.id, secret: &self.derived.sealing, label: SEALING_ONE }
    }

    fn mac(&self, message: &[u8]) -> Hmac<Sha256> {
        Hmac::<Sha256>::new((&*self.derived.signing).into()).chain_update(message)
    }
}

/// Derives, from a key for many messages, the cipher and the nonce of the one that has this salt.
#[must_use]
pub fn cipher(key: &[u8; 32], salt: &[u8; 32], info: &[u8]) -> (Aes256Gcm, Nonce<U12>) {
    let mut derived = Zeroizing::new([0; 44]);
    expand(Some(salt), key, info, &mut *derived);
    let (key, nonce) = derived.split_at(32);
    let mut sealing_nonce = Nonce::default();
    sealing_nonce.copy_from_slice(nonce);
    (Aes256Gcm::new_from_slice(key).expect("an AES-256 key has 32 bytes"), sealing_nonce)
}

fn expand(salt: Option<&[u8; 32]>, secret: &[u8], info: &[u8], key: &mut [u8]) {
    let (mut extracted, hkdf) = Hkdf::<Sha256>::extract(salt.map(<[u8; 32]>::as_slice), secret);
    extracted.as_mut_slice().zeroize();
    hkdf.expand(info, key).expect("a key is shorter than what HKDF can give");
}

/// Returns whether a text can be the id of a key, which appears in tickets and logs.
#[must_use]
pub fn is_id(id: &str) -> bool {
    (1..=MAX_ID_LENGTH).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use zeroize::ZeroizeOnDrop;

    use super::*;

    const SECRET: [u8; 32] = *b"a secret that nobody is to read!";

    #[track_caller]
    fn check(ring: Result<KeyRing, KeyRingError>, error: KeyRingError) {
        assert_eq!(ring.expect_err("the ring was made"), error);
    }

    #[test]
    fn a_short_secret_is_refused() {
        check(KeyRing::new("a", &SECRET[..31]), KeyRingError::ShortSecret { found: 31 });
        check(KeyRing::new("a", &[]), KeyRingError::ShortSecret { found: 0 });
        let ring = KeyRing::new("a", &SECRET).expect("32 bytes are enough");
        check(ring.with_former("b", &SECRET[..31]), KeyRingError::ShortSecret { found: 31 });
        check(KeyRing::new("a", &[0; 32]), KeyRingError::ZeroSecret);
        let ring = KeyRing::new("a", &SECRET).unwrap();
        check(ring.with_former("b", &[0; 64]), KeyRingError::ZeroSecret);
    }

    #[test]
    fn an_id_is_short_plain_and_unique() {
        for id in ["", "a b", "a\"b", "ä", &"a".repeat(65)] {
            check(KeyRing::new(id, &SECRET), KeyRingError::InvalidId);
        }
        KeyRing::new("a".repeat(64), &SECRET).expect("64 letters are an id");
        let ring = || KeyRing::new("a", &SECRET).and_then(|ring| ring.with_former("b", &SECRET));
        for id in ["a", "b"] {
            check(ring().and_then(|ring| ring.with_former(id, &SECRET)), KeyRingError::RepeatedId);
        }
    }

    #[test]
    fn ephemeral_rings_share_neither_id_nor_keys() {
        let [one, other] = [(); 2].map(|()| KeyRing::ephemeral().expect("random bytes"));
        assert!(one.key(other.current().id()).is_none());
        assert_ne!(one.current().sign(b"x"), other.current().sign(b"x"));
    }

    #[test]
    fn every_derived_key_differs_from_the_others_and_from_the_secret() {
        let key = RingKey::derive("a".into(), &SECRET).expect("a key");
        let signing = &*key.derived.signing;
        assert_ne!(signing[..32], *key.derived.sealing);
        assert_ne!(signing[32..], *key.derived.sealing);
        assert!(!signing.windows(8).any(|part| SECRET.windows(8).any(|secret| part == secret)));
    }

    // Computed by another implementation of HKDF: stored data decrypts with exactly these subkeys.
    #[test]
    fn a_subkey_is_its_purpose_s_and_stays_what_it_is() {
        let key = RingKey::derive("a".into(), &SECRET).expect("a key");
        assert_eq!(Digest::from_bytes(*key.subkey(b"one")).to_string(), SUBKEY_ELSEWHERE);
        let subkeys = [key.subkey(b"one"), key.subkey(b"two"), key.subkey(b"")];
        let others = [key.derived.sealing.clone(), key.derived.root.clone()];
        let all = [&subkeys[..], &others[..]].concat();
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| **one != **other));
        }
    }

    const SUBKEY_ELSEWHERE: &str =
        "d01824a6257754f13a653384ddffe32bba0a3278829c5774d9c56858475f8801";

    #[test]
    fn debug_shows_no_secret() {
        let ring = KeyRing::new("now", &SECRET)
            .and_then(|ring| ring.with_former("before", &[0xAB; 32]))
            .expect("a ring");
        let key = &ring.current;
        let shown = format!("{ring:?} {ring:#?}");
        let bare: String = shown.to_lowercase().split_whitespace().collect();
        let DerivedKeys { signing, sealing, root } = &*key.derived;
        let secrets: [&[u8]; 5] = [&SECRET, &[0xAB; 32], &**signing, &**sealing, &**root];
        for secret in secrets {
            let part = [secret[0], secret[1], secret[2], secret[3]];
            let listed = part.map(|byte| byte.to_string()).join(",");
            let hex = format!("{:08x}", u32::from_be_bytes(part));
            assert!(!bare.contains(&listed) && !bare.contains(&hex), "{shown}");
            assert!(!shown.contains(&*String::from_utf8_lossy(&part)), "{shown}");
        }
        assert!(shown.contains("now") && shown.contains("before"));
    }

    // Does not compile without the `zeroize` features of the crates.
    #[test]
    fn types_that_hold_keys_overwrite_them() {
        fn overwrites<T: ZeroizeOnDrop>() {}
        overwrites::<Sha256>();
        overwrites::<Aes256Gcm>();
        overwrites::<Zeroizing<[u8; 64]>>();
    }
}
