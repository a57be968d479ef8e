//! `draw_site_map`: the map of a site as a picture.

use tool_runtime::prelude::*;
use tool_runtime::{Attachment, Attachments};

use super::failure::ReadError;
use crate::drawing;
use crate::guide::{Guide, Place, Poi, Route};

/// The legend of a picture.
#[ai_type]
#[derive(Debug)]
pub(crate) struct SitePicture {
    /// The site's id.
    site_id: String,
    /// The points of interest, clockwise from the top.
    points: Vec<DrawnItem>,
    /// The routes, as lines between their points.
    routes: Vec<DrawnItem>,
}

/// A point or a route of a picture.
#[ai_type]
#[derive(Debug)]
pub(crate) struct DrawnItem {
    /// The id.
    id: String,
    /// The name.
    name: String,
    /// The colour in the picture.
    colour: String,
}

/// Draws the points of interest of the site and its routes: a picture, with its legend.
///
/// The picture shows the order of the points along each route, not their distances.
#[ai_tool(effect = "read", version = "1.0.0", category = "site", timeout = "5s", evidence)]
pub(crate) async fn draw_site_map(
    guide: &Guide,
    place: &Place,
    attachments: &Attachments,
) -> Result<SitePicture, ReadError> {
    guide.site(place).await?.ok_or(ReadError::NoSite)?;
    let (pois, routes) = (guide.pois(place).await?, guide.routes(place).await?);
    let legend = SitePicture {
        site_id: place.site_id().to_owned(),
        points: pois.iter().enumerate().map(DrawnItem::of_poi).collect(),
        routes: routes.iter().enumerate().map(DrawnItem::of_route).collect(),
    };
    let drawn = tokio::task::spawn_blocking(move || drawing::site_map(&pois, &routes)).await;
    let picture = drawn.ok().flatten().ok_or(ReadError::NoPicture)?;
    let picture = Attachment::bytes("image/png", picture)
        .with_name(format!("{}.png", legend.site_id))
        .with_description("The points of interest as dots on a circle, the routes as lines.");
    attachments.add(picture).map_err(|_| ReadError::NoPicture)?;
    Ok(legend)
}

impl DrawnItem {
    fn of_poi((index, poi): (usize, &Poi)) -> Self {
        let colour = drawing::colour(index).to_owned();
        Self { id: poi.id.clone(), name: poi.name.clone(), colour }
    }

    fn of_route((index, route): (usize, &Route)) -> Self {
        let colour = drawing::colour(index).to_owned();
        Self { id: route.id.clone(), name: route.name.clone(), colour }
    }
}
