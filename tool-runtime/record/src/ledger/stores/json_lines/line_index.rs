//! An index of the positions of lines in a file.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::line::MAX_LINE_BYTES;

/// The number of lines between two marks, until there are too many marks.
const STRIDE: u64 = 1_024;

/// The most marks that are kept.
const MAX_MARKS: usize = 8_192;

/// The number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// The whole lines of a file: their number, their total length, and the positions of some.
#[derive(Debug, Clone)]
pub(super) struct LineIndex {
    pub(super) lines: u64,
    pub(super) length: u64,
    /// The first line that contains a zero byte, which no JSON does.
    pub(super) first_zero: Option<u64>,
    stride: u64,
    /// The offset of each line whose number is a multiple of `stride`.
    marks: Vec<u64>,
}

/// The position of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePosition {
    pub(super) line: u64,
    pub(super) offset: u64,
}

impl LinePosition {
    pub(super) const START: Self = Self { line: 0, offset: 0 };
}

impl LineIndex {
    pub(super) const fn empty() -> Self {
        Self { lines: 0, length: 0, first_zero: None, stride: STRIDE, marks: Vec::new() }
    }

    /// Reads a file once.
    ///
    /// Whole lines end with a line break. Bytes after the last line break are checked by
    /// [`torn_bytes`](super::files::torn_bytes).
    pub(super) fn from_file(file: &File) -> io::Result<Self> {
        let (mut line_index, mut behind, mut has_zero) = (Self::empty(), 0, false);
        let mut reader = BufReader::with_capacity(CHUNK, file);
        reader.rewind()?;
        loop {
            let chunk = reader.fill_buf()?;
            if chunk.is_empty() {
                return Ok(line_index);
            }
            // A chunk rarely contains zeros, so its lines are searched only if it does.
            let may_have_zero = chunk.contains(&0);
            for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
                behind += piece.len() as u64;
                has_zero |= may_have_zero && piece.contains(&0);
                if piece.ends_with(b"\n") {
                    line_index.first_zero =
                        line_index.first_zero.or(has_zero.then_some(line_index.lines));
                    line_index.add(behind);
                    (behind, has_zero) = (0, false);
                }
            }
            let length = chunk.len();
            reader.consume(length);
        }
    }

    /// Adds a line of this length.
    pub(super) fn add(&mut self, bytes: u64) {
        if self.lines % self.stride == 0 {
            self.mark();
        }
        self.lines += 1;
        self.length += bytes;
    }

    fn mark(&mut self) {
        if self.marks.len() == MAX_MARKS {
            let mut even = false;
            self.marks.retain(|_| {
                even = !even;
                even
            });
            self.stride *= 2;
        }
        self.marks.push(self.length);
    }

    /// Finds the last marked line that is not after this one.
    pub(super) fn before(&self, line: u64) -> LinePosition {
        let mark = usize::try_from(line / self.stride).unwrap_or(usize::MAX);
        let mark = mark.min(self.marks.len().saturating_sub(1));
        let offset = self.marks.get(mark).copied().unwrap_or(0);
        LinePosition { line: mark as u64 * self.stride, offset }
    }
}

/// Reads the whole lines of a file from a position on.
pub(super) struct LineReader<'a> {
    reader: BufReader<io::Take<&'a File>>,
    line: Vec<u8>,
    /// The position of the next line.
    pub(super) next: LinePosition,
}

impl<'a> LineReader<'a> {
    pub(super) fn new(mut file: &'a File, from: LinePosition, length: u64) -> io::Result<Self> {
        file.seek(SeekFrom::Start(from.offset))?;
        let file_tail = file.take(length.saturating_sub(from.offset));
        let reader = BufReader::with_capacity(CHUNK, file_tail);
        Ok(Self { reader, line: Vec::new(), next: from })
    }

    /// Skips lines.
    pub(super) fn skip_to(&mut self, line: u64) -> io::Result<()> {
        while self.next.line < line && self.read()?.is_some() {}
        Ok(())
    }

    /// Reads the next line, with its line break; a line that is too long is cut.
    pub(super) fn read(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        let read =
            (&mut self.reader).take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        self.next.line += 1;
        self.next.offset += read as u64;
        Ok(Some(&self.line))
    }
}
