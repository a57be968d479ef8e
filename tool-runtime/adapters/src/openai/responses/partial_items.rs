//! The items of a streamed response, which may be incomplete.

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::items::OutputItem;
use crate::format::{is_id, text_in};

/// An item that may be incomplete.
#[derive(Debug, Default)]
pub(super) struct PartialItem {
    /// Its index in the output, which some servers give to several items.
    index: u64,
    pub(super) item: OutputItem,
    /// The text of a message so far.
    pub(super) text: String,
    /// The refusal of a message so far.
    pub(super) refusal: String,
    pub(super) is_done: bool,
}

/// The name of an item: its own id, or that of the call that it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ItemName {
    Item(String),
    Call(String),
}

/// The items of a streamed response, by their index and their names.
#[derive(Debug, Default)]
pub(super) struct PartialItems {
    /// In the order of their start.
    list: Vec<PartialItem>,
    last_of_index: HashMap<u64, usize>,
    by_name: HashMap<(u64, ItemName), usize>,
    /// The positions of names at any index.
    by_name_alone: HashMap<ItemName, usize>,
    /// The indices of several items.
    shared_indices: HashSet<u64>,
}

impl PartialItems {
    /// The item of this index that has one of these names, else the last one of this index; it is added
    /// if there is none.
    pub(super) fn find_or_add(&mut self, index: u64, names: &[ItemName]) -> &mut PartialItem {
        let position = self.named(index, names).or(self.last_of_index.get(&index).copied());
        let position = position.unwrap_or_else(|| self.add(index));
        &mut self.list[position]
    }

    /// The place of an item as an event repeats it: the item of its names, the last one of this index if
    /// that is not complete and either has no names, or a new one.
    pub(super) fn place(&mut self, index: u64, item: &OutputItem) -> &mut PartialItem {
        let names = names_of(item);
        let last = self.last_of_index.get(&index).copied();
        let may_be_meant = |at: &usize| {
            let last = &self.list[*at];
            !last.is_done && (names.is_empty() || names_of(&last.item).is_empty())
        };
        let position = self.named(index, &names).or(last.filter(may_be_meant));
        let position = position.unwrap_or_else(|| self.add(index));
        self.set_names(position, index, names);
        &mut self.list[position]
    }

    /// The place of an item in the list of the final event: the item of its names, else the one at the
    /// same place.
    pub(super) fn place_in_list(&mut self, index: u64, item: &OutputItem) -> &mut PartialItem {
        let names = names_of(item);
        let by_name = names.iter().find_map(|name| self.by_name_alone.get(name)).copied();
        let in_order = usize::try_from(index).ok().filter(|at| *at < self.list.len());
        let at_index = if self.shared_indices.is_empty() {
            self.last_of_index.get(&index).copied()
        } else {
            in_order
        };
        let position = by_name.or(at_index).unwrap_or_else(|| self.add(index));
        &mut self.list[position]
    }

    /// The items so far, in the order of their indices.
    pub(super) fn into_list(mut self) -> Vec<OutputItem> {
        self.list.sort_by_key(|item| item.index);
        self.list.into_iter().filter_map(PartialItem::into_item).collect()
    }

    fn named(&self, index: u64, names: &[ItemName]) -> Option<usize> {
        names.iter().find_map(|name| self.by_name.get(&(index, name.clone()))).copied()
    }

    /// Adds an item, and returns its position.
    fn add(&mut self, index: u64) -> usize {
        let position = self.list.len();
        self.list.push(PartialItem { index, ..PartialItem::default() });
        if self.last_of_index.insert(index, position).is_some() {
            self.shared_indices.insert(index);
        }
        position
    }

    fn set_names(&mut self, position: usize, index: u64, names: Vec<ItemName>) {
        for name in names {
            self.by_name.insert((index, name.clone()), position);
            self.by_name_alone.insert(name, position);
        }
    }
}

impl PartialItem {
    /// Takes the complete item in place of its pieces.
    pub(super) fn set_done(&mut self, item: OutputItem) {
        *self = Self { index: self.index, item, is_done: true, ..Self::default() };
    }

    /// Appends to the text of a custom tool's call.
    pub(super) fn append_input(&mut self, more: &str) {
        let input = self.item.fields.entry("input").or_insert_with(|| "".into());
        if let Value::String(input) = input {
            input.push_str(more);
        }
    }

    /// The item so far; `None` if nothing of it can be sent back.
    fn into_item(mut self) -> Option<OutputItem> {
        if self.is_done || self.item.is("function_call") {
            return Some(self.item);
        }
        if self.item.is("custom_tool_call") {
            self.item.fields.insert("status".to_owned(), "incomplete".into());
            return Some(self.item);
        }
        let mut content = Vec::new();
        if !self.text.is_empty() {
            content.push(json!({ "type": "output_text", "text": self.text, "annotations": [] }));
        }
        if !self.refusal.is_empty() {
            content.push(json!({ "type": "refusal", "refusal": self.refusal }));
        }
        if !self.item.is("message") || content.is_empty() {
            return None;
        }
        self.item.fields.insert("content".to_owned(), content.into());
        self.item.fields.insert("status".to_owned(), "incomplete".into());
        Some(self.item)
    }
}

fn names_of(item: &OutputItem) -> Vec<ItemName> {
    let name = |field, name: fn(String) -> ItemName| {
        let text = text_in(&item.fields, field);
        is_id(text).then(|| name(text.to_owned()))
    };
    name("id", ItemName::Item).into_iter().chain(name("call_id", ItemName::Call)).collect()
}
