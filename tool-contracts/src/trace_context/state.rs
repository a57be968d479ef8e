//! The header `tracestate`.

use std::{
    fmt, iter,
    str::{self, FromStr},
};

use super::{TraceContextError, WHITESPACE};

const MAX_MEMBERS: usize = 32;
const MAX_PART_LENGTH: usize = 256;
// Members longer than this, in bytes, are removed first when a state is shortened.
const LONG_MEMBER: usize = 128;

/// The content of the header `tracestate`: the data that each vendor adds to a trace, newest first.
///
/// It has at most 32 members with unique keys. It is stored as it is written: in one line, without
/// the empty members and the whitespace that are accepted on reading.
///
/// ```
/// use tool_contracts::trace_context::TraceState;
///
/// let state = TraceState::parse(["rojo=00f067aa0ba902b7 , ,", "tenant@congo=t61rcWkgMzE"])?;
/// assert_eq!(state.get("tenant@congo"), Some("t61rcWkgMzE"));
/// assert_eq!(state.to_string(), "rojo=00f067aa0ba902b7,tenant@congo=t61rcWkgMzE");
/// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct TraceState(String);

impl TraceState {
    /// Reads the values of all headers of that name, in their order, as one list.
    ///
    /// Whitespace around a member and empty members are ignored (RFC 9110, section 5.6.1). Of
    /// members with the same key the first is kept, which is the newest.
    ///
    /// # Errors
    /// Returns an error if a member breaks the grammar, or there are more than 32. The state is
    /// then dropped as a whole; the parent stays valid.
    pub fn parse(values: impl IntoIterator<Item: AsRef<[u8]>>) -> Result<Self, TraceContextError> {
        let mut reading = Reading::default();
        for value in values {
            reading.read(value.as_ref())?;
        }
        Ok(reading.state)
    }

    /// Returns whether the state has no members; such a state is not written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of members.
    #[must_use]
    pub fn len(&self) -> usize {
        self.members().count()
    }

    /// Returns the state as it is written: the members in one line, separated by commas.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Iterates over keys and values, the newest first.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceState;
    ///
    /// let state: TraceState = "rojo=1,congo=2".parse()?;
    /// assert_eq!(state.iter().collect::<Vec<_>>(), [("rojo", "1"), ("congo", "2")]);
    /// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.members().filter_map(|member| member.split_once('='))
    }

    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find_map(|(of, value)| (of == key).then_some(value))
    }

    /// Inserts a member at the front; replaces one with the same key.
    ///
    /// Beyond 32 members the last one is removed. A service that changes the state also sets a new
    /// parent: the specification allows a changed state only with a new parent.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceState;
    ///
    /// let state: TraceState = "rojo=1,congo=2".parse()?;
    /// assert_eq!(state.with("congo", "3")?.as_str(), "congo=3,rojo=1");
    /// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if key or value break the grammar; a value must not end in a space.
    pub fn with(&self, key: &str, value: &str) -> Result<Self, TraceContextError> {
        check(key, value)?;
        let member = format!("{key}={value}");
        let members = iter::once(&*member).chain(self.others(key)).take(MAX_MEMBERS);
        Ok(Self::from_members(&members.collect::<Vec<_>>()))
    }

    /// Removes the member with a key; only its owner should do so.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceState;
    ///
    /// let state: TraceState = "rojo=1,congo=2".parse()?;
    /// assert_eq!(state.without("rojo").as_str(), "congo=2");
    /// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
    /// ```
    #[must_use]
    pub fn without(&self, key: &str) -> Self {
        Self::from_members(&self.others(key).collect::<Vec<_>>())
    }

    /// Removes members until the state has at most this many characters.
    ///
    /// Members of more than 128 characters are removed first, then any, each time the last of them.
    /// A state never has more than 16447 characters; a host that cannot send that many should still
    /// send 512.
    ///
    /// ```
    /// use tool_contracts::trace_context::TraceState;
    ///
    /// let state = TraceState::default().with("congo", "2")?.with("rojo", &"1".repeat(200))?;
    /// assert_eq!(state.within(512), state);
    /// assert_eq!(state.within(128).as_str(), "congo=2");
    /// # Ok::<(), tool_contracts::trace_context::TraceContextError>(())
    /// ```
    #[must_use]
    pub fn within(&self, longest: usize) -> Self {
        let mut members: Vec<&str> = self.members().collect();
        let mut length = self.0.len();
        while length > longest {
            let long = members.iter().rposition(|member| member.len() > LONG_MEMBER);
            let removed_member = members.remove(long.unwrap_or(members.len() - 1));
            length = length.saturating_sub(removed_member.len() + 1);
        }
        Self::from_members(&members)
    }

    fn from_members(members: &[&str]) -> Self {
        Self(members.join(","))
    }

    fn members(&self) -> impl Iterator<Item = &str> {
        self.0.split(',').filter(|member| !member.is_empty())
    }

    fn others(&self, key: &str) -> impl Iterator<Item = &str> {
        self.members().filter(move |member| member.split_once('=').is_none_or(|(of, _)| of != key))
    }
}

impl fmt::Display for TraceState {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.0)
    }
}

/// Reads the value of a single header.
impl FromStr for TraceState {
    type Err = TraceContextError;

    fn from_str(value: &str) -> Result<Self, TraceContextError> {
        Self::parse([value])
    }
}

/// The parsed part of a list that may span several headers.
#[derive(Default)]
struct Reading {
    state: TraceState,
    members: usize,
}

impl Reading {
    fn read(&mut self, value: &[u8]) -> Result<(), TraceContextError> {
        let value = str::from_utf8(value).map_err(|_| TraceContextError::Member)?;
        let members = value.split(',').map(|member| member.trim_matches(WHITESPACE));
        members.filter(|member| !member.is_empty()).try_for_each(|member| self.member(member))
    }

    fn member(&mut self, member: &str) -> Result<(), TraceContextError> {
        let (key, value) = member.split_once('=').ok_or(TraceContextError::Member)?;
        check(key, value)?;
        self.members += 1;
        if self.members > MAX_MEMBERS {
            return Err(TraceContextError::TooManyMembers);
        }
        if self.state.get(key).is_none() {
            let comma = if self.state.is_empty() { "" } else { "," };
            self.state.0.extend([comma, member]);
        }
        Ok(())
    }
}

fn check(key: &str, value: &str) -> Result<(), TraceContextError> {
    if !is_key(key) {
        return Err(TraceContextError::Key);
    }
    is_value(value).then_some(()).ok_or(TraceContextError::Value)
}

fn is_key(key: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    key.len() <= MAX_PART_LENGTH
        && key.bytes().next().is_some_and(plain)
        && key.bytes().all(|byte| plain(byte) || b"_-*/@".contains(&byte))
}

fn is_value(value: &str) -> bool {
    let admitted = |byte: u8| matches!(byte, b' '..=b'~') && !b",=".contains(&byte);
    (1..=MAX_PART_LENGTH).contains(&value.len())
        && !value.ends_with(' ')
        && value.bytes().all(admitted)
}
