//! What of a long answer a model gets, and how it reads the rest.
