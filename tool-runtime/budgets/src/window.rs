//! The times in which a limit counts: windows of the calendar, rolling ones, and the life of a run.

use std::fmt;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{RoundMode, Span, Timestamp, ToSpan, Unit, ZonedDateTime, ZonedDateTimeRound};
use tool_runtime_core::store::UnixMillis;

/// The time for which a window of the calendar is stored after its end, so that it can be listed.
pub(crate) const KEEP_ENDED: Duration = Duration::from_secs(35 * 24 * 60 * 60);

/// The parts of a rolling window: amounts of one part are forgotten together.
const PARTS: u32 = 60;

/// The shortest rolling window.
pub(crate) const SHORTEST_ROLLING: Duration = Duration::from_secs(60);

/// The longest rolling window: ten years.
pub(crate) const LONGEST_ROLLING: Duration = Duration::from_secs(3_653 * 24 * 60 * 60);

/// The time in which the amounts of a limit add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Window {
    /// One call alone.
    Call,
    /// One run of an agent: the context's `run_id`.
    Run,
    /// One session: the context's `session_id`.
    Session,
    /// An hour of the clock.
    Hour,
    /// A day of the calendar.
    Day,
    /// A week of the calendar, from Monday.
    Week,
    /// A month of the calendar.
    Month,
    /// The time before the call, of this length. It counts in sixtieths of the window, and an amount is forgotten when
    /// the sixtieth that it is in has left the window: up to a sixtieth later than by the second.
    Rolling(Duration),
    /// For ever.
    Lifetime,
}

/// The period of a window that a call falls into.
pub(crate) struct Period {
    /// The start of the period that amounts are added to.
    pub(crate) start: UnixMillis,
    /// The start of the first period that counts.
    pub(crate) since: UnixMillis,
    /// The time at which the whole limit is there again; none if there is no such time.
    pub(crate) end: Option<UnixMillis>,
    /// The time for which the period is stored from now on; for ever if none.
    pub(crate) keep: Option<Duration>,
}

/// The name of a limit in stores, envelopes and records: `day`, `rolling 3600s`.
impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "call",
            Self::Run => "run",
            Self::Session => "session",
            Self::Hour => "hour",
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Rolling(time) => return write!(f, "rolling {}s", time.as_secs()),
            Self::Lifetime => "lifetime",
        })
    }
}

impl Window {
    /// Returns the words for a sentence about what is left: `today`, `for this run`.
    pub(crate) fn words(self) -> String {
        match self {
            Self::Call => "for one call".to_owned(),
            Self::Run => "for this run".to_owned(),
            Self::Session => "for this session".to_owned(),
            Self::Hour => "for this hour".to_owned(),
            Self::Day => "today".to_owned(),
            Self::Week => "for this week".to_owned(),
            Self::Month => "for this month".to_owned(),
            Self::Rolling(time) => format!("for {}", length(time)),
            Self::Lifetime => "in all".to_owned(),
        }
    }

    /// Returns the period at a time; none if the calendar of the zone does not have this time.
    pub(crate) fn period(self, now: UnixMillis, zone: &TimeZone) -> Option<Period> {
        match self {
            // Runs and sessions are accounts of their own; a call alone has none.
            Self::Call | Self::Lifetime => Some(Period::whole(None)),
            Self::Run | Self::Session => Some(Period::whole(Some(KEEP_ENDED))),
            Self::Hour | Self::Day | Self::Week | Self::Month => self.calendar_period(now, zone),
            Self::Rolling(time) => Some(Period::rolling(now, time)),
        }
    }

    fn calendar_period(self, now: UnixMillis, zone: &TimeZone) -> Option<Period> {
        let timestamp = Timestamp::from_millisecond(i64::try_from(now.get()).ok()?).ok()?;
        let zoned = timestamp.to_zoned_datetime(zone.clone());
        let (start, length) = self.calendar_start(&zoned).ok()?;
        let end = start.checked_add(length).ok()?;
        let (start, end) = (millis(&start)?, millis(&end)?);
        let keep = end.since(now).saturating_add(KEEP_ENDED);
        Some(Period { start, since: start, end: Some(end), keep: Some(keep) })
    }

    fn calendar_start(self, now: &ZonedDateTime) -> Result<(ZonedDateTime, Span), jiff::Error> {
        Ok(match self {
            Self::Hour => {
                let hour = ZonedDateTimeRound::new().smallest(Unit::Hour).mode(RoundMode::Trunc);
                (now.round(hour)?, 1.hour())
            }
            Self::Week => {
                let days = now.date().weekday().to_monday_zero_offset();
                let monday = now.date().checked_sub(days.days())?;
                (monday.to_zoned_datetime(now.time_zone().clone())?.start_of_day()?, 1.week())
            }
            Self::Month => (now.first_of_month()?.start_of_day()?, 1.month()),
            Self::Call
            | Self::Run
            | Self::Session
            | Self::Day
            | Self::Rolling(_)
            | Self::Lifetime => (now.start_of_day()?, 1.day()),
        })
    }
}

impl Period {
    /// The one period of a limit that never renews.
    fn whole(keep: Option<Duration>) -> Self {
        let start = UnixMillis::new(0);
        Self { start, since: start, end: None, keep }
    }

    fn rolling(now: UnixMillis, time: Duration) -> Self {
        let part = u64::try_from((time / PARTS).as_millis()).unwrap_or(u64::MAX).max(1);
        let floor = |time: UnixMillis| UnixMillis::new(time.get() / part * part);
        let (start, since) = (floor(now), floor(now.before(time)));
        // The store's time does not follow a wall clock that is set.
        Self { start, since, end: None, keep: Some(time.saturating_add(KEEP_ENDED)) }
    }
}

fn millis(zoned: &ZonedDateTime) -> Option<UnixMillis> {
    u64::try_from(zoned.timestamp().as_millisecond()).ok().map(UnixMillis::new)
}

fn length(time: Duration) -> String {
    let seconds = time.as_secs();
    let (number, unit) = match seconds {
        0..3_600 => (seconds / 60, "minute"),
        3_600..86_400 => (seconds / 3_600, "hour"),
        86_400.. => (seconds / 86_400, "day"),
    };
    if number == 1 { format!("the last {unit}") } else { format!("the last {number} {unit}s") }
}

/// Finds a time zone by its name.
///
/// # Errors
/// Says what to write in place of the name.
pub(crate) fn time_zone(name: &str) -> Result<TimeZone, String> {
    TimeZone::get(name).map_err(|_| {
        format!(
            "no time zone is named `{name}`: use a name of the IANA database, such as `Europe/Berlin`"
        )
    })
}
