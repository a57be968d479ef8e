//! `files`: text files below one folder, of the type `file_operation`.

mod folder;

use std::io;
use std::path::Path;

use tool_runtime::prelude::*;

use self::folder::{Folder, RelativePath};

/// The text files of a folder. No path leads out of it, and no link is followed.
#[derive(Debug)]
pub(crate) struct Files {
    folder: Folder,
}

/// A file or a folder.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Entry {
    /// Its name.
    name: String,
    /// Its kind: `file`, `folder`, or `other`, which cannot be opened.
    kind: String,
    /// Its length in bytes.
    bytes: u64,
}

/// A file that was written, or that a dry run would write.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Written {
    /// Its path.
    path: String,
    /// Its length in bytes.
    bytes: usize,
    /// Its first line.
    first_line: String,
}

/// The error of a file operation.
#[derive(Debug, ToolFailure)]
pub(crate) enum FileError {
    /// The path is not a relative one below the folder.
    #[failure(
        FORBIDDEN,
        message = "the path leads out of the folder; expected names with `/` between them, without `..`"
    )]
    Outside,
    /// The path leads through a link.
    #[failure(FORBIDDEN, message = "the path leads through a link, and links are not followed")]
    Link,
    /// There is no such file or folder.
    #[failure(NOT_FOUND, message = "no such file or folder; `files.list` lists those there are")]
    Missing,
    /// The file exists already.
    #[failure(
        code = "FILE_EXISTS",
        type = VALIDATION,
        message = "the file exists, and files are never replaced; choose another name"
    )]
    Exists,
    /// The path names something else than was expected.
    #[failure(INVALID_ARGUMENT, message = "expected {expected} at this path")]
    WrongKind {
        /// The kind that was expected.
        expected: &'static str,
    },
    /// The file is longer than a model should read.
    #[failure(
        code = "FILE_TOO_LONG",
        type = VALIDATION,
        message = "the file has more than {limit} bytes, and is not read"
    )]
    TooLong {
        /// The most bytes.
        limit: u64,
    },
    /// The file is not text.
    #[failure(code = "FILE_NOT_TEXT", type = VALIDATION, message = "the file is not text in UTF-8")]
    NotText,
    /// The file system failed; of a write a part may have happened.
    #[failure(UNAVAILABLE, message = "the file system failed", effect = "unknown")]
    Failed(io::Error),
}

impl Files {
    /// Opens the folder that all paths are relative to.
    ///
    /// # Errors
    /// The folder does not exist, or cannot be opened.
    pub(crate) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { folder: Folder::open(root)? })
    }
}

/// The text files of a folder.
#[ai_toolkit]
impl Files {
    /// Lists a folder.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "file_operation",
        timeout = "5s",
        blocking
    )]
    fn list(
        &self,
        /// The folder's path; empty for the uppermost one.
        #[arg(default, length(..=200))]
        path: &str,
    ) -> Result<Vec<Entry>, FileError> {
        let path = if path.is_empty() { RelativePath::default() } else { path.parse()? };
        self.folder.list(&path)
    }

    /// Reads a text file.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "file_operation",
        timeout = "5s",
        blocking
    )]
    fn read(
        &self,
        /// The file's path.
        #[arg(length(1..=200), example = "checklist.md")]
        path: &str,
    ) -> Result<String, FileError> {
        self.folder.read(&path.parse()?)
    }

    /// Writes a new text file. A person approves it first.
    #[ai_tool(
        effect = "write",
        title = "Write a file",
        version = "1.0.0",
        category = "file_operation",
        timeout = "5s",
        blocking
    )]
    fn write(
        &self,
        dry_run: &DryRun,
        /// The file's path; its folder must exist, and the file must not.
        #[arg(length(1..=200), example = "reading-day.md")]
        path: &str,
        /// The text.
        #[arg(length(1..=20_000))]
        text: &str,
    ) -> Result<Written, FileError> {
        let parsed: RelativePath = path.parse()?;
        if dry_run.is_active() {
            self.folder.check_free(&parsed)?;
        } else {
            self.folder.write_new(&parsed, text)?;
        }
        let first_line = text.lines().next().unwrap_or_default().to_owned();
        Ok(Written { path: parsed.to_string(), bytes: text.len(), first_line })
    }
}
