//! Encrypts texts that a store keeps (the calls behind tickets, the messages of an agent's sessions), so
//! that the store can neither read nor change them.
//!
//! A sealed text is `version (1) · length of the key's id (1) · the key's id · salt (32) ·
//! ciphertext · tag (16)`. HKDF-SHA-256 derives the key and the nonce of each text from a sealing key
//! of the ring and the salt. Random 96-bit nonces under one key are limited to about 2³² texts
//! (NIST SP 800-38D, 8.3), a limit that cannot be counted across processes; salts of 256 bits do
//! not collide. The header and the binding (such as purpose and ticket) are authenticated: a sealed
//! text that is moved to another ticket does not decrypt.

use aes_gcm::aead::{Aead as _, Payload};
use thiserror::Error;
use uuid::Uuid;

use super::TicketRejection;
use crate::key_ring::{KeyRing, RingKey, SealingKey, cipher, frame};

const VERSION: u8 = 1;
const SALT: usize = 32;

/// The reason why a text could not be sealed, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SealError {
    /// The operating system gives no random bytes.
    #[error("the operating system has no random bytes")]
    NoRandomness,
    /// The text is longer than AES-GCM can encrypt.
    #[error("the text is longer than AES-GCM can encrypt")]
    TooLong,
}

/// Returns the binding of a sealed text: its purpose and its ticket.
pub(crate) fn binding(purpose: &str, ticket: Uuid) -> Vec<u8> {
    frame(&[purpose.as_bytes(), ticket.as_bytes()])
}

/// Encrypts a text with the ring's current key.
pub(crate) fn seal(plain: &[u8], ring: &KeyRing, binding: &[u8]) -> Result<Vec<u8>, SealError> {
    seal_with(plain, ring.current().sealing(), binding)
}

/// Decrypts a text with the key of the ring that sealed it, if the binding is the same.
pub(crate) fn open(
    sealed: &[u8],
    ring: &KeyRing,
    binding: &[u8],
) -> Result<Vec<u8>, TicketRejection> {
    let key = |id: &str| ring.key(id).map(RingKey::sealing);
    open_with(sealed, key, binding).ok_or(TicketRejection::Unreadable)
}

/// Encrypts a text with a key.
///
/// # Errors
/// Returns an error if the system gives no random bytes, or the text is too long to encrypt.
pub fn seal_with(plain: &[u8], key: SealingKey<'_>, binding: &[u8]) -> Result<Vec<u8>, SealError> {
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt).map_err(|_| SealError::NoRandomness)?;
    let mut sealed = header(key.id, &salt);
    let (cipher, nonce) = cipher(key.secret, &salt, key.label);
    let payload = Payload { msg: plain, aad: &frame(&[&sealed, binding]) };
    sealed.extend(cipher.encrypt(&nonce, payload).map_err(|_| SealError::TooLong)?);
    Ok(sealed)
}

/// Decrypts a text with the key that sealed it, if there is one of its id and the binding is the same.
pub fn open_with<'k>(
    sealed: &[u8],
    key: impl FnOnce(&str) -> Option<SealingKey<'k>>,
    binding: &[u8],
) -> Option<Vec<u8>> {
    let parts = SealedParts::parse(sealed)?;
    let key = key(parts.key)?;
    let (cipher, nonce) = cipher(key.secret, parts.salt, key.label);
    let payload = Payload { msg: parts.ciphertext, aad: &frame(&[parts.header, binding]) };
    cipher.decrypt(&nonce, payload).ok()
}

fn header(key: &str, salt: &[u8; SALT]) -> Vec<u8> {
    let length = u8::try_from(key.len()).expect("the id of a key has 64 bytes at most");
    [&[VERSION, length], key.as_bytes(), salt].concat()
}

/// The fields of a sealed text.
struct SealedParts<'a> {
    header: &'a [u8],
    key: &'a str,
    salt: &'a [u8; SALT],
    ciphertext: &'a [u8],
}

