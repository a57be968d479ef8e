//! The chain, changed in every way.

mod change;
mod changes;
mod formats;
mod notes;
mod tree;

use crate::policy::KeyRing;
use crate::store::UnixMillis;

use super::{ChainKeys, Checkpoint, Entry, Fault, FaultKind, Head, Verified, Verifier};

const SECRET: &[u8] = b"a secret that nobody is to read!";
const NOW: UnixMillis = UnixMillis::new(1_750_000_000_000);

fn ring(id: &str) -> KeyRing {
    KeyRing::new(id, SECRET).expect("a ring")
}

fn keys() -> ChainKeys {
    ChainKeys::new(&ring("2025-07"))
}

/// A chain with the head before each entry, and the last one.
struct Chain {
    keys: ChainKeys,
    entries: Vec<Entry>,
    heads: Vec<Head>,
}

impl Chain {
    fn new(keys: ChainKeys) -> Self {
        Self { keys, entries: Vec::new(), heads: vec![Head::empty()] }
    }

    fn of(size: u64) -> Self {
        let mut chain = Self::new(keys());
        (0..size).for_each(|seq| chain.append(&format!(r#"{{"kind":"call","n":{seq}}}"#)));
        chain
    }

    fn append(&mut self, body: &str) {
        let mut head = self.head().clone();
        self.entries.push(head.append(&self.keys, body.into()));
        self.heads.push(head);
    }

    fn head(&self) -> &Head {
        self.heads.last().expect("the empty head is the first")
    }

    fn checkpoint(&self) -> Checkpoint {
        self.head().checkpoint(&self.keys, NOW)
    }

    fn verify(&self) -> Result<Verified, Fault> {
        verify(Verifier::new(self.keys.clone()), &self.entries)
    }
}

fn verify<'e>(
    mut verifier: Verifier,
    entries: impl IntoIterator<Item = &'e Entry>,
) -> Result<Verified, Fault> {
    entries.into_iter().try_for_each(|entry| verifier.push(entry))?;
    verifier.finish()
}

#[track_caller]
fn check(found: Result<Verified, Fault>, seq: u64, kind: FaultKind) -> Fault {
    let fault = found.expect_err("no fault was found");
    assert_eq!((fault.seq(), fault.kind()), (seq, kind), "{fault}");
    fault
}
