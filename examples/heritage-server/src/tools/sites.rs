//! `get_site_map`: where things are.

use tool_runtime::prelude::*;

use super::failure::ReadError;
use crate::guide::{Guide, Place, Poi, Route};

/// A site's map.
#[ai_type]
#[derive(Debug)]
pub(crate) struct SiteMap {
    /// The site.
    site_id: String,
    /// What it is called.
    site_name: String,
    /// Its points of interest; none if they were not asked for.
    pois: Vec<Poi>,
    /// Its routes; none if they were not asked for.
    routes: Vec<Route>,
}

/// Gets the map of the site: its points of interest, and the routes between them.
#[ai_tool(effect = "read", version = "1.0.0", category = "site", timeout = "5s", evidence)]
pub(crate) async fn get_site_map(
    guide: &Guide,
    place: &Place,
    /// Whether to return the points of interest.
    #[arg(default = true)]
    include_pois: bool,
    /// Whether to return the routes.
    #[arg(default = false)]
    include_routes: bool,
) -> Result<SiteMap, ReadError> {
    let site = guide.site(place).await?.ok_or(ReadError::NoSite)?;
    let pois = if include_pois { guide.pois(place).await? } else { Vec::new() };
    let routes = if include_routes { guide.routes(place).await? } else { Vec::new() };
    Ok(SiteMap { site_id: place.site_id().to_owned(), site_name: site.name, pois, routes })
}
