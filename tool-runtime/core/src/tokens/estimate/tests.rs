//! Tests of the estimate.

use proptest::prelude::*;

use super::*;

fn count(text: &str) -> u64 {
    TokenEstimate.count(text)
}

#[test]
fn an_empty_text_has_no_tokens_and_every_other_one_has_some() {
    assert_eq!(count(""), 0);
    for text in ["a", " ", "\n", "7", ".", "茶", "\u{10ffff}", "\u{300}", "\0"] {
        assert!(count(text) > 0, "{text:?}");
    }
}

#[test]
fn pieces_are_those_of_the_encoding() {
    // The words of these texts are one token each, so that the pieces are counted.
    for (text, tokens) in [
        ("1234567", 3),
        ("the 12", 3),
        ("the tea", 2),
        ("the tea's", 2),
        ("theThe", 2),
        ("the\n\n\nthe", 3),
        ("the        the", 3),
        ("the    \n    the", 4),
        ("the  1", 4),
        ("the\t1", 3),
        ("the   ", 2),
        ("\u{85}1", 2),
        ("(the)", 2),
        ("the.\nthe", 3),
    ] {
        assert_eq!(count(text), tokens, "{text:?}");
    }
}

#[test]
fn rare_letters_cost_more_than_common_ones() {
    assert!(count("qzxvkjwq") > count("national"));
    assert!(count("NATIONALITY") >= count("nationality"));
    assert!(count("ეს ჩაი") > count("the tea"));
}

#[test]
fn a_text_a_hundred_times_as_long_has_a_hundred_times_the_tokens() {
    for text in ["Green tea. ", "{\"id\":17,", "0x5fe1 ", "绿茶,", "Зелёный чай\n", "🍵", "    \n"]
    {
        let (one, many) = (count(&text.repeat(100)), count(&text.repeat(10_000)));
        assert!(many.abs_diff(one * 100) <= 5 * one, "{text:?}: {one}, {many}");
    }
}

/// Texts whose characters are of all classes, often next to each other.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        any::<char>().prop_map(String::from),
        "[ \\t\\n\\r\u{a0}\u{85}]{1,4}",
        "[a-zA-Z]{1,9}",
        "[0-9٣Ⅷ½]{1,5}",
        "[!-/:-@]{1,4}",
        "'(s|S|LL|re|t)",
        "[а-яёЀ-џ]{1,7}",
        "[茶あア한ไทยहि\u{300}\u{94d}]{1,4}",
    ];
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn a_text_never_has_fewer_tokens_than_a_line_of_it(first in texts(), second in texts()) {
        let text = format!("{first}\n{second}");
        prop_assert!(count(&text) + 1 >= count(&first).max(count(&second)));
    }

    #[test]
    fn the_tokens_of_two_texts_add_up(first in texts(), second in texts()) {
        let (parts, whole) = (count(&first) + count(&second), count(&format!("{first}{second}")));
        prop_assert!(parts.abs_diff(whole) <= 8, "{parts} and {whole}");
    }

    #[test]
    fn no_text_has_more_than_six_tokens_a_character(text in texts()) {
        let tokens = count(&text);
        prop_assert!(tokens <= 6 * text.chars().count() as u64);
        prop_assert!(tokens > 0 || text.is_empty());
    }
}
