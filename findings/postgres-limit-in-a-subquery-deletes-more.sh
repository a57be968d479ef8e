#!/usr/bin/env bash
# Guess:     `DELETE … WHERE id IN (SELECT id … ORDER BY due LIMIT 2 FOR UPDATE SKIP LOCKED)`, the usual way to take
#            a batch from a queue, deletes at most two rows, because the subquery depends on nothing outside.
# Behaviour: The planner may execute the subquery once for each outer row (a nested loop without a Materialize
#            node). Each time it skips the rows that the statement itself has deleted, and locks the next ones: all
#            five rows are deleted. It does so for a table of thirteen columns that autovacuum has not analyzed yet,
#            as after a deployment; with statistics, the same statement deletes two. A common table expression AS
#            MATERIALIZED deletes two in both cases.
# Versions:  PostgreSQL 16.2, from the package pgserver 0.1.4 of PyPI; PostgreSQL 15.18 of Debian did the same.
# Output:    IN, no statistics: 5 of 5 rows deleted by LIMIT 2
#            MATERIALIZED, no statistics: 2 of 5 rows deleted by LIMIT 2
#            IN, after ANALYZE: 2 of 5 rows deleted by LIMIT 2
# Seen on:   2026-11-29
#
# Cure: select the batch in `WITH batch AS MATERIALIZED (SELECT … LIMIT … FOR UPDATE SKIP LOCKED)`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pgserver==0.1.4
cat >queue.py <<'PYTHON'
import re
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")
import pgserver

TABLE = """
CREATE TABLE job (
    id bytea PRIMARY KEY, state smallint NOT NULL, due bigint,
    tenant uuid, queue text, kind text, worker text, note text,
    input bytea, output bytea, trace bytea, attempt bigint, run uuid
);
CREATE INDEX job_due ON job (due) WHERE state = 1;
INSERT INTO job (id, state, due) SELECT sha256(n::text::bytea), 1, n FROM generate_series(1, 5) AS n;
"""
BATCH = "SELECT id FROM job WHERE state = 1 AND due <= 9 ORDER BY due LIMIT 2 FOR UPDATE SKIP LOCKED"
IN = f"WITH gone AS (DELETE FROM job WHERE state = 1 AND id IN ({BATCH}) RETURNING 1)"
MATERIALIZED = f"""WITH batch AS MATERIALIZED ({BATCH}),
    gone AS (DELETE FROM job USING batch WHERE job.id = batch.id RETURNING 1)"""

server = pgserver.get_server(tempfile.mkdtemp(dir="."))


def deleted(preparation, statement):
    answer = server.psql(
        f"DROP TABLE IF EXISTS job; {TABLE} {preparation} {statement} SELECT 'deleted=' || count(*) FROM gone;"
    )
    return int(re.search(r"deleted=(\d+)", answer).group(1))


cases = [
    ("IN, no statistics", deleted("", IN), 5),
    ("MATERIALIZED, no statistics", deleted("", MATERIALIZED), 2),
    ("IN, after ANALYZE", deleted("ANALYZE job;", IN), 2),
]
server.cleanup()
for name, rows, _ in cases:
    print(f"{name}: {rows} of 5 rows deleted by LIMIT 2")
sys.exit(any(rows != expected for _, rows, expected in cases))
PYTHON
environment/bin/python queue.py
