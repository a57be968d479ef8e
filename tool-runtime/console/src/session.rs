//! Sessions: the credential of a person in a cookie that only the console can read.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use tool_runtime_core::key_ring::{KeyRing, RingKey, SealingKey};
use tool_runtime_core::policy::{open_with, seal_with};
use zeroize::Zeroizing;

/// The cookie of a session.
pub(crate) const COOKIE: &str = "tool_console";

// Changing one of these labels ends all sessions.
const PURPOSE: &[u8] = b"tool-runtime/console/v1/session";
const SEALING_ONE: &[u8] = b"tool-runtime/console/v1/session/message";

/// The longest value of a cookie that browsers keep, in bytes; name and attributes are counted too.
const MAX_COOKIE: usize = 3_800;

/// A person who is signed in.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Session {
    pub(crate) credential: Credential,
    /// The tenant whose calls the person decides about; the API's default if it is empty.
    pub(crate) tenant: String,
    /// The person's name, which decisions are recorded under; the credential's own if it is empty.
    pub(crate) user: String,
    /// The token that each form of this session carries.
    pub(crate) form_token: String,
    /// The end of the session, in seconds since 1970.
    ends_at: u64,
}

/// The credential that the API authenticates.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Credential {
    /// An API that admits callers without one.
    Nothing,
    Key(String),
    Token(String),
}

/// The keys and the length of sessions.
pub(crate) struct Sessions {
    /// The current key first.
    secrets: Vec<SessionSecret>,
    length: Duration,
    /// True if browsers send cookies over TLS only.
    has_tls: bool,
}

struct SessionSecret {
    id: Box<str>,
    secret: Zeroizing<[u8; 32]>,
}

/// The reason why no session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionError {
    /// A browser would not keep the cookie.
    TooLong,
    /// The operating system has no random bytes.
    NoRandomness,
}

impl Credential {
    /// Reads what a person has entered. A token has the form of a JWT: three parts of base64url, joined by dots.
    pub(crate) fn parse(text: &str) -> Self {
        let text = text.trim();
        let is_part = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_=".contains(&it))
        };
        if text.is_empty() {
            Self::Nothing
        } else if text.split('.').count() == 3 && text.split('.').all(is_part) {
            Self::Token(text.to_owned())
        } else {
            Self::Key(text.to_owned())
        }
    }
}

impl Sessions {
    pub(crate) fn new(keys: &KeyRing, length: Duration, has_tls: bool) -> Self {
        let secret =
            |key: &RingKey| SessionSecret { id: key.id().into(), secret: key.subkey(PURPOSE) };
        Self { secrets: keys.keys().map(secret).collect(), length, has_tls }
    }

    /// Begins a session, and returns the value of its cookie.
    pub(crate) fn begin(
        &self,
        credential: Credential,
        tenant: &str,
        user: &str,
    ) -> Result<(Session, String), SessionError> {
        let session = Session {
            credential,
            tenant: tenant.trim().to_owned(),
            user: user.trim().to_owned(),
            form_token: random_token()?,
            ends_at: now().saturating_add(self.length.as_secs()),
        };
        let plain = serde_json::to_vec(&session).map_err(|_| SessionError::TooLong)?;
        let key = self.secrets.first().expect("a ring has a current key").as_key();
        let sealed = seal_with(&Zeroizing::new(plain), key, PURPOSE);
        let sealed = sealed.map_err(|_| SessionError::NoRandomness)?;
        let cookie = URL_SAFE_NO_PAD.encode(sealed);
        if cookie.len() > MAX_COOKIE {
            return Err(SessionError::TooLong);
        }
        Ok((session, cookie))
    }

    /// Reads the value of a cookie: `None` if no key of the ring has sealed it, or the session has ended.
    pub(crate) fn read(&self, cookie: &str) -> Option<Session> {
        let sealed = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let key =
            |id: &str| self.secrets.iter().find(|key| *key.id == *id).map(SessionSecret::as_key);
        let plain = open_with(&sealed, key, PURPOSE).map(Zeroizing::new)?;
        let session: Session = serde_json::from_slice(&plain).ok()?;
        (now() < session.ends_at).then_some(session)
    }

    pub(crate) const fn have_tls(&self) -> bool {
        self.has_tls
    }

    pub(crate) const fn length(&self) -> Duration {
        self.length
    }
}

impl SessionSecret {
    fn as_key(&self) -> SealingKey<'_> {
        SealingKey { id: &self.id, secret: &self.secret, label: SEALING_ONE }
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("length", &self.length).finish_non_exhaustive()
    }
}

fn random_token() -> Result<String, SessionError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| SessionError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(length: u64) -> Sessions {
        let keys = KeyRing::new("one", &[7; 32]).expect("a ring");
        Sessions::new(&keys, Duration::from_secs(length), true)
    }

    #[test]
    fn a_session_is_read_with_the_ring_that_sealed_it_until_it_ends() {
        let (session, cookie) =
            sessions(60).begin(Credential::Key("secret".into()), " yantian ", "ada").expect("one");
        let read = sessions(60).read(&cookie).expect("the session");
        assert_eq!((read.tenant.as_str(), read.user.as_str()), ("yantian", "ada"));
        assert_eq!(read.form_token, session.form_token);
        assert!(matches!(read.credential, Credential::Key(key) if key == "secret"));

        let other = KeyRing::new("one", &[8; 32]).expect("a ring");
        assert!(Sessions::new(&other, Duration::from_secs(60), true).read(&cookie).is_none());
        let (_, ended) = sessions(0).begin(Credential::Nothing, "", "").expect("one");
        assert!(sessions(60).read(&ended).is_none());
    }

    #[test]
    fn a_cookie_that_was_changed_is_no_session() {
        let (_, cookie) = sessions(60).begin(Credential::Nothing, "", "").expect("one");
        for at in 0..cookie.len() {
            let mut changed = cookie.clone().into_bytes();
            changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(changed).expect("ASCII");
            assert!(sessions(60).read(&changed).is_none(), "{at}");
        }
        assert!(sessions(60).read("").is_none());
    }

    #[test]
    fn a_credential_that_no_browser_would_keep_is_refused() {
        let long = Credential::Token("a".repeat(4_000));
        assert_eq!(sessions(60).begin(long, "", "").err(), Some(SessionError::TooLong));
    }

    #[test]
    fn a_token_is_told_from_a_key_by_its_three_parts() {
        assert!(matches!(Credential::parse(" aaa.bbb.c-_ "), Credential::Token(_)));
        for key in ["tsk_abc", "a.b", "a..c", "a.b.c.d", "a.b.ü"] {
            assert!(matches!(Credential::parse(key), Credential::Key(_)), "{key}");
        }
        assert!(matches!(Credential::parse("  "), Credential::Nothing));
    }
}
