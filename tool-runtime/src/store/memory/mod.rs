//! A store that forgets with its process: bounded, for tests and for calls that need no more.
