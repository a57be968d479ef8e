//! The stored formats do not change. The expected values come from another implementation.

use super::*;

const LEAVES: [&str; 2] = [
    "0a93c52ce8f1d7b4944a3ca86fcfc6f80127e2b02ac5215372989d4eff49b9f7",
    "17714e89b00d3c5c69083da55fdde2d72f6001073db3679208ef7f6111326195",
];
const MACS: [&str; 2] = [
    "46d7aad7f9d3a19f325892a265b32abee3bb8a449aeedb83955e77de0eab9583",
    "aed8512c14afc09955822d4295bdc0b07680f2cba271dbef6b9b2033fa64b429",
];
const CHECKPOINT: &str = concat!(
    r#"{"size":2,"root":"e28e738b10e2e15f403679f27dc808dac44c3eb0027668b010e429d2ae83833a","#,
    r#""at":1750000000000,"key":"2025-07","#,
    r#""mac":"46a2f2b62ac14ae8b2c2902cc3d270f91e3ac5bb26196d27f60785db302dde9d"}"#,
);

fn chain() -> Chain {
    let mut chain = Chain::new(keys());
    chain.append(r#"{"kind":"call"}"#);
    chain.append(r#"{"kind":"note"}"#);
    chain
}

#[test]
fn an_entry_is_linked_as_it_was_before() {
    for (entry, (leaf, mac)) in chain().entries.iter().zip(LEAVES.into_iter().zip(MACS)) {
        assert_eq!(entry.leaf().to_string(), leaf);
        assert_eq!(
            tool_runtime_schema::canonical::Digest::from_bytes(*entry.mac()).to_string(),
            mac
        );
        assert_eq!(entry.key(), "2025-07");
    }
}

#[test]
fn a_checkpoint_is_signed_as_it_was_before() {
    let checkpoint = chain().checkpoint();
    assert_eq!(serde_json::to_string(&checkpoint).expect("JSON"), CHECKPOINT);
    assert_eq!(serde_json::from_str::<Checkpoint>(CHECKPOINT).expect("a checkpoint"), checkpoint);
    assert!(checkpoint.verify_mac(&keys()));
}

#[test]
fn every_member_of_a_checkpoint_is_signed() {
    let altered = [
        ("\"size\":2", "\"size\":3"),
        ("e28e", "f28e"),
        ("1750000000000", "1750000000001"),
        ("2025-07", "2025-08"),
        ("46a2", "47a2"),
    ];
    let two = ring("2025-07").with_former("2025-08", SECRET).expect("two ids");
    for (from, to) in altered {
        let checkpoint: Checkpoint =
            serde_json::from_str(&CHECKPOINT.replace(from, to)).expect("a checkpoint");
        assert!(!checkpoint.verify_mac(&ChainKeys::new(&two)), "{to}");
    }
}

#[test]
fn a_head_is_kept_as_json_and_goes_on_from_there() {
    let mut chain = chain();
    let text = serde_json::to_string(chain.head()).expect("JSON");
    let root = chain.head().tree().root();
    assert_eq!(text, format!(r#"{{"size":2,"mac":"{}","peaks":["{root}"]}}"#, MACS[1]));
    let mut head: ChainHead = serde_json::from_str(&text).expect("a head");
    assert_eq!(head, *chain.head());
    chain.append("{}");
    assert_eq!(head.append(&chain.keys, "{}".into()), chain.entries[2]);
}

#[test]
fn a_head_with_another_number_of_hashes_is_refused() {
    let text = serde_json::to_string(chain().head()).expect("JSON");
    let error = serde_json::from_str::<ChainHead>(&text.replace("\"size\":2", "\"size\":3"));
    assert!(error.expect_err("two hashes are missing").to_string().contains("number of hashes"));
}

#[test]
fn debug_shows_ids_alone() {
    let two = ring("now").with_former("before", &[7; 32]).expect("two keys");
    assert_eq!(format!("{:?}", ChainKeys::new(&two)), r#"ChainKeys(["now", "before"])"#);
    let verifier = format!("{:?}", Verifier::new(ChainKeys::new(&two)));
    assert!(verifier.contains(r#"keys: ChainKeys(["now", "before"])"#), "{verifier}");
}
