//! A value of a provider's response, and where it stands in it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::ReadError;
use crate::json::{self, Kind, Malformed, Node, Tree, View};
use crate::limits::Limits;

/// The longest word of a provider that is repeated.
const LONGEST_WORD: usize = 64;

/// One value of a response. Null is the same as absent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'d> {
    view: View<'d>,
    id: u32,
}

/// Reads a response, or one event of a streamed one.
pub(super) fn parse(text: &str, most_bytes: usize) -> Result<Tree, ReadError> {
    let limits = Limits::WIDEST.with_max_bytes(most_bytes);
    json::read(text, &limits).map_err(|malformed| match malformed {
        Malformed::TooLarge { limit, .. } => ReadError::TooLong { limit },
        other => ReadError::Malformed(other),
    })
}

impl<'d> Place<'d> {
    pub(super) fn root(tree: &'d Tree, text: &'d str) -> Self {
        Self { view: tree.view(text), id: 0 }
    }

    pub(super) fn get(self, name: &str) -> Option<Self> {
        let id = self.view.property(self.id, name)?;
        Some(Self { id, ..self }).filter(|place| place.node().kind != Kind::Null)
    }

    /// The property, which has to be there.
    pub(super) fn need(self, name: &str, expected: &'static str) -> Result<Self, ReadError> {
        self.get(name).ok_or_else(|| {
            let mut pointer = self.pointer();
            json::push_name(&mut pointer, name);
            ReadError::Unexpected { pointer, expected, found: "nothing" }
        })
    }

    /// The items of a list.
    pub(super) fn items(self) -> Result<impl Iterator<Item = Self>, ReadError> {
        self.expect(Kind::Array, "a list")?;
        Ok(self.view.children(self.id).map(move |(id, _)| Self { id, ..self }))
    }

    /// The items of a list that may be absent.
    pub(super) fn list(self, name: &str) -> Result<impl Iterator<Item = Self>, ReadError> {
        let items = self.get(name).map(Self::items).transpose()?;
        Ok(items.into_iter().flatten())
    }

    /// The properties that are not null, but for these.
    pub(super) fn fields(self, but: &[&str]) -> Result<Map<String, Value>, ReadError> {
        self.expect(Kind::Object, "an object")?;
        let properties = self.view.children(self.id);
        let kept = properties.filter(|(_, node)| node.kind != Kind::Null);
        kept.map(|(id, node)| (self.view.key(node), Self { id, ..self }))
            .filter(|(key, _)| !but.contains(&&**key))
            .map(|(key, place)| Ok((key.into_owned(), place.value()?)))
            .collect()
    }

    pub(super) fn text(self) -> Result<Cow<'d, str>, ReadError> {
        self.expect(Kind::String, "a text")?;
        Ok(self.view.string(self.node()))
    }

    /// The text of a property, if it is there.
    pub(super) fn text_of(self, name: &str) -> Result<Option<String>, ReadError> {
        self.get(name).map(|place| place.text().map(Cow::into_owned)).transpose()
    }

    /// The text of a property, which has to be there.
    pub(super) fn text_needed(self, name: &str) -> Result<String, ReadError> {
        Ok(self.need(name, "a text")?.text()?.into_owned())
    }

    /// What one of a provider's closed words says; none if it is not one.
    pub(super) fn word(self) -> Option<String> {
        let plain =
            |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
        let text = match self.node().kind {
            Kind::String => self.view.string(self.node()),
            Kind::Number => Cow::Borrowed(self.raw()),
            _ => return None,
        };
        let is_word = !text.is_empty() && text.len() <= LONGEST_WORD && text.chars().all(plain);
        is_word.then(|| text.into_owned())
    }

    pub(super) fn word_of(self, name: &str) -> Option<String> {
        self.get(name).and_then(Self::word)
    }

    /// A whole number, such as the place in a list that an event is about.
    pub(super) fn number_of(self, name: &str) -> Option<u64> {
        self.get(name).and_then(|place| place.raw().parse().ok())
    }

    pub(super) fn is(self, name: &str, text: &str) -> bool {
        self.get(name).is_some_and(|place| {
            place.node().kind == Kind::String && place.view.string(place.node()) == text
        })
    }

    pub(super) fn is_true(self, name: &str) -> bool {
        self.get(name).is_some_and(|place| place.raw() == "true")
    }

    pub(super) fn is_text(self) -> bool {
        self.node().kind == Kind::String
    }

    /// The value as it is written.
    pub(super) fn raw(self) -> &'d str {
        self.view.raw(self.node())
    }

    pub(super) fn value(self) -> Result<Value, ReadError> {
        serde_json::from_str(self.raw())
            .map_err(|_| self.unexpected("texts in Unicode and numbers in a float's range"))
    }

    pub(super) fn unexpected(self, expected: &'static str) -> ReadError {
        let found = match self.node().kind {
            Kind::Null => "null",
            Kind::Bool => "a truth value",
            Kind::Number => "a number",
            Kind::String => "a text",
            Kind::Array => "a list",
            Kind::Object => "an object",
        };
        ReadError::Unexpected { pointer: self.pointer(), expected, found }
    }

    /// Arguments that come in pieces by their paths.
    pub(super) fn in_pieces(self) -> ReadError {
        ReadError::InPieces { pointer: self.pointer() }
    }

    fn expect(self, kind: Kind, expected: &'static str) -> Result<(), ReadError> {
        if self.node().kind == kind { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    fn pointer(self) -> String {
        json::pointer(self.view, self.id)
    }

    fn node(self) -> &'d Node {
        self.view.node(self.id)
    }
}
