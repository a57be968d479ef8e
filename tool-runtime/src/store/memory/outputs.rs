//! Kept outputs in memory.

use async_trait::async_trait;
use uuid::Uuid;

use super::shelf::{Entry, Room, Shelf};
use super::{Memory, locked};
use crate::store::{KeptOutput, OutputSlice, OutputStore, StoreError, UnixMillis};

#[async_trait]
impl OutputStore for Memory {
    async fn put_output(&self, output: KeptOutput) -> Result<(), StoreError> {
        locked(&self.outputs)?.put(output)
    }

    async fn read_output(
        &self,
        id: Uuid,
        tenant: Uuid,
        principal: &str,
        offset: u64,
        most: usize,
        now: UnixMillis,
    ) -> Result<Option<OutputSlice>, StoreError> {
        let outputs = locked(&self.outputs)?;
        let output = outputs.0.get(&id).filter(|output| {
            output.tenant == tenant && *output.principal == *principal && output.expires_at > now
        });
        Ok(output.map(|output| slice(&output.text, offset, most)))
    }

    async fn sweep_outputs(&self, now: UnixMillis, most: usize) -> Result<usize, StoreError> {
        Ok(locked(&self.outputs)?.0.sweep(now, most))
    }
}

pub(super) struct Outputs(Shelf<Uuid, KeptOutput>);

impl Outputs {
    pub(super) fn new(room: Room) -> Self {
        Self(Shelf::new(room))
    }

    fn put(&mut self, output: KeptOutput) -> Result<(), StoreError> {
        if self.0.get(&output.id).is_some() {
            return Ok(());
        }
        let bytes = output.text.len().saturating_add(output.principal.len());
        let (tenant, over_at) = (output.tenant, Some(output.expires_at));
        self.0.put(output.id, Entry { tenant, value: output, bytes, over_at })
    }
}

fn slice(text: &[u8], offset: u64, most: usize) -> OutputSlice {
    let total = text.len();
    let start = usize::try_from(offset).map_or(total, |offset| offset.min(total));
    let end = start.saturating_add(most).min(total);
    OutputSlice::new(text[start..end].to_vec(), u64::try_from(total).unwrap_or(u64::MAX))
}
