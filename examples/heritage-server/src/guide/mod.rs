//! The guide's data: its tables, and the statements on them.
//!
//! Every statement is bound to a [`Place`]; none reads or writes without one.

mod contents;
mod drafts;
mod events;
mod npcs;
mod place;
mod search;
mod seed;
mod sites;

pub(crate) use self::contents::{Content, NewContent, Status};
pub(crate) use self::events::NewEvent;
pub(crate) use self::npcs::{NpcProfile, PromptType};
pub(crate) use self::place::Place;
pub(crate) use self::search::Question;
#[cfg(test)]
pub(crate) use self::seed::{tenant, village};
pub(crate) use self::sites::{Poi, Route};

use std::sync::Arc;

use crate::store::{Statement, Store, StoreError, Value};
use crate::words::Words;

/// The guide's tables and its text analysis. Tools borrow it.
#[derive(Debug, Clone)]
pub(crate) struct Guide {
    store: Store,
    words: Arc<Words>,
}

impl Guide {
    /// Opens the tables at a database's URL, and fills those that are empty.
    ///
    /// # Errors
    /// The database cannot be opened, brought up to date or written.
    pub(crate) async fn open(url: &str) -> Result<Self, StoreError> {
        let words = tokio::task::spawn_blocking(Words::new);
        let words = words.await.map_err(|_| StoreError::Ended)?;
        Self::with_words(url, Arc::new(words)).await
    }

    /// Like [`open`](Self::open), with a dictionary that was read before.
    pub(crate) async fn with_words(url: &str, words: Arc<Words>) -> Result<Self, StoreError> {
        let guide = Self { store: Store::open(url).await?, words };
        guide.seed().await?;
        Ok(guide)
    }

    /// Checks that the database responds.
    pub(crate) async fn is_there(&self) -> Result<(), StoreError> {
        self.store.row(Statement::new("SELECT 1 = 1", [])).await.map(|_| ())
    }

    #[cfg(test)]
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }
}

/// Makes a statement whose first two parameters are the tenant and the site.
fn at(place: &Place, sql: impl Into<String>, values: impl IntoIterator<Item = Value>) -> Statement {
    let own = [place.tenant_id().to_string().into(), place.site_id().into()];
    Statement::new(sql, own.into_iter().chain(values).collect::<Vec<_>>())
}
