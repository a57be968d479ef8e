use std::sync::LazyLock;

use super::{Words, characters};

static WORDS: LazyLock<Words> = LazyLock::new(Words::new);

#[test]
fn traditional_and_full_width_text_reads_like_simplified_and_plain() {
    assert_eq!(WORDS.query("嚴氏家訓"), WORDS.query("严氏家训"));
    assert_eq!(WORDS.query("ＰＥＡＣＨ"), WORDS.query("peach"));
}

#[test]
fn english_words_are_known_by_their_stems() {
    assert_eq!(WORDS.query("villages").for_sqlite(), WORDS.query("Village").for_sqlite());
}

#[test]
fn empty_words_are_dropped_unless_they_are_all() {
    assert_eq!(WORDS.query("the village"), WORDS.query("village"));
    assert!(!WORDS.query("之").is_empty());
    assert!(WORDS.query("……，！").is_empty());
}

#[test]
fn long_words_are_indexed_with_the_short_ones_in_them() {
    let words = WORDS.index("中华人民共和国", "").title;
    for word in ["中华", "人民", "共和国", "中华人民共和国"] {
        assert!(words.iter().any(|found| found == word), "{words:?}");
    }
}

#[test]
fn no_phrase_reaches_from_one_sentence_into_the_next() {
    let indexed = WORDS.index("家", "训。诫");
    assert_eq!(indexed.characters, [Some('家'), None, Some('训'), None, Some('诫'), None]);
    assert_eq!(characters([].iter()), []);
}

#[test]
fn a_question_holds_no_operator() {
    let (words, phrases) = WORDS.query("家训' | !\\ \"OR\" :* a&b <-> c").for_postgres();
    let operators = ['!', '\\', '"', ':', '*', '&'];
    assert!(!words.contains(operators) && !phrases.contains(operators), "{words} {phrases}");
    assert_eq!(words.matches('\'').count() % 2, 0);
}

#[test]
fn a_place_beyond_the_last_is_the_last() {
    let long = "家。".repeat(9_000);
    let (_, characters) = WORDS.index("", &long).for_postgres();
    assert!(characters.ends_with(":16383D"));
}
