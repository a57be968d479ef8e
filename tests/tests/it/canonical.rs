//! Canonical JSON compared with a crate that is known to be exact.

use tool_tests::canonical::{agrees, compare};

#[test]
fn the_crate_writes_the_same_of_many_documents() {
    let found = compare(20_000, 1);
    assert_eq!((found.documents, found.first), (20_000, None));
    // Most changed bytes make a text invalid, some only change its meaning; both kinds must occur.
    assert!((5_000..19_000).contains(&found.refused), "{} refused", found.refused);
}

#[test]
fn texts_that_one_of_them_might_take_otherwise_are_told_apart() {
    for text in
        ["1e400", "-0", "[0.1e1, 1E+2]", "\"\\ud800\"", "{\"a\":1,\"a\":2}", "9007199254740992"]
    {
        assert!(agrees(text), "{text}");
    }
}
