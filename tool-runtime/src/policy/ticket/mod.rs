//! A deferred call that can leave the process: signed, sealed, used once.
