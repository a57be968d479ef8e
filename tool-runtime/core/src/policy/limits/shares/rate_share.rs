//! This replica's share of one rate.

use std::time::{Duration, Instant};

use tool_runtime_schema::canonical::Digest;

use crate::policy::RateLimit;
use crate::store::{RateReport, RateShare};

/// The calls that this replica may make under a rate before it asks for more.
pub(super) struct LocalRate {
    limit: RateLimit,
    /// The calls that are asked for at a time, at least.
    share: u32,
    /// The calls that were granted and not made.
    granted: u32,
    /// The calls that were made, and those that found no share, since the last report.
    made: u32,
    waiting: u32,
    /// True while a report that asks for calls has no answer.
    asks: bool,
    /// The time until which no replica gets more.
    refused_until: Option<Instant>,
}

/// The result of using a rate's share.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RateUse {
    /// The call may be made; if the share is low, it is time to ask for more.
    Taken { is_low: bool },
    /// The rate admits no call for this time.
    Refused(Duration),
    /// There is no share; the call waits for an exchange.
    Empty,
    /// The rate is counted in this replica alone.
    Unshared,
}

impl LocalRate {
    /// Returns a rate without a share. An exchange takes at least `pause`.
    pub(super) fn new(limit: RateLimit, pause: Duration) -> Self {
        // The calls of two pauses, or a twentieth of the burst: a larger share would be missing in other replicas.
        let interval = limit.interval().as_nanos().max(1);
        let in_pauses =
            u32::try_from((2 * pause.as_nanos()).div_ceil(interval)).unwrap_or(u32::MAX);
        let most = (limit.burst_calls() / 4).max(1);
        let share = in_pauses.max(limit.burst_calls() / 20).clamp(1, most);
        Self { limit, share, granted: 0, made: 0, waiting: 0, asks: false, refused_until: None }
    }

    pub(super) fn take(&mut self, now: Instant) -> RateUse {
        if let Some(left) = self.granted.checked_sub(1) {
            self.granted = left;
            self.made += 1;
            return RateUse::Taken { is_low: left <= self.share / 2 };
        }
        let wait = self.refused_until.map(|until| until.saturating_duration_since(now));
        if let Some(wait) = wait.filter(|wait| !wait.is_zero()) {
            return RateUse::Refused(wait);
        }
        self.waiting += 1;
        RateUse::Empty
    }

    /// Reports what is needed; none if nothing is needed and nothing is left.
    pub(super) fn report(&mut self, key: Digest) -> Option<RateReport> {
        let (made, waiting) = (std::mem::take(&mut self.made), std::mem::take(&mut self.waiting));
        let is_used = made > 0 || waiting > 0;
        let wanted = self.share.max(waiting).min(self.limit.burst_calls());
        let wanted = if is_used { wanted.saturating_sub(self.granted) } else { 0 };
        // A share that was not used since the last report is given back.
        let unused = if is_used { 0 } else { std::mem::take(&mut self.granted) };
        self.asks = wanted > 0;
        let (interval, burst) = (self.limit.interval(), self.limit.burst_calls());
        (wanted > 0 || unused > 0).then_some(RateReport { key, interval, burst, wanted, unused })
    }

    pub(super) fn apply(&mut self, wanted: u32, share: RateShare, now: Instant) {
        self.asks = false;
        self.granted = self.granted.saturating_add(share.granted);
        self.refused_until = (share.granted < wanted).then(|| now + share.wait);
    }

    /// Ends a report that has no answer.
    pub(super) const fn fail(&mut self) {
        self.asks = false;
    }

    /// Returns whether it holds nothing that a new one would not.
    pub(super) fn is_idle(&self, now: Instant) -> bool {
        self.granted == 0
            && self.made == 0
            && self.waiting == 0
            && !self.asks
            && self.refused_until.is_none_or(|until| until <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_millis(20);

    fn rate(calls: u32) -> LocalRate {
        LocalRate::new(RateLimit::per_second(calls).expect("it is in range"), PAUSE)
    }

    fn key() -> Digest {
        Digest::from_bytes([7; 32])
    }

    #[test]
    fn a_share_is_used_up_and_then_asked_for() {
        let (mut rate, now) = (rate(100), Instant::now());
        assert_eq!(rate.take(now), RateUse::Empty);
        let report = rate.report(key()).expect("it asks");
        assert_eq!((report.wanted, report.unused), (5, 0), "a twentieth of the burst");
        assert!(!rate.is_idle(now), "an answer is on its way");
        rate.apply(5, RateShare { granted: 5, wait: Duration::ZERO }, now);
        for is_low in [false, false, true, true, true] {
            assert_eq!(rate.take(now), RateUse::Taken { is_low });
        }
        assert_eq!(rate.take(now), RateUse::Empty);
    }

    #[test]
    fn a_share_that_is_not_used_is_given_back() {
        let (mut rate, now) = (rate(100), Instant::now());
        assert_eq!(rate.take(now), RateUse::Empty);
        rate.report(key()).expect("it asks");
        rate.apply(5, RateShare { granted: 5, wait: Duration::ZERO }, now);
        assert_eq!(rate.take(now), RateUse::Taken { is_low: false });
        assert_eq!(rate.report(key()).map(|report| report.wanted), Some(1));
        rate.apply(1, RateShare { granted: 1, wait: Duration::ZERO }, now);
        let report = rate.report(key()).expect("it gives back");
        assert_eq!((report.wanted, report.unused), (0, 5));
        assert!(rate.is_idle(now) && rate.report(key()).is_none());
    }

    #[test]
    fn a_rate_that_is_used_up_refuses_until_it_admits_a_call() {
        let (mut rate, now) = (rate(2), Instant::now());
        assert_eq!(rate.take(now), RateUse::Empty);
        rate.report(key()).expect("it asks");
        let wait = Duration::from_millis(300);
        rate.apply(1, RateShare { granted: 0, wait }, now);
        assert_eq!(rate.take(now), RateUse::Refused(wait));
        assert!(!rate.is_idle(now));
        assert_eq!(rate.take(now + wait), RateUse::Empty);
    }

    #[test]
    fn calls_that_wait_ask_for_what_they_need_at_most_the_burst() {
        let (mut rate, now) = (rate(100), Instant::now());
        for _ in 0..300 {
            assert_eq!(rate.take(now), RateUse::Empty);
        }
        assert_eq!(rate.report(key()).map(|report| report.wanted), Some(100));
    }
}
