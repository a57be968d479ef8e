//! Tests of manifests and programs in the forms that users have: see `tests/`.
