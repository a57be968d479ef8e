//! A clock of the machine that cannot be set, and a reading of it beside the wall clock.

use std::time::Duration;

use uuid::Uuid;

use super::UnixMillis;

/// A reading of a clock that cannot be set and that all processes of a machine share.
///
/// On Linux and Android it is `CLOCK_BOOTTIME`, which goes on while the machine is suspended, and
/// the kernel's boot id. On other Unix systems it is `CLOCK_MONOTONIC`, without an id of the boot.
/// Elsewhere it is the process's own: each process counts as a boot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SteadyTime {
    boot: Uuid,
    up_ms: u64,
}

impl SteadyTime {
    /// Takes the id of a boot, and how many milliseconds ago it was.
    #[must_use]
    pub const fn new(boot: Uuid, up_ms: u64) -> Self {
        Self { boot, up_ms }
    }

    /// Reads the operating system's clock.
    #[must_use]
    pub fn now() -> Self {
        system::read()
    }

    /// Returns the id of the boot that the clock counts from; nil where the system gives none.
    #[must_use]
    pub const fn boot(self) -> Uuid {
        self.boot
    }

    /// Returns for how many milliseconds the clock has counted.
    #[must_use]
    pub const fn up_ms(self) -> u64 {
        self.up_ms
    }

    /// Returns how long it is from an earlier reading to this one; none if the clock has begun anew
    /// between them, or this one is the earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Option<Duration> {
        let passed = self.up_ms.checked_sub(earlier.up_ms).filter(|_| self.boot == earlier.boot);
        passed.map(Duration::from_millis)
    }
}

/// A reading of the wall clock and of a clock that cannot be set, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClockReading {
    wall: UnixMillis,
    steady: SteadyTime,
}

impl ClockReading {
    /// Takes what both clocks showed.
    #[must_use]
    pub const fn new(wall: UnixMillis, steady: SteadyTime) -> Self {
        Self { wall, steady }
    }

    /// Returns what the wall clock showed.
    #[must_use]
    pub const fn wall(self) -> UnixMillis {
        self.wall
    }

    /// Returns what the clock that cannot be set showed.
    #[must_use]
    pub const fn steady(self) -> SteadyTime {
        self.steady
    }
}

#[cfg(unix)]
mod system {
    use rustix::time::{ClockId, clock_gettime};
    use uuid::Uuid;

    use super::SteadyTime;

    #[cfg(any(target_os = "linux", target_os = "android"))]
    const CLOCK: ClockId = ClockId::Boottime;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const CLOCK: ClockId = ClockId::Monotonic;

    pub(super) fn read() -> SteadyTime {
        let time = clock_gettime(CLOCK);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        let millis = u64::try_from(time.tv_nsec).unwrap_or_default() / 1_000_000;
        SteadyTime::new(boot(), seconds.saturating_mul(1_000).saturating_add(millis))
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

    use super::SteadyTime;

    pub(super) fn read() -> SteadyTime {
        static START: OnceLock<(Uuid, Instant)> = OnceLock::new();
        let (process, start) = START.get_or_init(|| (Uuid::now_v7(), Instant::now()));
        let up_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        SteadyTime::new(*process, up_ms)
    }
}
