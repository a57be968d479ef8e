#!/usr/bin/env bash
# Starts three servers on this machine with one database of PostgreSQL, and ends them with Ctrl-C.
set -euo pipefail
cd "$(dirname "$0")/../.."
url=${1:?the URL of a database: postgres://USER@HOST/NAME}
folder=${2:-heritage-replicas}
mkdir -p "$folder"
[ -f "$folder/secret.key" ] || (umask 077 && head -c 32 /dev/urandom >"$folder/secret.key")
cargo build --release -p heritage-server
servers=()
stop() {
  for server in "${servers[@]}"; do kill -TERM "$server" 2>/dev/null || true; done
  wait
}
trap stop EXIT
trap exit INT TERM
for number in 1 2 3; do
  target/release/heritage-server --listen "127.0.0.1:800$number" --data-dir "$folder/$number" \
    --database "$url" --store "$url" --secret "$folder/secret.key" >>"$folder/$number.jsonl" &
  servers+=("$!")
  # The first one makes the tables.
  until curl --silent --fail --output /dev/null --noproxy '*' "http://127.0.0.1:800$number/api/readyz"; do
    kill -0 "${servers[-1]}" || exit 1
    sleep 0.2
  done
done
wait
