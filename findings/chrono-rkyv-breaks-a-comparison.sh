#!/usr/bin/env bash
# Guess:     a feature of a crate adds items; code that does not name them compiles as before.
# Behaviour: chrono's features `rkyv`, `rkyv-16`, `rkyv-32` and `rkyv-64` bring rkyv into the build, whose
#            `impl PartialEq<ArchivedOption<T>> for Option<U>` is a second implementation for `Option`. The compiler had
#            coerced `&String` to `&str` in `option_of_str == Some(&string)`, because only one implementation was
#            possible; with two it does not, and the line stops compiling, in every crate that loads chrono.
# Versions:  chrono 0.4.42, rkyv 0.7.46, with rustc 1.95.0.
# Output:    without `rkyv-64`: true
#            with `rkyv-64`:    error[E0277]: can't compare `Option<&str>` with `Option<&String>`
# Seen on:   2026-11-28
#
# Cure: write the conversion, `Some(string.as_str())`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir src
cat >Cargo.toml <<'TOML'
[package]
name = "comparison"
version = "0.0.0"
edition = "2021"

[features]
archived = ["chrono/rkyv-64", "dep:rkyv"]

[dependencies]
chrono = { version = "=0.4.42", default-features = false, features = ["std"] }
# Only so that its version is pinned.
rkyv = { version = "=0.7.46", default-features = false, optional = true }
TOML
cat >src/main.rs <<'RUST'
use chrono as _;

fn first(words: &[&'static str]) -> Option<&'static str> {
    words.first().copied()
}

fn main() {
    let text = String::from("tea");
    println!("{}", first(&["tea"]) == Some(&text));
}
RUST
alone=$(cargo run --quiet 2>/dev/null) || { echo 'changed: it does not compile without `rkyv-64` either'; exit 1; }
printf 'without `rkyv-64`: %s\n' "$alone"
if cargo build --quiet --features archived 2>errors; then
  echo 'changed: it compiles with `rkyv-64` too'
  exit 1
fi
printf 'with `rkyv-64`:    '
grep -m 1 "E0277.*can't compare" errors
