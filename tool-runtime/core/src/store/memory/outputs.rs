//! Outputs in memory.

use async_trait::async_trait;
use uuid::Uuid;

use super::quota_map::{QuotaEntry, QuotaMap, StoreQuota};
use super::{MemoryStore, locked};
use crate::store::{OutputSlice, OutputStore, StoreError, StoredOutput, UnixMillis};

#[async_trait]
impl OutputStore for MemoryStore {
    async fn put_output(&self, output: StoredOutput) -> Result<(), StoreError> {
        locked(&self.outputs)?.put(output)
    }

    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        limit: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError> {
        let outputs = locked(&self.outputs)?;
        let output = outputs.0.get(&id).filter(|output| {
            output.tenant == tenant && *output.principal == *principal && output.expires_at > now
        });
        Ok(output.map(|output| slice(&output.text, offset, limit)))
    }

    async fn sweep_outputs(&self, now: UnixMillis, limit: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.outputs)?.0.sweep(now, limit))
    }
}

pub(super) struct MemoryOutputs(QuotaMap<Uuid, StoredOutput>);

impl MemoryOutputs {
    pub(super) fn new(quota: StoreQuota) -> Self {
        Self(QuotaMap::new(quota))
    }

    fn put(&mut self, output: StoredOutput) -> Result<(), StoreError> {
        if self.0.get(&output.id).is_some() {
            return Ok(());
        }
        let bytes = output.text.len().saturating_add(output.principal.len());
        let (tenant, expires_at) = (output.tenant, Some(output.expires_at));
        self.0.put(output.id, QuotaEntry { tenant, value: output, bytes, expires_at })
    }
}

fn slice(text: &[u8], offset: u64, limit: usize) -> OutputSlice {
    let total = text.len();
    let start = usize::try_from(offset).map_or(total, |offset| offset.min(total));
    let end = start.saturating_add(limit).min(total);
    OutputSlice::new(text[start..end].to_vec(), u64::try_from(total).unwrap_or(u64::MAX))
}
