//! Tests that change a chain in every way.

mod change;
mod changes;
mod control_records;
mod formats;
mod tree;

use tool_runtime_core::key_ring::KeyRing;
use tool_runtime_core::store::UnixMillis;

use super::{
    ChainEntry, ChainFault, ChainFaultKind, ChainHead, ChainKeys, Checkpoint, VerifiedChain,
    Verifier,
};

const SECRET: &[u8] = b"a secret that nobody is to read!";
const NOW: UnixMillis = UnixMillis::new(1_750_000_000_000);

fn ring(id: &str) -> KeyRing {
    KeyRing::new(id, SECRET).expect("a ring")
}

fn keys() -> ChainKeys {
    ChainKeys::new(&ring("2025-07"))
}

/// A chain with the head before each entry, and the last head.
struct Chain {
    keys: ChainKeys,
    entries: Vec<ChainEntry>,
    heads: Vec<ChainHead>,
}

impl Chain {
    fn new(keys: ChainKeys) -> Self {
        Self { keys, entries: Vec::new(), heads: vec![ChainHead::empty()] }
    }

    fn with_size(size: u64) -> Self {
        let mut chain = Self::new(keys());
        (0..size).for_each(|seq| chain.append(&format!(r#"{{"kind":"call","n":{seq}}}"#)));
        chain
    }

    fn append(&mut self, body: &str) {
        let mut head = self.head().clone();
        self.entries.push(head.append(&self.keys, body.into()));
        self.heads.push(head);
    }

    fn head(&self) -> &ChainHead {
        self.heads.last().expect("the empty head is the first")
    }

    fn checkpoint(&self) -> Checkpoint {
        self.head().checkpoint(&self.keys, NOW)
    }

    fn verify(&self) -> Result<VerifiedChain, ChainFault> {
        verify(Verifier::new(self.keys.clone()), &self.entries)
    }
}

fn verify<'e>(
    mut verifier: Verifier,
    entries: impl IntoIterator<Item = &'e ChainEntry>,
) -> Result<VerifiedChain, ChainFault> {
    entries.into_iter().try_for_each(|entry| verifier.push(entry))?;
    verifier.finish()
}

#[track_caller]
fn check(found: Result<VerifiedChain, ChainFault>, seq: u64, kind: ChainFaultKind) -> ChainFault {
    let fault = found.expect_err("no fault was found");
    assert_eq!((fault.seq(), fault.kind()), (seq, kind), "{fault}");
    fault
}
