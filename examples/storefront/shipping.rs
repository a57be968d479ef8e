//! `shipping`: the services for a parcel, and their prices.
//!
//! The prices are this shop's own: a base, a price for each started 100 km, and a share of the
//! goods' value for insurance. The distances are real.

use tool_runtime::EvidenceRecorder;
use tool_runtime::prelude::*;

use crate::data::{Point, Sku};
use crate::money::{CurrencyCode, Money, Share};
use crate::shop::{Basket, Destination, Place, Shop, ShopError};
use crate::sources::SHIPPED_PRICES;

/// The tools for shipping.
#[derive(Debug)]
pub(crate) struct Shipping;

/// A shipping service.
#[ai_type]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Service {
    /// Registered and insured post.
    InsuredPost,
    /// An express courier.
    Courier,
    /// An armoured carrier, for goods worth 10,000 USD or more.
    Armoured,
}

/// The price and the duration of a shipping service.
#[ai_type]
#[derive(Debug)]
pub(crate) struct ShippingOption {
    /// The shipping service.
    pub(crate) service: Service,
    /// The price, including insurance.
    pub(crate) price: Money,
    /// Days until arrival.
    pub(crate) days: i64,
}

/// The shipping services, cheapest first.
#[ai_type]
#[derive(Debug)]
pub(crate) struct ShippingOptions {
    /// The destination's name.
    to: String,
    /// The distance from New York, in km; absent inside the country, where it is not charged.
    distance_km: Option<i64>,
    /// The available services.
    options: Vec<ShippingOption>,
}

/// The error of shipping goods.
#[derive(Debug, ToolFailure)]
pub(crate) enum ShippingError {
    #[failure(transparent)]
    Shop(ShopError),
    #[failure(
        INVALID_ARGUMENT,
        message = "this service does not carry goods of this value; see shipping.quote_options"
    )]
    NotCarried,
}

impl From<ShopError> for ShippingError {
    fn from(error: ShopError) -> Self {
        Self::Shop(error)
    }
}

/// Shipping of parcels.
#[ai_toolkit]
impl Shipping {
    /// Lists the shipping services for stones, cheapest first, with prices and days.
    #[ai_tool(
        effect = "read",
        version = "1.0.0",
        category = "commerce",
        ttl = "30s",
        shared,
        evidence
    )]
    fn quote_options(
        shop: &Shop,
        evidence: &EvidenceRecorder,
        /// The stones' numbers.
        #[arg(length(1..=10))]
        skus: Vec<Sku>,
        /// The destination of the stones.
        to: Destination,
        /// The currency to quote in.
        #[arg(default = CurrencyCode::USD)]
        currency: CurrencyCode,
    ) -> Result<ShippingOptions, ShopError> {
        let (basket, place) = (shop.basket(&skus, currency)?, shop.place(&to)?);
        shop.cite(evidence, SHIPPED_PRICES);
        let mut options = Vec::new();
        for service in [Service::InsuredPost, Service::Courier, Service::Armoured] {
            match option(shop, &basket, &place, service) {
                Ok(option) => options.push(option),
                Err(ShippingError::NotCarried) => {}
                Err(ShippingError::Shop(error)) => return Err(error),
            }
        }
        options.sort_by_key(|option| option.price.minor_units());
        let to = place.country.name.clone();
        let distance_km = (!place.is_home()).then(|| distance_km(&place));
        Ok(ShippingOptions { to, distance_km, options })
    }
}

/// A service's prices in US dollars, and the insured values.
struct Tariff {
    base: i64,
    cents_per_100_km: i64,
    insurance: Share,
    from: i64,
    up_to: i64,
    days: i64,
    km_per_day: i64,
}

impl Service {
    const fn tariff(self) -> Tariff {
        match self {
            Self::InsuredPost => Tariff {
                base: 25,
                cents_per_100_km: 40,
                insurance: Share::basis_points(50),
                from: 0,
                up_to: 50_000,
                days: 3,
                km_per_day: 2_000,
            },
            Self::Courier => Tariff {
                base: 60,
                cents_per_100_km: 90,
                insurance: Share::basis_points(80),
                from: 0,
                up_to: 100_000,
                days: 1,
                km_per_day: 4_000,
            },
            Self::Armoured => Tariff {
                base: 250,
                cents_per_100_km: 150,
                insurance: Share::basis_points(25),
                from: 10_000,
                up_to: i64::MAX / 100,
                days: 1,
                km_per_day: 6_000,
            },
        }
    }
}

/// Prices one service in the basket's currency.
pub(crate) fn option(
    shop: &Shop,
    basket: &Basket,
    place: &Place<'_>,
    service: Service,
) -> Result<ShippingOption, ShippingError> {
    let tariff = service.tariff();
    let currency = basket.goods.currency();
    let worth = shop.convert(basket.goods, CurrencyCode::USD)?.minor_units();
    if worth < tariff.from * 100 || worth > tariff.up_to * 100 {
        return Err(ShippingError::NotCarried);
    }
    // Inside the country there is no price by distance.
    let km = if place.is_home() { 0 } else { distance_km(place) };
    let by_distance = Money::new(tariff.cents_per_100_km, CurrencyCode::USD).times(begun(km, 100));
    let carriage = Money::sum(CurrencyCode::USD, [Money::dollars(tariff.base), by_distance]);
    let price = Money::sum(
        currency,
        [shop.convert(carriage, currency)?, basket.goods.share(tariff.insurance)],
    );
    Ok(ShippingOption { service, price, days: tariff.days + begun(km, tariff.km_per_day) })
}

const NEW_YORK: Point = Point { latitude: 40.714, longitude: -74.006 };

/// Returns the distance of a country's farthest chief city, so that no quote is too low.
#[allow(clippy::cast_possible_truncation, reason = "no two places are 2^63 km apart")]
fn distance_km(place: &Place<'_>) -> i64 {
    let distances = place.country.cities.iter().map(|city| great_circle_km(NEW_YORK, *city));
    distances.fold(0.0, f64::max).ceil() as i64
}

/// Measures along the surface of the earth, by the haversine formula.
fn great_circle_km(from: Point, to: Point) -> f64 {
    const EARTH_RADIUS_KM: f64 = 6_371.0;
    let half_sine = |from: f64, to: f64| ((to - from).to_radians() / 2.0).sin().powi(2);
    let scale = from.latitude.to_radians().cos() * to.latitude.to_radians().cos();
    let haversine =
        half_sine(from.latitude, to.latitude) + scale * half_sine(from.longitude, to.longitude);
    2.0 * EARTH_RADIUS_KM * haversine.sqrt().asin()
}

/// Counts the steps, including a started one.
fn begun(amount: i64, step: i64) -> i64 {
    (amount + step - 1) / step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_great_circle_from_new_york_to_london_is_5570_km() {
        let london = Point { latitude: 51.508, longitude: -0.125 };
        assert!((great_circle_km(NEW_YORK, london) - 5_570.0).abs() < 5.0);
    }
}
