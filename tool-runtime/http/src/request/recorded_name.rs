//! Names a caller for records, within their length limit.

/// The longest name in a record, in bytes.
const MAX_NAME_LENGTH: usize = 256;

/// Names a user and the principal that named it, within the length limit of records.
///
/// The principal is authenticated and the user is not, so a long user name is cut and the principal
/// always follows it.
pub(crate) fn recorded_name(user: Option<&str>, principal: &str) -> String {
    let Some(user) = user else { return cut(principal, MAX_NAME_LENGTH).to_owned() };
    let principal = cut(principal, MAX_NAME_LENGTH / 2);
    let user_limit = MAX_NAME_LENGTH - "user: by ".len() - principal.len();
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
    use super::{MAX_NAME_LENGTH, recorded_name};

    #[test]
    fn the_principal_is_named_however_long_the_users_name_is() {
        assert_eq!(recorded_name(Some("boss"), "desk"), "user:boss by desk");
        assert_eq!(recorded_name(None, "desk"), "desk");
        for user in ["x".repeat(256), "名".repeat(256), format!("boss by other{}", " ".repeat(300))]
        {
            let name = recorded_name(Some(&user), "desk");
            assert!(name.ends_with(" by desk") && name.len() <= MAX_NAME_LENGTH, "{name}");
        }
        let long = recorded_name(Some("boss"), &"名".repeat(256));
        assert!(long.starts_with("user:boss by 名") && long.len() <= MAX_NAME_LENGTH, "{long}");
    }
}
