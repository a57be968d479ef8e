//! Signed notes of checkpoints, which an auditor verifies with a public key alone.

use std::fmt;
use std::str::FromStr;

// Features for TLS and tokens compile this crate already; `ed25519-dalek` would add four more.
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};
use thiserror::Error;
use tool_runtime_schema::canonical::Digest;
use tool_runtime_schema::encoding::base64;

use crate::ledger::LedgerBuilder;
use crate::ledger::chain::TreeHead;

/// The key algorithm Ed25519, as numbered by C2SP signed-note.
const ED25519_KEY: u8 = 1;

/// The beginning of a signature line.
const SIGNATURE: &str = "\u{2014} ";

/// The longest note that is read, in bytes.
const MAX_NOTE_BYTES: usize = 64 * 1024;

/// Signs checkpoints with Ed25519, as C2SP signed notes (`tlog-checkpoint`).
///
/// The note's text has three lines: the key's name, the number of records, and the Merkle root in
/// Base64. Pass the signer to
/// [`LedgerBuilder::note_signer`](crate::ledger::LedgerBuilder::note_signer).
///
/// ```
/// use tool_runtime::ledger::{NoteSigner, NoteVerifier};
///
/// // 32 random bytes of your own, kept like the ledger's key.
/// let signer = NoteSigner::from_seed("ledger.example.com/tools", &[7; 32])?;
/// // For the auditor: it can verify, but not sign.
/// let public: String = signer.verifier().to_string();
/// assert!(public.starts_with("ledger.example.com/tools+"));
/// assert!(public.parse::<NoteVerifier>().is_ok());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NoteSigner {
    verifier: NoteVerifier,
    pair: Ed25519KeyPair,
}

/// Verifies signed notes of checkpoints.
///
/// Its text form (`Display`, `FromStr`) is a verifier key of C2SP signed-note: `NAME+HASH+KEY`.
///
/// ```no_run
/// use tool_runtime::ledger::{NoteVerifier, SqliteLedger, audit};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let verifier: NoteVerifier = std::fs::read_to_string("ledger.pub")?.trim().parse()?;
/// let head = verifier.verify(&std::fs::read_to_string("newest.note")?)?;
/// let audited = audit(&mut SqliteLedger::read_only("copy.db")?, &[head])?;
/// println!("{} of {} records are proven", audited.proven, audited.size);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteVerifier {
    name: Box<str>,
    id: [u8; 4],
    key: [u8; 32],
}

/// The error of making a note's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNoteKey {
    /// The name is empty, or contains a blank or a plus sign.
    #[error("the name of a note's key must not be empty or contain blanks or `+`")]
    Name,
    /// The text is not `NAME+HASH+KEY` of an Ed25519 key.
    #[error("expected `NAME+HASH+KEY`, an Ed25519 verifier key of C2SP signed-note")]
    Format,
    /// The cryptographic library rejects the seed.
    #[error("the seed is not a valid Ed25519 seed")]
    Seed,
}

/// The error of verifying a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidNote {
    /// The text is not the note of a checkpoint.
    #[error("expected a signed note with the three lines of a checkpoint: name, size, root")]
    Format,
    /// The note has no signature by this key.
    #[error("the note has no signature by this key")]
    OtherKey,
    /// The signature does not fit the text.
    #[error("the signature does not fit the note's text")]
    Signature,
}

impl NoteSigner {
    /// Makes a signer from its name, by convention a host name that you own, and the 32 secret
    /// bytes of an Ed25519 key (RFC 8032).
    ///
    /// # Errors
    /// The name is empty, or contains a blank or a plus sign.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, InvalidNoteKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(|_| InvalidNoteKey::Seed)?;
        let key = pair.public_key().as_ref().try_into().map_err(|_| InvalidNoteKey::Seed)?;
        Ok(Self { verifier: NoteVerifier::new(name, key)?, pair })
    }

    /// Returns the verifier of its notes.
    #[must_use]
    pub fn verifier(&self) -> NoteVerifier {
        self.verifier.clone()
    }

    fn sign(&self, head: &TreeHead) -> Box<str> {
        let NoteVerifier { name, id, .. } = &self.verifier;
        let text = format!("{name}\n{}\n{}\n", head.size, base64::encode(head.root.as_bytes()));
        let signed = [&id[..], self.pair.sign(text.as_bytes()).as_ref()].concat();
        format!("{text}\n{SIGNATURE}{name} {}\n", base64::encode(&signed)).into()
    }
}

impl LedgerBuilder {
    /// Also signs each exported checkpoint with Ed25519, as a note that an auditor can verify
    /// without the ledger's key. Default: no notes.
    pub fn note_signer(mut self, signer: NoteSigner) -> Self {
        self.sign_note = Some(Box::new(move |head| signer.sign(head)));
        self
    }
}

impl NoteVerifier {
    fn new(name: &str, key: [u8; 32]) -> Result<Self, InvalidNoteKey> {
        if name.is_empty() || name.contains(|it: char| it.is_whitespace() || it == '+') {
            return Err(InvalidNoteKey::Name);
        }
        let hash = Sha256::new_with_prefix(name).chain_update([b'\n', ED25519_KEY]);
        let [a, b, c, d, ..]: [u8; 32] = hash.chain_update(key).finalize().into();
        Ok(Self { name: name.into(), id: [a, b, c, d], key })
    }

