//! The names under which remote tools are registered.

use std::collections::BTreeMap;

/// The most characters of a tool's name.
const MAX_NAME: usize = 128;

/// The name of a remote tool in the runtime, or the reason for which it has none.
pub(super) type Named = Result<String, String>;

/// Names the tools of a server: the prefix, a dot, and the server's name with an underscore for each
/// character that names do not have.
///
/// If two names become the same, a known tool has it, else the one that needs no change, else the
/// first in alphabetical order.
pub(super) fn registered_names<'t>(
    prefix: &str,
    listed: impl Iterator<Item = &'t str>,
    is_known: impl Fn(&str) -> bool,
) -> BTreeMap<&'t str, Named> {
    let mut sorted: Vec<&str> = listed.collect();
    sorted.sort_by_key(|name| (!is_known(name), !is_admitted(name), *name));
    sorted.dedup();
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    let mut name_map = BTreeMap::new();
    for name in sorted {
        name_map.insert(name, register(prefix, name, &mut taken));
    }
    name_map
}

fn register<'t>(prefix: &str, name: &'t str, taken: &mut BTreeMap<String, &'t str>) -> Named {
    let safe_name: String =
        name.chars().map(|one| if is_admitted_char(one) { one } else { '_' }).collect();
    let registered = format!("{prefix}.{safe_name}");
    if safe_name.is_empty() || registered.len() > MAX_NAME {
        return Err(format!(
            "its name does not fit into 1 to {MAX_NAME} characters with the prefix"
        ));
    }
    if let Some(other) = taken.get(&registered) {
        return Err(format!(
            "its name collides with that of `{}`: both are registered as `{registered}`",
            other.escape_debug()
        ));
    }
    taken.insert(registered.clone(), name);
    Ok(registered)
}

fn is_admitted(name: &str) -> bool {
    name.chars().all(is_admitted_char)
}

fn is_admitted_char(one: char) -> bool {
    one.is_ascii_alphanumeric() || matches!(one, '_' | '.' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_names_do_not_have_become_underscores() {
        let named =
            registered_names("x", ["get/user", "add", "größe", "a.b"].into_iter(), |_| false);
        let registered: Vec<_> = named.values().map(|name| name.as_deref().unwrap()).collect();
        assert_eq!(registered, ["x.a.b", "x.add", "x.get_user", "x.gr__e"]);
    }

    #[test]
    fn the_unchanged_one_of_two_colliding_names_is_registered() {
        let named = registered_names("x", ["a b", "a_b", "a/b"].into_iter(), |_| false);
        assert_eq!(named["a_b"].as_deref(), Ok("x.a_b"));
        assert!(named["a b"].as_ref().unwrap_err().contains("`a_b`"), "{named:?}");
        assert!(named["a/b"].is_err());
        let changed = registered_names("x", ["a/b", "a b"].into_iter(), |_| false);
        assert_eq!(changed["a b"].as_deref(), Ok("x.a_b"));
        assert!(changed["a/b"].is_err());
        let known = registered_names("x", ["a_b", "a/b"].into_iter(), |name| name == "a/b");
        assert_eq!(known["a/b"].as_deref(), Ok("x.a_b"));
        assert!(known["a_b"].is_err());
    }

    #[test]
    fn an_empty_and_a_long_name_are_refused() {
        let long = "x".repeat(127);
        let named = registered_names("x", ["", &*long, &long[..126]].into_iter(), |_| false);
        assert!(named[""].is_err() && named[&*long].is_err());
        assert!(named[&long[..126]].is_ok());
    }
}
