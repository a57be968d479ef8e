//! The places of a village: sites, points of interest, and routes between them.

use tool_runtime::prelude::*;

use super::{Guide, Place, at};
use crate::store::StoreError;

/// A village.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Site {
    pub(crate) name: String,
}

/// A point of interest.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Poi {
    /// The point's id, which routes refer to.
    pub(crate) id: String,
    /// The point's name.
    pub(crate) name: String,
    /// The type of point, such as `heritage`.
    #[serde(rename = "type")]
    pub(crate) kind: String,
}

/// A route along points of interest.
#[ai_type]
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Route {
    /// The route's id.
    pub(crate) id: String,
    /// The point's name.
    pub(crate) name: String,
    /// The duration on foot, in minutes.
    pub(crate) minutes: i64,
    /// The points' ids, in order.
    pub(crate) pois: Vec<String>,
}

impl Guide {
    /// Finds the site itself.
    pub(crate) async fn site(&self, place: &Place) -> Result<Option<Site>, StoreError> {
        let sql = "SELECT name FROM sites WHERE tenant_id = $1 AND site_id = $2";
        let row = self.store.row(at(place, sql, [])).await?;
        row.map(|row| Ok(Site { name: row.text(0)? })).transpose()
    }

    /// Lists a site's points of interest, in display order.
    pub(crate) async fn pois(&self, place: &Place) -> Result<Vec<Poi>, StoreError> {
        let sql = "SELECT id, name, type FROM pois
                   WHERE tenant_id = $1 AND site_id = $2 ORDER BY position";
        let rows = self.store.rows(at(place, sql, [])).await?;
        let poi = rows
            .iter()
            .map(|row| Ok(Poi { id: row.text(0)?, name: row.text(1)?, kind: row.text(2)? }));
        poi.collect()
    }

    /// Lists a site's routes, in display order.
    pub(crate) async fn routes(&self, place: &Place) -> Result<Vec<Route>, StoreError> {
        let sql = "SELECT id, name, minutes, pois FROM routes
                   WHERE tenant_id = $1 AND site_id = $2 ORDER BY position";
        let rows = self.store.rows(at(place, sql, [])).await?;
        let route = rows.iter().map(|row| {
            let (id, name) = (row.text(0)?, row.text(1)?);
            Ok(Route { id, name, minutes: row.number(2)?, pois: row.json(3)? })
        });
        route.collect()
    }
}