impl<'a> SealedParts<'a> {
    fn parse(sealed: &'a [u8]) -> Option<Self> {
        let tail = sealed.strip_prefix(&[VERSION])?;
        let (&length, tail) = tail.split_first()?;
        let (key, tail) = tail.split_at_checked(length.into())?;
        let (salt, ciphertext) = tail.split_first_chunk()?;
        let (header, _) = sealed.split_at_checked(sealed.len() - ciphertext.len())?;
        Some(Self { header, key: std::str::from_utf8(key).ok()?, salt, ciphertext })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{NEW, OLD, ring};
    use super::*;

    const TICKET: Uuid = Uuid::from_u128(0x0197_f0c4_9a5b_7c3e_8a41_6f2b_8f0d_1e2a);
    const PLAIN: &[u8] = br#"{"to":"somebody","password":"hunter2"}"#;

    fn call_binding() -> Vec<u8> {
        binding("call", TICKET)
    }

    fn sealed() -> Vec<u8> {
        seal(PLAIN, &ring(), &call_binding()).expect("random bytes")
    }

    #[track_caller]
    fn check_shut(sealed: &[u8], ring: &KeyRing, binding: &[u8]) {
        assert_eq!(open(sealed, ring, binding), Err(TicketRejection::Unreadable));
    }

    #[test]
    fn a_sealed_text_opens() {
        for plain in [b"".as_slice(), PLAIN, &vec![0xAB; 100_000]] {
            let sealed = seal(plain, &ring(), &call_binding()).expect("random bytes");
            assert_eq!(open(&sealed, &ring(), &call_binding()).as_deref(), Ok(plain));
        }
    }

    #[test]
    fn a_sealed_text_shows_its_length_and_its_key_alone() {
        let (one, other) = (sealed(), sealed());
        assert_eq!(one.len(), 2 + "new".len() + SALT + PLAIN.len() + 16);
        assert_eq!(one[..5], *b"\x01\x03new");
        let same = one.iter().zip(&other).skip(5).filter(|(one, other)| one == other).count();
        assert!(same < 16, "{same} bytes after the header are the same");
        assert!(!one.windows(4).any(|part| PLAIN.windows(4).any(|plain| part == plain)));
    }

    #[test]
    fn a_changed_bit_a_lost_and_an_added_byte_shut_it() {
        let sealed = sealed();
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            check_shut(&changed, &ring(), &call_binding());
        }
        for length in 0..sealed.len() {
            check_shut(&sealed[..length], &ring(), &call_binding());
        }
        check_shut(&[&*sealed, b"\0"].concat(), &ring(), &call_binding());
    }

    #[test]
    fn it_opens_with_its_own_binding_only() {
        check_shut(&sealed(), &ring(), &binding("call", Uuid::from_u128(1)));
        check_shut(&sealed(), &ring(), &binding("answer", TICKET));
        check_shut(&sealed(), &ring(), &[]);
    }

    #[test]
    fn a_former_key_opens_until_it_is_left_out() {
        let old = KeyRing::new("old", &OLD).expect("a ring");
        let sealed = seal(PLAIN, &old, &call_binding()).expect("random bytes");
        assert_eq!(open(&sealed, &ring(), &call_binding()).as_deref(), Ok(PLAIN));
        check_shut(&sealed, &KeyRing::new("new", &NEW).expect("a ring"), &call_binding());
        check_shut(&sealed, &KeyRing::new("old", &NEW).expect("a ring"), &call_binding());
    }

    // Sealed by another implementation of HKDF and AES-GCM.
    #[test]
    fn a_sealed_text_of_version_1_opens() {
        let sealed: Vec<u8> = SEALED_ELSEWHERE
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair)?, 16).map_err(Into::into))
            .collect::<Result<_, Box<dyn std::error::Error>>>()
            .expect("hexadecimal digits");
        assert_eq!(open(&sealed, &ring(), &call_binding()).as_deref(), Ok(PLAIN));
    }

    const SEALED_ELSEWHERE: &str = concat!(
        "01036e6577000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f986554",
        "fb8b42137ecea0192c79c3293898d67e1fd1a6ccc56d12e62f77d952af1bc39af765e77aa40d5ccf",
        "0b8e211126e5ee33f3bb86",
    );
}
