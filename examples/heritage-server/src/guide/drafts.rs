//! Drafts: contents that wait for an editor.

use tool_runtime::Uuid;

use super::{Guide, NewContent, Place, at};
use crate::store::StoreError;

/// The written content, from this call or from an earlier one under the same key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) id: String,
    /// The time of the write, in RFC 3339.
    pub(crate) at: String,
}

impl Guide {
    /// Writes a content once under its key: a repeat returns the content of the first write.
    pub(crate) async fn write_once(
        &self,
        place: &Place,
        mut content: NewContent,
    ) -> Result<Written, StoreError> {
        content.id = Uuid::now_v7().to_string();
        let statements = self.writing(place, &content);
        let written = Written { id: content.id, at: content.created_at };
        if self.store.write(statements).await? > 0 {
            return Ok(written);
        }
        let key = content.written_under.unwrap_or_default();
        let sql = "SELECT id, created_at FROM contents
                   WHERE tenant_id = $1 AND site_id = $2 AND written_under = $3";
        let row = self.store.row(at(place, sql, [key.into()])).await?;
        let row = row.ok_or(StoreError::Column(0))?;
        Ok(Written { id: row.text(0)?, at: row.text(1)? })
    }

    /// Counts the contents of a site with exactly this title.
    pub(crate) async fn titled(&self, place: &Place, title: &str) -> Result<i64, StoreError> {
        let sql = "SELECT count(*) FROM contents
                   WHERE tenant_id = $1 AND site_id = $2 AND title = $3";
        let row = self.store.row(at(place, sql, [title.into()])).await?;
        row.map_or(Ok(0), |row| row.number(0))
    }
}
