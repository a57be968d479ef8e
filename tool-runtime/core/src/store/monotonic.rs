//! The machine's monotonic clock, and a joint reading with the wall clock.

use std::time::Duration;

use uuid::Uuid;

use super::UnixMillis;

/// A reading of the monotonic clock that all processes of a machine share.
///
/// On Linux and Android it is `CLOCK_BOOTTIME`, which advances while the machine is suspended,
/// with the kernel's boot id. On other Unix systems it is `CLOCK_MONOTONIC`, without a boot id.
/// Elsewhere it is the process's own clock: each process counts as a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MonotonicTime {
    boot: Uuid,
    up_ms: u64,
}

impl MonotonicTime {
    /// Creates a reading from the boot id, and the milliseconds since that boot.
    #[must_use]
    pub const fn new(boot: Uuid, up_ms: u64) -> Self {
        Self { boot, up_ms }
    }

    /// Reads the operating system's clock.
    #[must_use]
    pub fn now() -> Self {
        system::read()
    }

    /// Returns the boot id; nil if the system has none.
    #[must_use]
    pub const fn boot(self) -> Uuid {
        self.boot
    }

    /// Returns the milliseconds since the boot.
    #[must_use]
    pub const fn up_ms(self) -> u64 {
        self.up_ms
    }

    /// Returns the duration since an earlier reading; none if it is of another boot, or not
    /// earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Duration> {
        let passed = self.up_ms.checked_sub(earlier.up_ms).filter(|_| self.boot == earlier.boot);
        passed.map(Duration::from_millis)
    }
}

/// A reading of the wall clock and of the monotonic clock, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockReading {
    wall: UnixMillis,
    monotonic: MonotonicTime,
}

impl ClockReading {
    /// Creates a reading from both clocks' times.
    #[must_use]
    pub const fn new(wall: UnixMillis, monotonic: MonotonicTime) -> Self {
        Self { wall, monotonic }
    }

    /// Returns the wall clock's time.
    #[must_use]
    pub const fn wall(self) -> UnixMillis {
        self.wall
    }

    /// Returns the monotonic clock's time.
    #[must_use]
    pub const fn monotonic(self) -> MonotonicTime {
        self.monotonic
    }
}

#[cfg(unix)]
mod system {
    use rustix::time::{ClockId, clock_gettime};
    use uuid::Uuid;

    use super::MonotonicTime;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: ClockId = ClockId::Monotonic;

    pub(super) fn read() -> MonotonicTime {
        let time = clock_gettime(CLOCK);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let millis = u64::try_from(time.tv_nsec).unwrap_or_default() / 1_000_000;
        MonotonicTime::new(boot(), seconds.saturating_mul(1_000).saturating_add(millis))
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn boot() -> Uuid {
        use std::fs;
        use std::sync::OnceLock;

        static BOOT: OnceLock<Uuid> = OnceLock::new();
        *BOOT.get_or_init(|| {
            let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
            Uuid::try_parse(text.trim()).unwrap_or_default()
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn boot() -> Uuid {
        Uuid::nil()
    }
}

#[cfg(not(unix))]
mod system {
    use std::sync::OnceLock;
    use std::time::Instant;

    use uuid::Uuid;

    use super::MonotonicTime;
    use crate::timer::whole_millis;

    pub(super) fn read() -> MonotonicTime {
        static START: OnceLock<(Uuid, Instant)> = OnceLock::new();
        let (process, start) = START.get_or_init(|| (Uuid::now_v7(), Instant::now()));
        let up_ms = whole_millis(start.elapsed());
        MonotonicTime::new(*process, up_ms)
    }
}
