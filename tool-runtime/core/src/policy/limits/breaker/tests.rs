use std::time::{Duration, Instant};

use super::{Breaker, BreakerConfig, BreakerPermit, PROBE_RETRY_AFTER};

const MS: Duration = Duration::from_millis(1);
const OPEN: Duration = Duration::from_secs(5);

fn in_a_row(failures: u32, probes: u32) -> Breaker {
    let config = BreakerConfig::failures_in_a_row(failures)
        .and_then(|config| config.with_open_for(OPEN)?.with_probes(probes));
    Breaker::new(config.expect("it is in range"), None)
}

/// Half of at least four calls of the last ten seconds.
fn half_of_four() -> Breaker {
    let config = BreakerConfig::failure_ratio(0.5, 4, MS * 10_000)
        .and_then(|config| config.with_open_for(OPEN));
    Breaker::new(config.expect("it is in range"), None)
}

#[track_caller]
fn permit(breaker: &Breaker, now: Instant) -> BreakerPermit {
    breaker.admit(now).expect("it is admitted")
}

#[track_caller]
fn refused(breaker: &Breaker, now: Instant) -> Duration {
    breaker.admit(now).expect_err("it is refused")
}

#[test]
fn failures_in_a_row_open_it_for_a_while() {
    let (breaker, now) = (in_a_row(3, 1), Instant::now());
    for _ in 0..3 {
        permit(&breaker, now).failed(now);
    }
    assert_eq!(refused(&breaker, now), OPEN);
    assert_eq!(refused(&breaker, now + OPEN / 4), OPEN / 4 * 3);
    let _probe = permit(&breaker, now + OPEN);
}

#[test]
fn a_success_between_them_starts_the_row_again() {
    let (breaker, now) = (in_a_row(2, 1), Instant::now());
    for _ in 0..5 {
        permit(&breaker, now).failed(now);
        permit(&breaker, now).succeeded(now);
    }
    permit(&breaker, now).failed(now);
    assert!(breaker.admit(now).is_ok());
}

#[test]
fn a_dropped_permit_counts_as_neither() {
    let (breaker, now) = (in_a_row(2, 1), Instant::now());
    permit(&breaker, now).failed(now);
    for _ in 0..5 {
        drop(permit(&breaker, now));
    }
    permit(&breaker, now).failed(now);
    assert_eq!(refused(&breaker, now), OPEN);
}

#[test]
fn a_half_open_breaker_admits_its_probes_and_closes_when_all_succeed() {
    let (breaker, now) = (in_a_row(1, 2), Instant::now());
    permit(&breaker, now).failed(now);
    let later = now + OPEN;
    let (one, other) = (permit(&breaker, later), permit(&breaker, later));
    assert_eq!(refused(&breaker, later), PROBE_RETRY_AFTER);
    one.succeeded(later);
    assert_eq!(refused(&breaker, later), PROBE_RETRY_AFTER);
    other.succeeded(later);
    let _many: Vec<_> = (0..10).map(|_| permit(&breaker, later)).collect();
}

#[test]
fn a_probe_that_fails_opens_it_again_and_for_the_whole_time() {
    let (breaker, now) = (in_a_row(1, 2), Instant::now());
    permit(&breaker, now).failed(now);
    let later = now + OPEN;
    let (one, other) = (permit(&breaker, later), permit(&breaker, later));
    one.failed(later + MS);
    other.succeeded(later + MS * 2);
    assert_eq!(refused(&breaker, later + MS), OPEN);
}

#[test]
fn a_dropped_probe_may_be_repeated() {
    let (breaker, now) = (in_a_row(1, 1), Instant::now());
    permit(&breaker, now).failed(now);
    let later = now + OPEN;
    let probe = permit(&breaker, later);
    assert_eq!(refused(&breaker, later), PROBE_RETRY_AFTER);
    drop(probe);
    permit(&breaker, later).succeeded(later);
    assert!(breaker.admit(later).is_ok());
}

#[test]
fn a_call_admitted_before_a_change_of_phase_does_not_count_after_it() {
    let (breaker, now) = (in_a_row(1, 1), Instant::now());
    let (early, late) = (permit(&breaker, now), permit(&breaker, now));
    permit(&breaker, now).failed(now);
    let later = now + OPEN;
    let probe = permit(&breaker, later);
    early.succeeded(later);
    assert_eq!(refused(&breaker, later), PROBE_RETRY_AFTER);
    probe.succeeded(later);
    late.failed(later);
    assert!(breaker.admit(later).is_ok());
}

#[test]
fn a_ratio_needs_enough_calls() {
    let (breaker, now) = (half_of_four(), Instant::now());
    for _ in 0..3 {
        permit(&breaker, now).failed(now);
    }
    assert!(breaker.admit(now).is_ok());
    permit(&breaker, now).failed(now);
    assert_eq!(refused(&breaker, now), OPEN);
}

#[test]
fn a_ratio_counts_successes_against_failures() {
    let (breaker, now) = (half_of_four(), Instant::now());
    for _ in 0..3 {
        permit(&breaker, now).succeeded(now);
    }
    for _ in 0..2 {
        permit(&breaker, now).failed(now);
        assert!(breaker.admit(now).is_ok());
    }
    permit(&breaker, now).failed(now);
    assert_eq!(refused(&breaker, now), OPEN);
}

#[test]
fn a_ratio_forgets_what_left_the_window() {
    let (breaker, now) = (half_of_four(), Instant::now());
    for _ in 0..3 {
        permit(&breaker, now).failed(now);
    }
    let inside = now + MS * 9_999;
    permit(&breaker, inside).succeeded(inside);
    let outside = now + MS * 10_000;
    permit(&breaker, outside).failed(outside);
    assert!(breaker.admit(outside).is_ok());
    permit(&breaker, outside).succeeded(outside);
    permit(&breaker, outside).failed(outside);
    assert_eq!(refused(&breaker, outside), OPEN);
}

#[test]
fn a_late_report_counts_with_the_newest() {
    let (breaker, now) = (half_of_four(), Instant::now());
    let late = permit(&breaker, now);
    permit(&breaker, now).succeeded(now);
    let later = now + MS * 10_000;
    for _ in 0..3 {
        permit(&breaker, later).failed(later);
    }
    late.failed(now);
    assert_eq!(refused(&breaker, now), OPEN);
}

#[test]
fn values_out_of_range_are_refused() {
    let window = Duration::from_secs(1);
    let field = |config: Result<BreakerConfig, crate::policy::OutOfRange>| {
        config.expect_err("it is out of range").field().to_owned()
    };
    for ratio in [0.0, -1.0, 1.01, f64::NAN] {
        assert_eq!(field(BreakerConfig::failure_ratio(ratio, 1, window)), "failure_ratio");
    }
    assert_eq!(field(BreakerConfig::failure_ratio(0.5, 0, window)), "min_calls");
    assert_eq!(field(BreakerConfig::failure_ratio(0.5, 1, Duration::ZERO)), "window");
    assert_eq!(field(BreakerConfig::default().with_open_for(Duration::MAX)), "open_for");
    assert_eq!(field(BreakerConfig::default().with_probes(0)), "probes");
}
