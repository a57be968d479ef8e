#!/usr/bin/env bash
# Guess:     Under READ COMMITTED each statement sees what was committed before it. So a session that waits for an
#            advisory lock, gets it, and then asks `to_regclass('t')` if a table exists, as a migration or the creation
#            of a partition does, sees the table that the former holder of the lock created and committed.
# Behaviour: If the session had asked for the table before it waited, it is told again that there is none, in a
#            statement of its own: the name's absence is cached, and an advisory lock, unlike the lock of a table, does
#            not make the session read what others have changed. `CREATE TABLE` then fails with 42P07. A query of
#            pg_class in its place sees the table, since it locks pg_class; afterwards `to_regclass` sees it too. With
#            `LOCK TABLE` in place of the advisory lock, `to_regclass` sees it at once.
# Versions:  PostgreSQL 16.2, from the package pgserver 0.1.4 of PyPI, with psycopg 3.2.13; PostgreSQL 15.18 of Debian
#            did the same.
# Output:    advisory lock: to_regclass says False, pg_class says True, to_regclass says True
#            table lock:    to_regclass says True, pg_class says True, to_regclass says True
# Seen on:   2026-11-29
#
# Cure: ask pg_class (or pg_tables) instead of to_regclass behind an advisory lock, or lock a table.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv environment
environment/bin/pip install --quiet --disable-pip-version-check pgserver==0.1.4 'psycopg[binary]==3.2.13'
cat >locks.py <<'PYTHON'
import sys
import tempfile
import threading
import warnings

warnings.simplefilter("ignore")
import pgserver
import psycopg

server = pgserver.get_server(tempfile.mkdtemp(dir="."))
uri = server.get_uri()
BY_NAME = "SELECT to_regclass('part_1') IS NOT NULL"
BY_CATALOG = "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'part_1')"


def answers(lock):
    """What the session sees that waited for the lock while another one created the table."""
    with psycopg.connect(uri, autocommit=True) as setup:
        setup.execute("DROP TABLE IF EXISTS part_1; DROP TABLE IF EXISTS parent; CREATE TABLE parent ()")
    seen = []
    with psycopg.connect(uri) as creator, psycopg.connect(uri) as waiter, psycopg.connect(uri, autocommit=True) as watch:
        ask = lambda sql: seen.append(waiter.execute(sql).fetchone()[0])
        creator.execute(lock)
        creator.execute("CREATE TABLE part_1 ()")
        ask(BY_NAME)

        def wait():
            waiter.execute(lock)
            for sql in (BY_NAME, BY_CATALOG, BY_NAME):
                ask(sql)

        thread = threading.Thread(target=wait)
        thread.start()
        waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        while watch.execute(waits).fetchone()[0] == 0:
            pass
        creator.commit()
        thread.join()
    return seen


cases = [
    ("advisory lock:", answers("SELECT pg_advisory_xact_lock(1)"), [False, False, True, True]),
    ("table lock:   ", answers("LOCK TABLE parent IN SHARE UPDATE EXCLUSIVE MODE"), [False, True, True, True]),
]
server.cleanup()
for name, seen, _ in cases:
    print(f"{name} to_regclass says {seen[1]}, pg_class says {seen[2]}, to_regclass says {seen[3]}")
sys.exit(any(seen != expected for _, seen, expected in cases))
PYTHON
environment/bin/python locks.py
