//! Draws the points of interest of a village and its routes, as a picture for people and models.

use tiny_skia::{Color, FillRule, LineCap, Paint, PathBuilder, Pixmap, Stroke, Transform};

use crate::guide::{Poi, Route};

/// The width and the height of the picture, in pixels.
const SIDE: u16 = 480;
/// The distance of the points from the centre.
const RADIUS: f32 = 180.0;
const DOT: f32 = 16.0;
const LINE: f32 = 6.0;

/// The colours of points and routes, by their order; they repeat after the last one.
const COLOURS: [(&str, [u8; 3]); 8] = [
    ("red", [214, 39, 40]),
    ("blue", [31, 119, 180]),
    ("green", [44, 160, 44]),
    ("orange", [255, 127, 14]),
    ("purple", [148, 103, 189]),
    ("brown", [140, 86, 75]),
    ("pink", [227, 119, 194]),
    ("grey", [127, 127, 127]),
];

/// Returns the name of the colour that the point or the route with this index has.
pub(crate) fn colour(index: usize) -> &'static str {
    COLOURS[index % COLOURS.len()].0
}

/// Draws points on a circle, clockwise from the top, and routes as lines between them: a PNG.
///
/// None if the picture cannot be encoded.
pub(crate) fn site_map(pois: &[Poi], routes: &[Route]) -> Option<Vec<u8>> {
    let mut picture = Pixmap::new(SIDE.into(), SIDE.into())?;
    picture.fill(Color::WHITE);
    for (index, route) in routes.iter().enumerate() {
        draw_route(&mut picture, pois, route, index);
    }
    for index in 0..pois.len() {
        draw_point(&mut picture, place(index, pois.len()), index);
    }
    picture.encode_png().ok()
}

fn draw_route(picture: &mut Pixmap, pois: &[Poi], route: &Route, index: usize) {
    let indices = route.pois.iter().filter_map(|id| pois.iter().position(|poi| poi.id == *id));
    let mut path = PathBuilder::new();
    for (x, y) in indices.map(|index| place(index, pois.len())) {
        if path.is_empty() { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    let Some(path) = path.finish() else { return };
    let stroke = Stroke { width: LINE, line_cap: LineCap::Round, ..Stroke::default() };
    picture.stroke_path(&path, &paint(index), &stroke, Transform::identity(), None);
}

fn draw_point(picture: &mut Pixmap, (x, y): (f32, f32), index: usize) {
    let Some(dot) = PathBuilder::from_circle(x, y, DOT) else { return };
    picture.fill_path(&dot, &paint(index), FillRule::Winding, Transform::identity(), None);
}

/// Returns the place of a point on the circle.
#[allow(clippy::cast_precision_loss, reason = "a village has few points of interest")]
fn place(index: usize, count: usize) -> (f32, f32) {
    let centre = f32::from(SIDE) / 2.0;
    let (sine, cosine) = (std::f32::consts::TAU * index as f32 / count as f32).sin_cos();
    (centre + RADIUS * sine, centre - RADIUS * cosine)
}

fn paint(index: usize) -> Paint<'static> {
    let [red, green, blue] = COLOURS[index % COLOURS.len()].1;
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(red, green, blue, 255);
    paint
}
