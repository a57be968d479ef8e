//! What every store must do, as suites that a backend of your own runs in its tests.
