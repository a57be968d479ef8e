//! Events of visitors.

use tool_runtime::Uuid;
use tool_runtime::serde_json::{Map, Value};

use super::drafts::Written;
use super::{Guide, Place, at};
use crate::store::StoreError;

/// An action of a visitor.
#[derive(Debug, Clone)]
pub(crate) struct NewEvent {
    pub(crate) event_type: String,
    pub(crate) event_data: Map<String, Value>,
    pub(crate) user_id: Option<String>,
    pub(crate) session_id: Option<String>,
    pub(crate) trace_id: String,
    /// The time of the event, in RFC 3339.
    pub(crate) logged_at: String,
    /// The idempotency key of the write.
    pub(crate) written_under: Option<String>,
}

impl Guide {
    /// Writes an event once under its key: a repeat returns the event of the first write.
    pub(crate) async fn log_once(
        &self,
        place: &Place,
        event: NewEvent,
    ) -> Result<Written, StoreError> {
        let written = Written { id: Uuid::now_v7().to_string(), at: event.logged_at };
        let key = event.written_under;
        let sql =
            "INSERT INTO user_events (tenant_id, site_id, id, event_type, event_data, user_id,
                       session_id, trace_id, logged_at, written_under)
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING";
        let values = [
            written.id.as_str().into(),
            event.event_type.into(),
            Value::Object(event.event_data).to_string().into(),
            event.user_id.into(),
            event.session_id.into(),
            event.trace_id.into(),
            written.at.as_str().into(),
            key.clone().into(),
        ];
        if self.store.write(vec![at(place, sql, values)]).await? > 0 {
            return Ok(written);
        }
        let sql = "SELECT id, logged_at FROM user_events
                   WHERE tenant_id = $1 AND site_id = $2 AND written_under = $3";
        let row = self.store.row(at(place, sql, [key.into()])).await?;
        let row = row.ok_or(StoreError::Column(0))?;
        Ok(Written { id: row.text(0)?, at: row.text(1)? })
    }
}
