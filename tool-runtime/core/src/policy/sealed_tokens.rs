//! Texts that a caller keeps and sends back: they are sealed, since the caller is not trusted.

use uuid::Uuid;

use super::policy_state::PolicyState;
use super::ticket::{binding, open, seal};
use crate::store::UnixMillis;

/// The length of the end of validity before the text, in bytes.
const END_LENGTH: usize = size_of::<u64>();

impl PolicyState {
    /// Seals a text for a caller of a tenant; `None` if there are no keys.
    pub fn seal_for_caller(&self, plain: &[u8], purpose: &str, tenant: Uuid) -> Option<Vec<u8>> {
        let end = self.clock.now().after(self.ticket_lifetime).get();
        let dated = [&end.to_be_bytes(), plain].concat();
        seal(&dated, self.keys.as_ref()?, &binding(purpose, tenant)).ok()
    }

    /// Opens a text that was sealed for this purpose and tenant; `None` if it was altered or its time is
    /// over.
    pub fn open_for_caller(&self, sealed: &[u8], purpose: &str, tenant: Uuid) -> Option<Vec<u8>> {
        let mut dated = open(sealed, self.keys.as_ref()?, &binding(purpose, tenant)).ok()?;
        let end = u64::from_be_bytes(dated.first_chunk::<END_LENGTH>().copied()?);
        if UnixMillis::new(end) <= self.clock.now() {
            return None;
        }
        dated.drain(..END_LENGTH);
        Some(dated)
    }

    /// Returns the time of the host's clock.
    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }
}
