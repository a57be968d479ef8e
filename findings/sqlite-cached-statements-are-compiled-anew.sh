#!/usr/bin/env bash
# Guess: a prepared statement that a cache gives back (rusqlite's `prepare_cached`) is compiled once. Binding other
# values runs the same program.
# Behaviour: if the table has a partial index, and the statement compares a parameter with the column of the index's
# condition, each binding of that parameter makes SQLite compile the statement anew at its next step. The statement need
# not use the partial index, and does the same work each time. A loop of single-row statements spends most of its
# instructions in the parser. `SQLITE_DBCONFIG_ENABLE_QPSG` (off by default) ends it; the result is the same.
# Version: rusqlite 0.41.0 with its bundled SQLite 3.53.2, rustc 1.95.0
# Output, 2026-11-30:
