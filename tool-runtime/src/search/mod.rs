//! Choosing tools: the few that fit a question, by their words.
