//! Known answers of the format, computed by another implementation of HKDF and AES-GCM.

use super::*;
use crate::evidence::checksum::{checksum, newest_key};
use crate::evidence::{SealedContents, StoredFacts, StoredSnapshot, TenantKey, WrappedKey};

// Changing any of these makes the sealed contents of existing stores unreadable.
const FACTS: &str = concat!(
    r#"{"snapshot_id":"ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a","tenant_id":"0197"#,
    r#"f0c4-0000-7000-8000-000000000001","trace_id":"trace-1","invocation_id""#,
    r#":"00000000-0000-0000-0000-000000000005","tool":"pricing.quote","versio"#,
    r#"n":"1.0.0","at":1752091105883,"sealed":["arguments","output"]}"#,
);
const DIGEST: &str = "3b22dceeff84a9d4193c6609ff5837c95454eb55bbb991e7b883ed34fee25bb1";
const TENANT_KEY: &str = concat!(
    "0101010101010101010101010101010101010101010101010101010101010101013941a0450a8f21",
    "39167ba1d78fc51700eea80f3c56660ac9733a633b8d243348274697e3ec06120e8162636b3579ef",
    "27",
);
const DATA_KEY: &str = concat!(
    "010202020202020202020202020202020202020202020202020202020202020202253f81ef831f2f",
    "130dd930974d219f3dcd2de8902507bd7c092e23a02ca7e4e27a45fe8f61cea0b76b87c158d9f4c6",
    "bd",
);
const SEALED_ARGUMENTS: &str = concat!(
    "010303030303030303030303030303030303030303030303030303030303030303745251ecdd4190",
    "60001fdb6fea888387d37544b3bddd38c9a2bda0526bfb231e6ccc67ba971636479d353844b4a7",
);
const SEALED_OUTPUT: &str = concat!(
    "010404040404040404040404040404040404040404040404040404040404040404ed21cc5438def9",
    "f98d2994fb057638cd8403b18b2d9ecbb5f147e4c1af0593ef8614c1d145bd9bb02c78ad519ce80d",
    "b5",
);

#[tokio::test]
async fn contents_sealed_in_version_1_open() {
    let id: SnapshotId = "ev_0197f0c49a5b7c3e8a416f2b8f0d1e2a".parse().expect("an id");
    let store = MemoryStore::new();
    let key = TenantKey::new(TENANT, 3, "old", bytes(TENANT_KEY));
    assert!(store.add_tenant_key(key).await.expect("a store"));
    let key = WrappedKey::new(3, bytes(DATA_KEY));
    let (arguments, output) = (bytes(SEALED_ARGUMENTS), bytes(SEALED_OUTPUT));
    let sealed = SealedContents::new(key, Some(arguments), Some(output));
    let facts = StoredFacts::new(TENANT, id, "trace-1", FACTS);
    let stored = StoredSnapshot::new(facts, Some(sealed));
    let vault = vault(store.clone());
    let key = newest_key(&store, &vault.ring).await.expect("a key of checksums");
    let checksum = checksum(&key, &stored.listed());
    assert!(store.put_snapshot(stored.with_checksum(checksum)).await.expect("a store"));
    check_read(&vault, TENANT, id).await;
}

#[test]
fn a_snapshot_of_version_1_has_its_hash() {
    let snapshot: Snapshot = serde_json::from_str(FACTS).expect("a snapshot");
    assert_eq!(snapshot.digest().expect("JSON").to_string(), DIGEST);
}

#[tokio::test]
async fn contents_sealed_now_are_laid_out_as_version_1() {
    let store = MemoryStore::new();
    let id = keep(&vault(store.clone()), TENANT).await;
    let sealed = store.find_snapshot(TENANT, id).await.expect("a store").expect("kept").sealed;
    let sealed = sealed.expect("sealed");
    let key = store.newest_tenant_key(TENANT).await.expect("a store").expect("a key");
    assert_eq!((key.version, &*key.ring_key, sealed.key.version), (1, "new", 1));
    let lengths = [ARGUMENTS.len(), OUTPUT.len(), 32, 32].map(|plain| 1 + 32 + plain + 16);
    let texts = [sealed.arguments, sealed.output, Some(sealed.key.wrapped), key.wrapped];
    let texts = texts.map(|text| text.expect("sealed"));
    for (text, length) in texts.iter().zip(lengths) {
        assert_eq!((text.len(), text[0]), (length, 1));
        let others = texts.iter().filter(|other| other[1..33] == text[1..33]);
        assert_eq!(others.count(), 1, "each has a salt of its own");
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal digits");
    (0..hex.len()).step_by(2).map(digit).collect()
}
