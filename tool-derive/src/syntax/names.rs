//! Names: conversions, rules, and suggestions.

use syn::Ident;
use syn::ext::IdentExt;

/// The largest edit distance of a suggestion.
const MAX_DISTANCE: usize = 3;

/// The end of every derived handle.
const HANDLE_SUFFIX: &str = "Tool";

/// Derives a tool's handle from its function: `search_content` becomes `SearchContentTool`, and
/// `search_tool` becomes `SearchTool`. `None` if the result is not a type name.
pub(crate) fn handle_of(function: &Ident) -> Option<Ident> {
    let name = upper_camel(function);
    let suffix = if name.ends_with(HANDLE_SUFFIX) { "" } else { HANDLE_SUFFIX };
    let mut handle = syn::parse_str::<Ident>(&format!("{name}{suffix}")).ok()?;
    handle.set_span(function.span());
    (!name.is_empty()).then_some(handle)
}

/// Converts `search_content` to `SearchContent`.
fn upper_camel(name: &Ident) -> String {
    let text = name.unraw().to_string();
    text.split('_').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let Some(first) = letters.next() else { return String::new() };
    first.to_uppercase().chain(letters).collect()
}

/// Converts `HTTPContentIndex` to `http_content_index`.
pub(crate) fn snake(name: &Ident) -> String {
    let letters: Vec<char> = name.unraw().to_string().chars().collect();
    let mut text = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let after_word = index > 0 && !letters[index - 1].is_uppercase();
        let before_word = letters.get(index + 1).is_some_and(|next| next.is_lowercase());
        let starts = index > 0 && letter.is_uppercase() && (after_word || before_word);
        if starts && letters[index - 1] != '_' {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Returns whether every provider accepts this name, with at most `longest` characters.
pub(crate) fn is_portable(name: &str, longest: usize) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    !name.is_empty() && name.len() <= longest && name.chars().all(fits)
}

/// Returns whether the text is `major.minor.patch`, with an optional pre-release and build.
pub(crate) fn is_semver(text: &str) -> bool {
    let (text, build) = split(text, '+');
    let (numbers, release) = split(text, '-');
    let parts: Vec<&str> = numbers.split('.').collect();
    parts.len() == 3
        && parts.iter().all(|part| is_number(part))
        && [build, release].into_iter().flatten().all(is_dotted)
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

fn is_number(part: &str) -> bool {
    let plain = part == "0" || !part.starts_with('0');
    !part.is_empty() && plain && part.chars().all(|letter| letter.is_ascii_digit())
}

fn is_dotted(part: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    part.split('.').all(|word| !word.is_empty() && word.chars().all(fits))
}

/// The most similar name, if one is close.
pub(crate) fn closest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = MAX_DISTANCE.min(name.chars().count().div_ceil(2));
    known
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The edit distance of two names.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for column in 0..right.len() {
            let substituted = diagonal + usize::from(letter != right[column]);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ident(text: &str) -> Ident {
        Ident::new(text, proc_macro2::Span::call_site())
    }

    #[test]
    fn functions_become_handles() {
        let handle = |function: &str| {
            let function = syn::parse_str(function).expect("an identifier");
            handle_of(&function).map(|handle| handle.to_string())
        };
        assert_eq!(handle("search_content").as_deref(), Some("SearchContentTool"));
        assert_eq!(handle("r#type").as_deref(), Some("TypeTool"));
        assert_eq!(handle("_get2").as_deref(), Some("Get2Tool"));
        assert_eq!(handle("search_tool").as_deref(), Some("SearchTool"));
        assert_eq!(handle("retool").as_deref(), Some("RetoolTool"));
        assert_eq!(handle("_1"), None);
        assert_eq!(handle("__"), None);
    }

    #[test]
    fn types_become_prefixes() {
        assert_eq!(snake(&ident("Content")), "content");
        assert_eq!(snake(&ident("ContentIndex")), "content_index");
        assert_eq!(snake(&ident("HTTPIndex")), "http_index");
        assert_eq!(snake(&ident("Crm_Desk2")), "crm_desk2");
    }

    #[test]
    fn versions_have_three_numbers() {
        for good in ["0.1.0", "1.0.0-rc.1", "1.2.3+build.5", "1.2.3-a+b"] {
            assert!(is_semver(good), "{good}");
        }
        for bad in ["1", "1.0", "v1.0.0", "1.0.x", "01.0.0", "1.0.0-", "1.0.0.0", ""] {
            assert!(!is_semver(bad), "{bad}");
        }
    }

    #[test]
    fn only_slips_are_close() {
        let known = ["effect", "version", "title"];
        assert_eq!(closest("efect", known.into_iter()), Some("effect"));
        assert_eq!(closest("versoin", known.into_iter()), Some("version"));
        assert_eq!(closest("colour", known.into_iter()), None);
    }
}
