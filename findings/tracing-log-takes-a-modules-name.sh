#!/usr/bin/env bash
# Guess:     a path in the value of a tracing field means the same in every build.
# Behaviour: with tracing's feature `log`, which any crate of the build may turn on (axum's default feature
#            `tower-log` does), the expression is expanded where the crate `log` is in scope, so that `log::shorten`
#            is looked for in that crate and no longer in the module `log` of the caller. The program stops compiling.
# Versions:  tracing 0.1.44 and log 0.4, with rustc 1.95.0.
# Output:    without `log`: compiled
#            with `log`:    error[E0425]: cannot find function `shorten` in module `log`
# Seen on:   2026-11-28
#
# Cure: give the module another name, or write `crate::log::shorten` or `self::log::shorten`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "field-path"
version = "0.0.0"
edition = "2021"

[features]
log = ["tracing/log"]

[dependencies]
tracing = { version = "=0.1.44", default-features = false, features = ["std"] }
TOML
cat >src/main.rs <<'RUST'
mod log {
    pub fn shorten(text: &str) -> &str {
        &text[..3]
    }
}

fn main() {
    tracing::info!(id = log::shorten("abcdef"), "opened");
    println!("compiled");
}
RUST
alone=$(cargo run --quiet 2>/dev/null) || { echo 'changed: it does not compile without `log` either'; exit 1; }
printf 'without `log`: %s\n' "$alone"
if cargo build --quiet --features log 2>errors; then
  echo 'changed: it compiles with `log` too'
  exit 1
fi
printf 'with `log`:    '
grep -m 1 'E0425.*cannot find function `shorten` in module `log`' errors
