//! Long answers as resources: a link in the result of a call, whose pages its caller reads.

use std::fmt;

use rmcp::ErrorData;
use rmcp::model::{ContentBlock, MetaObject, ReadResourceResult, Resource, ResourceContents};
use tool_contracts::ToolContext;
use tool_runtime_core::policy::{ExcerptInfo, OutputHandle};

use crate::state::app::App;

/// The beginning of the addresses.
const SCHEME: &str = "output:///";

/// The parameter of an address with the offset of a page.
const OFFSET: &str = "?offset=";

/// The longest page, in bytes.
const PAGE_BYTES: usize = 64 * 1024;

/// The member of `_meta` of a page with the address of the next one.
const NEXT: &str = "tool-runtime/next";

/// The address of a page of a stored answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct OutputUri {
    handle: OutputHandle,
    offset: u64,
}

impl OutputUri {
    /// Returns the address at which an excerpt goes on; `None` if the answer is not stored.
    fn after(excerpt: &ExcerptInfo) -> Option<Self> {
        Some(Self { handle: excerpt.handle()?, offset: excerpt.next() })
    }

    /// Reads an address; `None` for one of another form.
    pub(super) fn parse(uri: &str) -> Option<Self> {
        let answer = uri.strip_prefix(SCHEME)?;
        let (handle, offset) = match answer.split_once(OFFSET) {
            Some((handle, offset)) => (handle, offset.parse().ok()?),
            None => (answer, 0),
        };
        Some(Self { handle: OutputHandle::parse(handle)?, offset })
    }

    /// Reads the page.
    pub(super) async fn read(
        self,
        app: &App,
        cx: &ToolContext,
    ) -> Result<ReadResourceResult, ErrorData> {
        let Self { handle, offset } = self;
        let read = app.runtime.outputs().text_page(handle, offset, PAGE_BYTES, cx).await;
        let page = read.map_err(|_| {
            ErrorData::internal_error("the store is not available now; ask again later", None)
        })?;
        let page = page.ok_or_else(|| {
            let message = "the caller has no such answer, or it has expired; call the tool again";
            ErrorData::resource_not_found(message, None)
        })?;
        let mut contents =
            ResourceContents::text(page.text(), self.to_string()).with_mime_type("text/plain");
        if let Some(offset) = page.next() {
            let next = Self { offset, ..self }.to_string();
            let meta = MetaObject([(NEXT.to_owned(), next.into())].into_iter().collect());
            contents = contents.with_meta(meta);
        }
        Ok(ReadResourceResult::new(vec![contents]))
    }
}

/// Returns the note and the link by which the rest of an excerpt is read.
pub(super) fn continuation(excerpt: &ExcerptInfo) -> Option<(String, ContentBlock)> {
    let uri = OutputUri::after(excerpt)?.to_string();
    let note = format!("the resource {uri} goes on after this, in pages");
    let link = Resource::new(&uri, "the whole answer")
        .with_description("What the answer has beyond this excerpt, in pages.")
        .with_mime_type("text/plain")
        .with_size(excerpt.total_bytes());
    Some((note, ContentBlock::ResourceLink(link)))
}

impl fmt::Display for OutputUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.handle)?;
        if self.offset > 0 {
            write!(f, "{OFFSET}{}", self.offset)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::OutputUri;

    #[test]
    fn an_address_is_read_as_it_is_written() {
        let id = "out_0198c0de00007000800000000000abcd";
        for uri in [format!("output:///{id}"), format!("output:///{id}?offset=65536")] {
            let read = OutputUri::parse(&uri).expect("it is one");
            assert_eq!(read.to_string(), uri);
        }
        for other in [
            "output:///",
            "output:///out_1",
            "file:///out_0198c0de00007000800000000000abcd",
            "output:///out_0198c0de00007000800000000000abcd?offset=-1",
            "output:///out_0198c0de00007000800000000000abcd/x",
            "output:///out_0198c0de00007000800000000000abcd?offset=1&x",
        ] {
            assert_eq!(OutputUri::parse(other), None, "{other}");
        }
    }
}
