//! No text about a call repeats what is sensitive in it.

mod debug;
mod names;
mod texts;
