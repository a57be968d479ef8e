//! Where a page of a text ends.

/// The end of the first page of a UTF-8 text: the last place between two characters within
/// `most` bytes.
///
/// Every page of a text that is not at its end has at least one character, so that reading ends,
/// even if that character alone is longer than `most`.
pub(crate) fn page_end(bytes: &[u8], most: usize) -> usize {
    let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    if most >= bytes.len() {
        return bytes.len();
    }
    let before = (1..=most).rev().take(4).find(is_start);
    before.or_else(|| (most.max(1)..=bytes.len()).find(is_start)).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::page_end;

    fn pages(text: &str, most: usize) -> Vec<&str> {
        let mut pages = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (page, after) = rest.split_at(page_end(rest.as_bytes(), most));
            pages.push(page);
            rest = after;
        }
        pages
    }

    #[test]
    fn a_page_ends_between_characters() {
        assert_eq!(pages("aé€𝄞b", 4), ["aé", "€", "𝄞", "b"]);
        assert_eq!(pages("abcdef", 4), ["abcd", "ef"]);
        assert_eq!(pages("", 4), [""; 0]);
    }

    #[test]
    fn a_page_too_small_for_a_character_holds_it_all_the_same() {
        assert_eq!(pages("€a", 2), ["€", "a"]);
        assert_eq!(pages("a€", 0), ["a", "€"]);
    }

    #[test]
    fn bytes_that_are_no_text_end_somewhere() {
        assert_eq!(page_end(&[0x80; 10], 6), 10);
        assert_eq!(page_end(&[0x80; 3], 9), 3);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn pages_add_up_and_are_as_full_as_they_can_be(text in "\\PC*", most in 4..40_usize) {
            let pages = pages(&text, most);
            prop_assert_eq!(pages.concat(), &*text);
            for pair in pages.windows(2) {
                let next = pair[1].chars().next().map_or(0, char::len_utf8);
                prop_assert!(pair[0].len() <= most && pair[0].len() + next > most);
            }
        }
    }
}
