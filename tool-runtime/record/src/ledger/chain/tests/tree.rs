//! The tree is the one of RFC 6962.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use proptest::prelude::*;
use sha2::Sha256;
use tool_runtime_schema::canonical::Digest;

use crate::ledger::chain::frontier::{MerkleFrontier, leaf_hash};

// The leaves and roots that the implementations of Certificate Transparency share.
const LEAVES: [&str; 8] = ["", "\0", "\u{10}", " !", "01", "@ABC", "PQRSTUVW", "`abcdefghijklmno"];
const ROOTS: [&str; 9] = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

#[test]
fn the_roots_are_those_of_certificate_transparency() {
    let mut tree = MerkleFrontier::empty();
    for (size, root) in ROOTS.iter().enumerate() {
        assert_eq!((tree.size(), tree.root().to_string().as_str()), (size as u64, *root));
        LEAVES.get(size).into_iter().for_each(|leaf| tree.push(leaf_hash(leaf)));
    }
}

#[test]
fn a_tree_has_as_many_peaks_as_its_size_has_bits() {
    let mut tree = MerkleFrontier::empty();
    for size in 0..300 {
        let peaks = tree.peaks().to_vec();
        assert_eq!(MerkleFrontier::from_parts(size, peaks.clone()).as_ref(), Some(&tree));
        assert_eq!(MerkleFrontier::from_parts(size, [peaks, vec![tree.root()]].concat()), None);
        tree.push(leaf_hash("leaf"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn another_implementation_finds_the_same_roots(
        leaves in prop::collection::vec("[a-z]{0,9}", 0..100),
    ) {
        let mut tree = MerkleFrontier::empty();
        let mut other = MemoryBackedTree::<Sha256, String>::new();
        for leaf in leaves {
            tree.push(leaf_hash(&leaf));
            other.push(leaf);
            let root = other.root();
            let root: [u8; 32] = (*root.as_bytes()).into();
            prop_assert_eq!(tree.root(), Digest::from_bytes(root));
        }
    }
}
