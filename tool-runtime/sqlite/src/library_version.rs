//! Refuses a linked SQLite with the WAL-reset bug, because several connections share the store's log.

use tool_runtime_core::store::StoreError;

use super::error::unavailable;

/// The releases that have the fix: the first one, and the last ones of two older series.
const FIXED: &str = "3.51.3 or newer, 3.50.7 or 3.44.6";

/// Checks the SQLite that this program is linked with.
pub(super) fn check(allows_wal_reset_bug: bool) -> Result<(), StoreError> {
    if allows_wal_reset_bug || !has_wal_reset_bug(rusqlite::version_number()) {
        return Ok(());
    }
    Err(unavailable(format!(
        "the program is linked with SQLite {}, whose WAL-reset bug can lose commits or damage the file \
         if two connections write at once; expected {FIXED}. Upgrade the package that decides on it \
         (`cargo tree --invert libsqlite3-sys`; 0.37 and newer compile a fixed one) or the system's \
         SQLite, or accept the risk with `SqliteOptions::allow_wal_reset_bug(true)`",
        rusqlite::version()
    )))
}

/// Returns whether a version has the bug: it came with the write-ahead log, and was fixed in 3.51.3,
/// 3.50.7 and 3.44.6 (<https://sqlite.org/wal.html#walresetbug>).
fn has_wal_reset_bug(version: i32) -> bool {
    !matches!(version, 3_044_006..3_045_000 | 3_050_007..3_051_000 | 3_051_003..)
}

#[cfg(test)]
mod tests {
    use super::{check, has_wal_reset_bug};

    #[test]
    fn a_sqlite_with_the_wal_reset_bug_is_known_by_its_version() {
        for version in [3_034_001, 3_044_005, 3_045_000, 3_046_000, 3_050_006, 3_051_000, 3_051_002]
        {
            assert!(has_wal_reset_bug(version), "{version}");
        }
        for version in [3_044_006, 3_044_999, 3_050_007, 3_051_003, 3_052_000, 3_054_001, 4_000_000]
        {
            assert!(!has_wal_reset_bug(version), "{version}");
        }
    }

    #[test]
    fn the_sqlite_of_these_tests_needs_no_permission() {
        check(false).expect("a SQLite without the bug");
    }
}
