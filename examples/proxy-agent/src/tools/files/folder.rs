//! A folder as a capability: every path is resolved from its open handle, one name at a time.
//!
//! Each folder on a path is opened relative to the handle of the one before it, and neither a folder nor
//! a file is opened through a link. A check before the opening would leave a moment in which a file is
//! replaced by a link; here the opening is the check.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Component, Path};
use std::str::FromStr;

use cap_fs_ext::{DirExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirEntry, OpenOptions};

use super::{Entry, FileError};

/// The open handle of a folder.
#[derive(Debug)]
pub(super) struct Folder {
    dir: Dir,
}

/// Names that lead down from a folder; empty for the folder itself.
#[derive(Debug, Default)]
pub(super) struct RelativePath {
    names: Vec<String>,
}

/// The longest file that is read, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// The most entries of a folder that are listed.
const MAX_ENTRIES: usize = 500;

impl Folder {
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(root, ambient_authority())? })
    }

    pub(super) fn list(&self, path: &RelativePath) -> Result<Vec<Entry>, FileError> {
        let folder = self.walk(&path.names)?;
        let entries = folder.entries()?.take(MAX_ENTRIES);
        let mut entries = entries.map(|it| entry(&it?)).collect::<io::Result<Vec<_>>>()?;
        entries.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    pub(super) fn read(&self, path: &RelativePath) -> Result<String, FileError> {
        let (folder, name) = self.parent(path)?;
        // Not blocking, because the opening of a pipe waits for its writer.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let opened = folder.open_with(name, &options);
        let file = opened.map_err(|error| explain(error, &folder, name))?;
        if !file.metadata()?.is_file() {
            return Err(FileError::WrongKind { expected: "a file" });
        }
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(FileError::TooLong { limit: MAX_BYTES });
        }
        String::from_utf8(bytes).map_err(|_| FileError::NotText)
    }

    /// Writes a file that does not exist yet, to the disk.
    pub(super) fn write_new(&self, path: &RelativePath, text: &str) -> Result<(), FileError> {
        let (folder, name) = self.parent(path)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).follow(FollowSymlinks::No);
        let opened = folder.open_with(name, &options);
        let mut file = opened.map_err(|error| explain(error, &folder, name))?;
        let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
        if written.is_err() {
            // A file that cannot be removed is reported like one that cannot be written.
            folder.remove_file(name)?;
        }
        Ok(written?)
    }

    /// Checks that a file can be written here, without writing it.
    pub(super) fn check_free(&self, path: &RelativePath) -> Result<(), FileError> {
        let (folder, name) = self.parent(path)?;
        match folder.symlink_metadata(name) {
            Ok(metadata) if metadata.is_symlink() => Err(FileError::Link),
            Ok(_) => Err(FileError::Exists),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the folder of a path's last name.
    fn parent<'p>(&self, path: &'p RelativePath) -> Result<(Dir, &'p str), FileError> {
        let (name, folders) = path.names.split_last().ok_or(FileError::Outside)?;
        Ok((self.walk(folders)?, name))
    }

    fn walk(&self, names: &[String]) -> Result<Dir, FileError> {
        names.iter().try_fold(self.dir.try_clone()?, |dir, name| {
            dir.open_dir_nofollow(name).map_err(|error| explain(error, &dir, name))
        })
    }
}

impl FromStr for RelativePath {
    type Err = FileError;

    /// Reads names with `/` between them. A backslash separates names on some systems only, so that it
    /// is refused on all.
    fn from_str(path: &str) -> Result<Self, FileError> {
        if path.contains(['\\', '\0']) {
            return Err(FileError::Outside);
        }
        let name = |component| match component {
            Component::Normal(name) => OsStr::to_str(name).map(str::to_owned),
            Component::CurDir
            | Component::ParentDir
            | Component::Prefix(_)
            | Component::RootDir => None,
        };
        let names = Path::new(path).components().map(name).collect::<Option<Vec<_>>>();
        Ok(Self { names: names.ok_or(FileError::Outside)? })
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join("/"))
    }
}

/// Says why a name was not opened. The file system has refused it already, so that a change between
/// the two looks changes the words only.
fn explain(error: io::Error, folder: &Dir, name: &str) -> FileError {
    match (error.kind(), folder.symlink_metadata(name)) {
        (ErrorKind::NotFound, Err(_)) => FileError::Missing,
        (_, Ok(found)) if found.is_symlink() => FileError::Link,
        (ErrorKind::AlreadyExists, _) => FileError::Exists,
        (_, Ok(found)) if found.is_dir() => FileError::WrongKind { expected: "a file" },
        (ErrorKind::NotADirectory, _) => FileError::WrongKind { expected: "a folder" },
        _ => error.into(),
    }
}

fn entry(found: &DirEntry) -> io::Result<Entry> {
    let metadata = found.metadata()?;
    let kind = if metadata.is_dir() {
        "folder"
    } else if metadata.is_file() {
        "file"
    } else {
        "other"
    };
    let name = found.file_name().to_string_lossy().into_owned();
    Ok(Entry { name, kind: kind.to_owned(), bytes: metadata.len() })
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "helpers of tests are tests")]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::DataFolder;

    const OUTSIDE: &str = "planted outside";

    /// Replaces `name` by `link` and back until the flag is set.
    fn swap_until(ended: &AtomicBool, root: &Path, name: &str) {
        let (name, link, aside) = (root.join(name), root.join("link"), root.join("aside"));
        while !ended.load(Ordering::Relaxed) {
            fs::rename(&name, &aside).unwrap();
            fs::rename(&link, &name).unwrap();
            fs::rename(&name, &link).unwrap();
            fs::rename(&aside, &name).unwrap();
        }
    }

    /// Reads `path` again and again while `name` is swapped with a link to `target`.
    fn check(name: &str, path: &str, target: impl Fn(&Path) -> PathBuf) {
        let data = DataFolder::temporary().unwrap();
        let (root, outside) = (data.notes(), data.path().join("outside"));
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("a.md"), OUTSIDE).unwrap();
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("folder/a.md"), "inside").unwrap();
        symlink(target(&outside), root.join("link")).unwrap();
        let (folder, path) = (Folder::open(&root).unwrap(), path.parse().unwrap());
        let ended = AtomicBool::new(false);
        let reads: Vec<_> = thread::scope(|scope| {
            scope.spawn(|| swap_until(&ended, &root, name));
            let reads = (0..20_000).map(|_| folder.read(&path)).collect();
            ended.store(true, Ordering::Relaxed);
            reads
        });
        let texts: Vec<_> = reads.iter().filter_map(|read| read.as_ref().ok()).collect();
        assert!(texts.iter().all(|text| *text == "inside"), "a link was followed");
        let links = reads.iter().filter(|read| matches!(read, Err(FileError::Link))).count();
        assert!(texts.len() > 100 && links > 100, "{} texts, {links} links", texts.len());
    }

    #[test]
    fn a_folder_that_becomes_a_link_shows_nothing_from_outside() {
        check("folder", "folder/a.md", Path::to_owned);
    }

    #[test]
    fn a_file_that_becomes_a_link_shows_nothing_from_outside() {
        check("folder/a.md", "folder/a.md", |outside| outside.join("a.md"));
    }
}
