//! The images and files of results: a model is given those that it shows, and notes on the others.

use tool_contracts::ToolContext;
use tool_runtime_core::runtime::Runtime;
use tool_runtime_core::tool::Attachment;

use crate::model::{ChatModel, ModelMessage};

/// An estimate of the tokens of an image or a file, which providers count by its pixels or pages.
pub(super) const FILE_TOKENS: u64 = 1_000;

/// The most files of a request.
const MAX_FILES: usize = 20;

/// The most bytes of all files of a request together.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The note on a file for which a request has no room.
pub(super) const NO_LONGER_SHOWN: &str = "no longer shown";

/// The reader of the files of a run's results.
pub(super) struct FileReader<'r> {
    pub(super) runtime: &'r Runtime,
    pub(super) model: &'r dyn ChatModel,
    pub(super) cx: &'r ToolContext,
}

impl FileReader<'_> {
    /// Returns the files of a result that the model is shown, and a note on each file.
    pub(super) async fn read(&self, files: Vec<Attachment>) -> (Vec<Attachment>, Vec<String>) {
        let (mut shown, mut notes) = (Vec::new(), Vec::with_capacity(files.len()));
        for file in files {
            let (note, shown_file) = match self.with_content(&file).await {
                None => ("attached, but no longer available", None),
                Some(file) if self.model.accepts(&file) => ("attached", Some(file)),
                Some(_) => ("attached, but not shown here", None),
            };
            notes.push(format!("{note}: {file}"));
            shown.extend(shown_file);
        }
        (shown, notes)
    }

    /// Reads the files of messages that were serialized. One that has expired, or that this model does
    /// not show, becomes a note.
    pub(super) async fn restore(&self, messages: &mut [ModelMessage]) {
        for message in messages {
            let ModelMessage::ToolResult { text, attachments, .. } = message else { continue };
            let mut restored_files = Vec::with_capacity(attachments.len());
            for file in std::mem::take(attachments) {
                match self.with_content(&file).await {
                    Some(file) if self.model.accepts(&file) => restored_files.push(file),
                    Some(_) => add_notes(text, &[file_note(NO_LONGER_SHOWN, &file)]),
                    None => add_notes(text, &[file_note("no longer available", &file)]),
                }
            }
            *attachments = restored_files;
        }
    }

    /// Returns the file with its content, or its link; `None` if the store no longer has it.
    async fn with_content(&self, file: &Attachment) -> Option<Attachment> {
        match file.handle().filter(|_| file.as_bytes().is_none()) {
            Some(handle) => self.runtime.outputs().attachment(handle, self.cx).await.ok().flatten(),
            None => Some(file.clone()),
        }
    }
}

/// Takes the oldest files out until the others have a place in one request.
pub(super) fn drop_oldest(messages: &mut [ModelMessage]) {
    let (mut count, mut bytes) = (0, 0);
    for message in messages.iter_mut().rev() {
        let ModelMessage::ToolResult { text, attachments, .. } = message else { continue };
        let mut retained_files = Vec::with_capacity(attachments.len());
        for file in std::mem::take(attachments) {
            let more = bytes + file.as_bytes().map_or(0, <[u8]>::len);
            if count < MAX_FILES && more <= MAX_BYTES {
                (count, bytes) = (count + 1, more);
                retained_files.push(file);
            } else {
                add_notes(text, &[file_note(NO_LONGER_SHOWN, &file)]);
            }
        }
        *attachments = retained_files;
    }
}

/// Returns the text of a result without its files, which it names.
pub(super) fn without_files(text: &str, files: &[Attachment]) -> String {
    let mut text = text.to_owned();
    let notes: Vec<_> = files.iter().map(|file| file_note(NO_LONGER_SHOWN, file)).collect();
    add_notes(&mut text, &notes);
    text
}

/// Adds notes to the text of a result.
pub(super) fn add_notes(text: &mut String, notes: &[String]) {
    if !notes.is_empty() {
        text.push_str("\n\n");
        text.push_str(&notes.join("\n"));
    }
}

fn file_note(what: &str, file: &Attachment) -> String {
    format!("{what}: {file}")
}
