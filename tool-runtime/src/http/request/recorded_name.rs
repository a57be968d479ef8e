//! Names a caller for records, within their length limit.

/// The longest name in a record, in bytes.
const LONGEST_NAME: usize = 256;

/// Names a user and the principal that named it, within the length limit of records.
///
/// The principal is authenticated and the user is not, so a long user name is cut and the principal
/// always follows it.
pub(in crate::http) fn recorded_name(user: Option<&str>, principal: &str) -> String {
    let Some(user) = user else { return cut(principal, LONGEST_NAME).to_owned() };
    let principal = cut(principal, LONGEST_NAME / 2);
    let user_limit = LONGEST_NAME - "user: by ".len() - principal.len();
    format!("user:{} by {principal}", cut(user, user_limit))
}

/// Cuts a name to this many bytes, at a character boundary.
fn cut(name: &str, limit: usize) -> &str {
    let mut end = name.len().min(limit);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_NAME, recorded_name};

    #[test]
    fn the_principal_is_named_however_long_the_users_name_is() {
        assert_eq!(recorded_name(Some("boss"), "desk"), "user:boss by desk");
        assert_eq!(recorded_name(None, "desk"), "desk");
        for user in ["x".repeat(256), "名".repeat(256), format!("boss by other{}", " ".repeat(300))]
        {
            let name = recorded_name(Some(&user), "desk");
            assert!(name.ends_with(" by desk") && name.len() <= LONGEST_NAME, "{name}");
        }
        let long = recorded_name(Some("boss"), &"名".repeat(256));
        assert!(long.starts_with("user:boss by 名") && long.len() <= LONGEST_NAME, "{long}");
    }
}
