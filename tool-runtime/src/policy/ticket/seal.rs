//! Encrypts what waits in a store, so that the store can neither read nor change it.
//!
//! A sealed text is `version (1) · length of the key's id (1) · the key's id · salt (32) ·
//! ciphertext · tag (16)`. Key and nonce are derived by HKDF-SHA-256 from the ring's sealing key and
//! the salt, for this one text. Random 96-bit nonces under one key would have to stop after about
//! 2³² texts (NIST SP 800-38D, 8.3), which nobody counts across processes; salts of 256 bits
//! do not collide. Everything before the ciphertext is authenticated with it, and so is what it is
//! bound to: a sealed text that is moved to another ticket does not open.

use aes_gcm::aead::{Aead as _, Payload};
use thiserror::Error;
use uuid::Uuid;

use super::TicketFault;
use super::frame::frame;
use super::keys::KeyRing;

const VERSION: u8 = 1;
const SALT: usize = 32;

/// Why something could not be sealed; a text for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(crate) enum SealError {
    #[error("the operating system gives no random bytes")]
    NoRandomness,
    #[error("it is longer than AES-GCM can encrypt")]
    TooLong,
}

/// Says what a sealed text belongs to: a ticket, and what it is kept there for.
pub(crate) fn bound_to(purpose: &str, ticket: Uuid) -> Vec<u8> {
    frame(&[purpose.as_bytes(), ticket.as_bytes()])
}

/// Seals a text with the ring's signing key.
pub(crate) fn seal(plain: &[u8], ring: &KeyRing, bound_to: &[u8]) -> Result<Vec<u8>, SealError> {
    let key = ring.current();
    let mut salt = [0; SALT];
    getrandom::fill(&mut salt).map_err(|_| SealError::NoRandomness)?;
    let mut sealed = header(key.id(), &salt);
    let (cipher, nonce) = key.cipher(&salt);
    let payload = Payload { msg: plain, aad: &frame(&[&sealed, bound_to]) };
    sealed.extend(cipher.encrypt(&nonce, payload).map_err(|_| SealError::TooLong)?);
    Ok(sealed)
}

/// Opens what was sealed for the same ticket and purpose, with whichever key of the ring sealed it.
pub(crate) fn open(sealed: &[u8], ring: &KeyRing, bound_to: &[u8]) -> Result<Vec<u8>, TicketFault> {
    let parts = Parts::of(sealed).ok_or(TicketFault::Unreadable)?;
    let key = ring.key(parts.key).ok_or(TicketFault::Unreadable)?;
    let (cipher, nonce) = key.cipher(parts.salt);
    let payload = Payload { msg: parts.ciphertext, aad: &frame(&[parts.header, bound_to]) };
    cipher.decrypt(&nonce, payload).map_err(|_| TicketFault::Unreadable)
}

fn header(key: &str, salt: &[u8; SALT]) -> Vec<u8> {
    let length = u8::try_from(key.len()).expect("the id of a key has 64 bytes at most");
    [&[VERSION, length], key.as_bytes(), salt].concat()
}

/// A sealed text, taken apart.
struct Parts<'a> {
    header: &'a [u8],
    key: &'a str,
    salt: &'a [u8; SALT],
    ciphertext: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(sealed: &'a [u8]) -> Option<Self> {
        let rest = sealed.strip_prefix(&[VERSION])?;
        let (&length, rest) = rest.split_first()?;
        let (key, rest) = rest.split_at_checked(length.into())?;
        let (salt, ciphertext) = rest.split_first_chunk()?;
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

    fn place() -> Vec<u8> {
        bound_to("call", TICKET)
    }

    fn sealed() -> Vec<u8> {
        seal(PLAIN, &ring(), &place()).expect("random bytes")
    }

    #[track_caller]
    fn check_shut(sealed: &[u8], ring: &KeyRing, place: &[u8]) {
        assert_eq!(open(sealed, ring, place), Err(TicketFault::Unreadable));
    }

    #[test]
    fn what_was_sealed_opens() {
        for plain in [b"".as_slice(), PLAIN, &vec![0xAB; 100_000]] {
            let sealed = seal(plain, &ring(), &place()).expect("random bytes");
            assert_eq!(open(&sealed, &ring(), &place()).as_deref(), Ok(plain));
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
            check_shut(&changed, &ring(), &place());
        }
        for length in 0..sealed.len() {
            check_shut(&sealed[..length], &ring(), &place());
        }
        check_shut(&[&*sealed, b"\0"].concat(), &ring(), &place());
    }

    #[test]
    fn it_opens_at_its_place_only() {
        check_shut(&sealed(), &ring(), &bound_to("call", Uuid::from_u128(1)));
        check_shut(&sealed(), &ring(), &bound_to("answer", TICKET));
        check_shut(&sealed(), &ring(), &[]);
    }

    #[test]
    fn a_former_key_opens_until_it_is_left_out() {
        let old = KeyRing::new("old", &OLD).expect("a ring");
        let sealed = seal(PLAIN, &old, &place()).expect("random bytes");
        assert_eq!(open(&sealed, &ring(), &place()).as_deref(), Ok(PLAIN));
        check_shut(&sealed, &KeyRing::new("new", &NEW).expect("a ring"), &place());
        check_shut(&sealed, &KeyRing::new("old", &NEW).expect("a ring"), &place());
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
        assert_eq!(open(&sealed, &ring(), &place()).as_deref(), Ok(PLAIN));
    }

    const SEALED_ELSEWHERE: &str = concat!(
        "01036e6577000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f986554",
        "fb8b42137ecea0192c79c3293898d67e1fd1a6ccc56d12e62f77d952af1bc39af765e77aa40d5ccf",
        "0b8e211126e5ee33f3bb86",
    );
}