    /// Verifies a note, and returns the signed tree head.
    ///
    /// # Errors
    /// The text is not the note of a checkpoint, or this key did not sign it as it is.
    pub fn verify(&self, note: &str) -> Result<TreeHead, InvalidNote> {
        let (text, signatures) = Some(note)
            .filter(|note| note.len() <= MAX_NOTE_BYTES)
            .and_then(|note| note.rsplit_once("\n\n"))
            .ok_or(InvalidNote::Format)?;
        let text = &note[..=text.len()];
        let prefix = format!("{SIGNATURE}{} ", self.name);
        let mine = signatures.lines().filter_map(|line| line.strip_prefix(&*prefix));
        let mut mine = mine.filter_map(base64::decode).filter(|it| it.starts_with(&self.id));
        let signed = mine.next().ok_or(InvalidNote::OtherKey)?;
        UnparsedPublicKey::new(&ED25519, self.key)
            .verify(text.as_bytes(), &signed[self.id.len()..])
            .map_err(|_| InvalidNote::Signature)?;
        self.read(text).ok_or(InvalidNote::Format)
    }

    fn read(&self, text: &str) -> Option<TreeHead> {
        let mut lines = text.lines();
        let (name, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let number: u64 = size.parse().ok()?;
        let root: [u8; 32] = base64::decode(root)?.try_into().ok()?;
        let is_canonical = name == &*self.name && number.to_string() == size;
        is_canonical.then(|| TreeHead::new(number, Digest::from_bytes(root)))
    }
}

impl fmt::Display for NoteVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = [&[ED25519_KEY][..], &self.key].concat();
        let id = u32::from_be_bytes(self.id);
        write!(f, "{}+{id:08x}+{}", self.name, base64::encode(&key))
    }
}

impl FromStr for NoteVerifier {
    type Err = InvalidNoteKey;

    fn from_str(text: &str) -> Result<Self, InvalidNoteKey> {
        let mut parts = text.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(InvalidNoteKey::Format);
        };
        let key = base64::decode(key).ok_or(InvalidNoteKey::Format)?;
        let [ED25519_KEY, key @ ..] = &key[..] else { return Err(InvalidNoteKey::Format) };
        let key = key.try_into().map_err(|_| InvalidNoteKey::Format)?;
        let verifier = Self::new(name, key)?;
        let is_its = format!("{:08x}", u32::from_be_bytes(verifier.id)) == id;
        if is_its { Ok(verifier) } else { Err(InvalidNoteKey::Format) }
    }
}

/// Does not show the signing key.
impl fmt::Debug for NoteSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NoteSigner").field("verifier", &self.verifier).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The example of C2SP's `tlog-checkpoint` and of Go's `sumdb/note`, which other tools verify.
    const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const TEXT: &str = "If you think cryptography is the answer to your problem,\n\
                        then you don't know what your problem is.\n";
    const SIGNED: &str = "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=";

    #[test]
    fn a_note_of_another_implementation_is_verified() {
        let verifier: NoteVerifier = KEY.parse().unwrap();
        assert_eq!(verifier.to_string(), KEY);
        let note = format!("{TEXT}\n{SIGNATURE}PeterNeumann {SIGNED}\n");
        // Its signature is right, but its text is no checkpoint.
        assert_eq!(verifier.verify(&note), Err(InvalidNote::Format));
        let altered = note.replace("think", "thank");
        assert_eq!(verifier.verify(&altered), Err(InvalidNote::Signature));
    }

    #[test]
    fn a_note_proves_size_and_root_and_no_other() {
        let signer = NoteSigner::from_seed("ledger.example.com/tools", &[7; 32]).unwrap();
        let head = TreeHead::new(20_852_163, Digest::from_bytes([9; 32]));
        let note = signer.sign(&head);
        let verifier: NoteVerifier = signer.verifier().to_string().parse().unwrap();
        assert_eq!(verifier.verify(&note), Ok(head));
        let altered = note.replace("20852163", "20852164");
        assert_eq!(verifier.verify(&altered), Err(InvalidNote::Signature));
        let other = NoteSigner::from_seed("ledger.example.com/tools", &[8; 32]).unwrap();
        assert_eq!(other.verifier().verify(&note), Err(InvalidNote::OtherKey));
        for broken in ["", "\n\n", "a\n\n\u{2014} b", &note[..note.len() / 2]] {
            assert!(verifier.verify(broken).is_err(), "{broken}");
        }
    }

    #[test]
    fn a_key_that_is_none_is_refused() {
        for name in ["", "a b", "a+b"] {
            let refused = NoteSigner::from_seed(name, &[7; 32]).map(drop);
            assert_eq!(refused, Err(InvalidNoteKey::Name));
        }
        let other = KEY.replace("c74f20a3", "c74f20a4");
        for text in ["", "a", "a+b", "a+b+c", &*other, &KEY[..KEY.len() - 4]] {
            assert_eq!(text.parse::<NoteVerifier>(), Err(InvalidNoteKey::Format), "{text}");
        }
    }
}
