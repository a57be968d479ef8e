//! `get_site_map`: the map of a site.

use tool_runtime::prelude::*;

use super::failure::ReadError;
use crate::guide::{Guide, Place, Poi, Route};

/// A site's map.
#[ai_type]
#[derive(Debug)]
pub(crate) struct SiteMap {
    /// The site's id.
    site_id: String,
    /// The site's name.
    site_name: String,
    /// The points of interest; empty if not requested.
    pois: Vec<Poi>,
    /// The routes; empty if not requested.
    routes: Vec<Route>,
}

/// Gets the map of the site: its points of interest, and the routes between them.
#[ai_tool(effect = "read", version = "1.0.0", category = "site", timeout = "5s", evidence)]
pub(crate) async fn get_site_map(
    guide: &Guide,
    place: &Place,
    /// True to return the points of interest.
    #[arg(default = true)]
    include_pois: bool,
    /// True to return the routes.
    #[arg(default = false)]
    include_routes: bool,
) -> Result<SiteMap, ReadError> {
    let site = guide.site(place).await?.ok_or(ReadError::NoSite)?;
    let pois = if include_pois { guide.pois(place).await? } else { Vec::new() };
    let routes = if include_routes { guide.routes(place).await? } else { Vec::new() };
    Ok(SiteMap { site_id: place.site_id().to_owned(), site_name: site.name, pois, routes })
}
