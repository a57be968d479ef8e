//! The callers, from a file of keys' hashes: only the callers have the keys themselves.

use std::error::Error;
use std::fs;
use std::path::Path;

use tool_runtime::contracts::server::Tenant;
use tool_runtime::http::{ApiKey, ApiKeyHash, ApiKeySet, ApiKeys, Principal, Scopes, Users};

/// The word for every tenant.
const EVERY: &str = "*";

/// The error of an invalid line in the file.
#[derive(Debug, thiserror::Error)]
#[error("{file}:{line}: {problem}; expected HASH NAME TENANTS SCOPES…, as --new-key prints it")]
struct Unreadable {
    file: String,
    line: usize,
    problem: String,
}

/// The word that allows a caller to name every user of its tenants.
const EVERY_USER: &str = "users";
/// The prefix of the one user that a caller is.
const ONE_USER: &str = "user:";

/// Reads a file of keys: a hash, a name, tenants with commas or `*`, and scopes on each line.
///
/// Among the scopes, `users` lets the caller name any user of its tenants, and `user:NAME` makes it
/// this user. Without either it names none.
///
/// # Errors
/// The file cannot be read, or a line is invalid; the error names the line.
pub(crate) fn read(file: &Path) -> Result<ApiKeys, Box<dyn Error>> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let mut set = ApiKeySet::new();
    for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with('#')) {
        set = admit(set, text).map_err(|problem| Unreadable {
            file: file.display().to_string(),
            line,
            problem: problem.to_string(),
        })?;
    }
    Ok(ApiKeys::new(set))
}

/// Makes a key for the village, and returns the instructions. It is shown only once.
///
/// # Errors
/// The name contains spaces, or no randomness is available.
pub(crate) fn made(name: &str) -> Result<String, Box<dyn Error>> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err("expected a name without spaces".into());
    }
    let key = ApiKey::generate()?;
    Ok(format!(
        "for the caller, in the header X-Internal-API-Key; it is shown this once:\n{}\n\n\
         for the file of --api-keys; * stands for every tenant:\n{} {name} yantian tools",
        key.expose(),
        key.hash(),
    ))
}

fn admit(set: ApiKeySet, line: &str) -> Result<ApiKeySet, Box<dyn Error>> {
    let mut words = line.split_whitespace();
    let mut next = |missing: &str| words.next().ok_or_else(|| format!("there {missing}"));
    let (hash, name) = (next("is no hash")?, next("is no name")?);
    let tenants = next("are no tenants")?;
    let principal = match tenants {
        EVERY => Principal::new(name).for_every_tenant(),
        tenants => {
            let ids = tenants.split(',').map(|tenant| Ok(Tenant::parse(tenant)?.id()));
            Principal::new(name).for_tenants(ids.collect::<Result<Vec<_>, Box<dyn Error>>>()?)
        }
    };
    let (users, scopes): (Vec<_>, Vec<_>) =
        words.partition(|word| *word == EVERY_USER || word.starts_with(ONE_USER));
    let scopes: Scopes = scopes.join(" ").parse()?;
    let principal = principal.with_scopes(scopes).with_users(users_of(&users)?);
    Ok(set.with(hash.parse::<ApiKeyHash>()?, principal)?)
}

fn users_of(words: &[&str]) -> Result<Users, Box<dyn Error>> {
    match words {
        [] => Ok(Users::None),
        [EVERY_USER] => Ok(Users::OfItsTenants),
        [word] => {
            let user = word.strip_prefix(ONE_USER).filter(|user| !user.is_empty());
            Ok(Users::Only(user.ok_or("`user:` names no user")?.into()))
        }
        _ => Err("`users` and `user:NAME` stand once a line".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_comes_with_a_key_admits_it() {
        let made = made("orchestrator").expect("a key");
        let line = made.lines().last().expect("a line");
        assert!(admit(ApiKeySet::new(), line).is_ok(), "{line}");
    }

    #[test]
    fn a_line_says_which_users_its_caller_may_name() {
        assert_eq!(users_of(&[]).ok(), Some(Users::None));
        assert_eq!(users_of(&["users"]).ok(), Some(Users::OfItsTenants));
        assert_eq!(users_of(&["user:jane"]).ok(), Some(Users::Only("jane".into())));
        assert!(users_of(&["user:"]).is_err() && users_of(&["users", "user:jane"]).is_err());
        let made = made("gateway").expect("a key");
        let line = made.lines().last().expect("a line");
        assert!(admit(ApiKeySet::new(), &format!("{line} users")).is_ok());
    }

    #[test]
    fn a_line_that_lacks_something_is_refused() {
        let made = made("orchestrator").expect("a key");
        let line = made.lines().last().expect("a line");
        let (hash, _) = line.split_once(' ').expect("words");
        for wrong in [
            "",
            hash,
            "sha256:00 orchestrator yantian tools",
            &format!("{hash} orchestrator Yantian tools"),
            &format!("{hash} orchestrator yantian everything"),
        ] {
            assert!(admit(ApiKeySet::new(), wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_has_no_spaces() {
        assert!(made("two words").is_err());
    }
}
