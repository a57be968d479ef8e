//! Reads a result or an error in one pass, with its fields in any order.
//!
//! serde's tagged and untagged forms buffer the whole input first, which is slow, loses raw values
//! and gives vague errors. Here each field is read into its slot as it comes. Only `meta`, whose
//! shape depends on the status, is buffered if it comes first. `deserialize_any` is used because
//! `serde_json` would quote a scalar in `deserialize_struct` before the visitor sees it.

use std::{fmt, marker::PhantomData};

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::{ToolOutput, status::Status};
use crate::{
    ToolError, ToolErrorDetail, ToolErrorMeta, ToolResult, ToolResultMeta,
    portable::read_any,
    wire::{self, Buffered, refuse_scalars},
};

const FIELDS: &[&str] = &["status", "input", "data", "error", "meta"];

impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Deserialize<'de> for ToolOutput<I, O> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        read_any(Envelope { only: None, of: PhantomData }, from)
    }
}

/// Reads an output that must be a result.
pub(crate) fn read_result<'de, D, I, O>(from: D) -> Result<ToolResult<I, O>, D::Error>
where
    D: Deserializer<'de>,
    I: Deserialize<'de>,
    O: Deserialize<'de>,
{
    let envelope = Envelope { only: Some(Status::Ok), of: PhantomData };
    match read_any(envelope, from)? {
        ToolOutput::Ok(result) => Ok(result),
        ToolOutput::Error(_) => Err(other_status(Status::Ok)),
    }
}

/// Reads an output that must be an error.
pub(crate) fn read_error<'de, D, I>(from: D) -> Result<ToolError<I>, D::Error>
where
    D: Deserializer<'de>,
    I: Deserialize<'de>,
{
    let envelope = Envelope::<I, IgnoredAny> { only: Some(Status::Error), of: PhantomData };
    match read_any(envelope, from)? {
        ToolOutput::Error(error) => Ok(error),
        ToolOutput::Ok(_) => Err(other_status(Status::Error)),
    }
}

struct Envelope<I, O> {
    only: Option<Status>,
    of: PhantomData<(I, O)>,
}

impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Visitor<'de> for Envelope<I, O> {
    type Value = ToolOutput<I, O>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a tool's output, an object with `status`")
    }

    refuse_scalars!();

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut slots = Slots { only: self.only, ..Slots::default() };
        while let Some(field) = map.next_key::<Field>()? {
            slots.read(field, &mut map)?;
        }
        slots.finish()
    }
}

#[derive(Clone, Copy)]
enum Field {
    Status,
    Input,
    Data,
    Error,
    Meta,
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Field;
            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a field's name")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<Field, E> {
                match name {
                    "status" => Ok(Field::Status),
                    "input" => Ok(Field::Input),
                    "data" => Ok(Field::Data),
                    "error" => Ok(Field::Error),
                    "meta" => Ok(Field::Meta),
                    _ => Err(wire::unknown(name, FIELDS)),
                }
            }
        }
        from.deserialize_identifier(Name)
    }
}

#[allow(clippy::large_enum_variant, reason = "lives on the stack, once, while reading")]
enum Meta {
    Result(ToolResultMeta),
    Error(ToolErrorMeta),
    Unread(Buffered),
}

struct Slots<I, O> {
    only: Option<Status>,
    status: Option<Status>,
    input: Option<I>,
    data: Option<O>,
    error: Option<ToolErrorDetail>,
    meta: Option<Meta>,
}

impl<I, O> Default for Slots<I, O> {
    fn default() -> Self {
        Self { only: None, status: None, input: None, data: None, error: None, meta: None }
    }
}

impl<'de, I: Deserialize<'de>, O: Deserialize<'de>> Slots<I, O> {
    fn read<A: MapAccess<'de>>(&mut self, field: Field, map: &mut A) -> Result<(), A::Error> {
        match field {
            Field::Status => {
                once(self.status.is_some(), "status")?;
                self.status = wire::nested(map, "status")?;
                self.check_status()
            }
            Field::Input => {
                once(self.input.is_some(), "input")?;
                self.input = Some(wire::payload(map, "input")?);
                Ok(())
            }
            Field::Data => {
                once(self.data.is_some(), "data")?;
                self.data = Some(wire::payload(map, "data")?);
                Ok(())
            }
            Field::Error => {
                once(self.error.is_some(), "error")?;
                self.error = wire::nested(map, "error")?;
                Ok(())
            }
            Field::Meta => {
                once(self.meta.is_some(), "meta")?;
                self.meta = self.read_meta(map)?;
                Ok(())
            }
        }
    }

    fn check_status<E: Error>(&self) -> Result<(), E> {
        match (self.only, self.status) {
            (Some(only), Some(status)) if status != only => Err(other_status(only)),
            _ => Ok(()),
        }
    }

    fn read_meta<A: MapAccess<'de>>(&self, map: &mut A) -> Result<Option<Meta>, A::Error> {
        Ok(match self.status.or(self.only) {
            Some(Status::Ok) => wire::nested(map, "meta")?.map(Meta::Result),
            Some(Status::Error) => wire::nested(map, "meta")?.map(Meta::Error),
            None => wire::nested(map, "meta")?.map(Meta::Unread),
        })
    }

    fn finish<E: Error>(self) -> Result<ToolOutput<I, O>, E> {
        let status = self.status.ok_or_else(|| wire::missing("status"))?;
        let input = self.input.ok_or_else(|| wire::missing("input"))?;
        match status {
            Status::Ok => {
                foreign(self.error.is_some(), "error", status)?;
                let data = self.data.ok_or_else(|| wire::missing("data"))?;
                let meta = result_meta(self.meta)?;
                Ok(ToolOutput::Ok(ToolResult::new(input, data, meta)))
            }
            Status::Error => {
                foreign(self.data.is_some(), "data", status)?;
                let error = self.error.ok_or_else(|| wire::missing("error"))?;
                let meta = error_meta(self.meta)?;
                Ok(ToolOutput::Error(ToolError::new(input, error, meta)))
            }
        }
    }
}

fn result_meta<E: Error>(meta: Option<Meta>) -> Result<ToolResultMeta, E> {
    match meta {
        Some(Meta::Result(meta)) => Ok(meta),
        Some(Meta::Unread(buffered)) => buffered.read("meta"),
        // Not reached with metadata of the other kind: it is read by the status if that comes first.
        Some(Meta::Error(_)) | None => Err(wire::missing("meta")),
    }
}

fn error_meta<E: Error>(meta: Option<Meta>) -> Result<ToolErrorMeta, E> {
    match meta {
        Some(Meta::Error(meta)) => Ok(meta),
        Some(Meta::Unread(buffered)) => buffered.read("meta"),
        Some(Meta::Result(_)) | None => Err(wire::missing("meta")),
    }
}

fn once<E: Error>(given: bool, field: &str) -> Result<(), E> {
    if given { Err(wire::duplicate(field)) } else { Ok(()) }
}

fn foreign<E: Error>(given: bool, field: &str, status: Status) -> Result<(), E> {
    if !given {
        return Ok(());
    }
    Err(E::custom(format_args!(
        "`{field}`: not allowed with the status `{}`; leave it out",
        status.word()
    )))
}

#[cold]
fn other_status<E: Error>(expected: Status) -> E {
    E::custom(format_args!("`status`: expected `{}`", expected.word()))
}
