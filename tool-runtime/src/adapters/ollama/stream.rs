//! The lines of a streamed response of `/api/chat`.

use super::read::{Call, Message, stop};
use crate::adapters::place::Place;
use crate::adapters::said::{Said, grow, text_in};
use crate::adapters::stream::{Delta, Gather};
use crate::adapters::{ReadError, Stop};

#[derive(Debug, Default)]
pub(in crate::adapters) struct Gathered {
    message: Message,
    stop: Option<Stop>,
}

impl Gather for Gathered {
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError> {
        let stop = stop(event);
        if stop != Stop::Interrupted {
            self.stop = Some(stop);
        }
        let Some(message) = event.get("message") else { return Ok(Vec::new()) };
        let mut piece = Message::read(message)?;
        piece.fields.remove("role");
        let deltas = deltas(&piece);
        grow(&mut self.message.fields, piece.fields);
        self.message.calls.append(&mut piece.calls);
        Ok(deltas)
    }

    fn finish(self: Box<Self>) -> Said {
        self.message.said(self.stop.unwrap_or(Stop::Interrupted))
    }
}

fn deltas(piece: &Message) -> Vec<Delta> {
    let text = |name| Some(text_in(&piece.fields, name).to_owned()).filter(|text| !text.is_empty());
    let thinking = text("thinking").map(Delta::Thinking);
    let said = text("content").map(Delta::Text);
    let calls = piece.calls.iter().map(Call::name).map(|name| Delta::Calls(name.to_owned()));
    thinking.into_iter().chain(said).chain(calls).collect()
}
