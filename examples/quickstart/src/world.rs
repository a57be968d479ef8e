//! The tools: the IANA time zones and the ISO currencies, and a diary of meetings.

use std::sync::{Mutex, PoisonError};

use iso_currency::{Currency, IntoEnumIterator};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, tz};
use tool_runtime::prelude::*;

/// Facts about time zones and currencies, and a diary with one line per meeting.
#[derive(Debug, Default)]
pub(crate) struct World {
    diary: Mutex<Vec<String>>,
}

/// A point in time in one zone.
#[ai_type]
#[derive(Debug)]
pub(crate) struct LocalTime {
    /// The zone's IANA name.
    zone: String,
    /// The local date and time, with its offset from UTC.
    local: String,
    /// True if daylight saving time is in force.
    daylight_saving: bool,
}

/// One currency of ISO 4217.
#[ai_type]
#[derive(Debug)]
pub(crate) struct CurrencyFacts {
    /// The currency's name.
    name: String,
    /// The currency's symbol.
    symbol: String,
    /// Digits after the decimal point; none for units that are not divided.
    minor_digits: Option<u16>,
    /// The number of countries and territories that use the currency.
    countries: usize,
}

/// Some of the zones that were found.
#[ai_type]
#[derive(Debug)]
pub(crate) struct Zones {
    /// IANA names, in alphabetical order.
    names: Vec<String>,
    /// The total number of matching zones.
    total: usize,
}

/// The error of a question without an answer.
#[derive(Debug, ToolFailure)]
pub(crate) enum WorldError {
    #[failure(NOT_FOUND, message = "no such IANA time zone; look for one with world.find_zones")]
    Zone,
    #[failure(NOT_FOUND, message = "no such ISO 4217 currency code")]
    Currency,
    #[failure(INVALID_ARGUMENT, message = "`at` is no time as in 2026-03-29T01:30:00Z")]
    Instant,
    #[failure(INVALID_ARGUMENT, message = "`at` is no local time as in 2026-03-30T09:00:00")]
    Local,
}

/// Time zones and currencies.
#[ai_toolkit]
impl World {
    /// Finds IANA time zones by a part of their name.
    #[ai_tool(effect = "read", version = "1.0.0", category = "time", ttl = "1h")]
    fn find_zones(
        /// A part of the name; case does not matter.
        #[arg(length(1..=40), example = "pacific")]
        query: &str,
        /// The maximum number of names to return.
        #[arg(default = 10, range(1..=50))]
        limit: usize,
    ) -> Zones {
        let wanted = query.to_lowercase();
        let mut found: Vec<_> = tz::db()
            .available()
            .map(|name| name.to_string())
            .filter(|name| name.to_lowercase().contains(&wanted))
            .collect();
        found.sort();
        Zones { total: found.len(), names: found.into_iter().take(limit).collect() }
    }

    /// Returns the local time in a zone at an instant.
    #[ai_tool(effect = "read", version = "1.0.0", category = "time")]
    fn time_in(
        /// The zone's IANA name, such as Asia/Tokyo.
        zone: &str,
        /// The instant, such as 2026-03-29T01:30:00Z.
        at: String,
    ) -> Result<LocalTime, WorldError> {
        let instant: Timestamp = at.parse().map_err(|_| WorldError::Instant)?;
        let local = instant.to_zoned_datetime(find_zone(zone)?);
        let daylight_saving = local.time_zone().to_offset_info(instant).dst().is_dst();
        Ok(LocalTime {
            zone: zone.to_owned(),
            local: local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            daylight_saving,
        })
    }

    /// Returns the facts about a currency.
    #[ai_tool(effect = "read", version = "1.0.0", category = "money", ttl = "24h")]
    fn currency(
        /// The ISO 4217 code, such as EUR.
        #[arg(pattern = "^[A-Z]{3}$")]
        code: String,
    ) -> Result<CurrencyFacts, WorldError> {
        let currency =
            Currency::iter().find(|one| one.code() == code).ok_or(WorldError::Currency)?;
        Ok(CurrencyFacts {
            name: currency.name().to_owned(),
            symbol: currency.symbol().to_string(),
            minor_digits: currency.exponent(),
            countries: currency.used_by().len(),
        })
    }

    /// Writes a meeting into the diary.
    #[ai_tool(effect = "write", version = "1.0.0", category = "time", title = "Schedule a meeting")]
    fn schedule(
        &self,
        dry_run: &DryRun,
        /// The subject of the meeting.
        #[arg(length(1..=80))]
        title: String,
        /// The IANA name of the zone of `at`.
        zone: String,
        /// The local time, such as 2026-03-30T09:00:00.
        at: String,
    ) -> Result<String, WorldError> {
        let local: DateTime = at.parse().map_err(|_| WorldError::Local)?;
        let start = local.to_zoned_datetime(find_zone(&zone)?).map_err(|_| WorldError::Local)?;
        let line = format!("{} {title}", start.timestamp());
        if !dry_run.is_active() {
            self.diary.lock().unwrap_or_else(PoisonError::into_inner).push(line.clone());
        }
        Ok(line)
    }
}

fn find_zone(name: &str) -> Result<TimeZone, WorldError> {
    TimeZone::get(name).map_err(|_| WorldError::Zone)
}

#[cfg(test)]
impl World {
    /// Counts the meetings in the diary.
    pub(crate) fn meetings(&self) -> usize {
        self.diary.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
