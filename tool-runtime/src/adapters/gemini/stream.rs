//! The responses of `streamGenerateContent`, each with some parts more.

use super::parts::{self, Part};
use super::read::{self, blocked, candidate};
use crate::adapters::place::Place;
use crate::adapters::said::{Said, grow};
use crate::adapters::stream::{Delta, Gather};
use crate::adapters::{ReadError, Stop};

#[derive(Debug, Default)]
pub(in crate::adapters) struct Gathered {
    parts: Vec<Part>,
    stop: Option<Stop>,
}

impl Gather for Gathered {
    fn push(&mut self, event: Place<'_>) -> Result<Vec<Delta>, ReadError> {
        let parts = read::parts(event)?;
        let deltas = parts.iter().filter_map(delta).collect();
        for part in parts {
            self.take(part);
        }
        let ended = candidate(event)?.map(read::stop).filter(|stop| *stop != Stop::Interrupted);
        self.stop = ended.or_else(|| blocked(event)).or(self.stop.take());
        Ok(deltas)
    }

    fn finish(self: Box<Self>) -> Said {
        parts::said(self.parts, self.stop.unwrap_or(Stop::Interrupted))
    }
}

impl Gathered {
    fn take(&mut self, part: Part) {
        match self.parts.last_mut() {
            Some(last)
                if last.is_plain() && part.is_plain() && last.is_thought() == part.is_thought() =>
            {
                grow(&mut last.fields, part.fields);
            }
            _ => self.parts.push(part),
        }
    }
}

fn delta(part: &Part) -> Option<Delta> {
    let text = part.text().to_owned();
    match part.calls() {
        Some(name) => Some(Delta::Calls(name.to_owned())),
        None if text.is_empty() => None,
        None if part.is_thought() => Some(Delta::Thinking(text)),
        None => Some(Delta::Text(text)),
    }
}
