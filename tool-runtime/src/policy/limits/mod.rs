//! How many calls at once, how many a while, how many refused ones in a run.
