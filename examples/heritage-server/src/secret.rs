//! The secret of tickets, ledger and vault, from the environment or a file.
//!
//! A real host gets it from its vault. This one takes it from the environment, or else from a file
//! that it creates on first use, readable by its owner alone.

use std::env;
use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

/// The environment variable of the secret: 64 hexadecimal digits.
pub(crate) const VARIABLE: &str = "HERITAGE_SECRET";

const LENGTH: usize = 32;

/// The variable does not contain a secret.
#[derive(Debug, thiserror::Error)]
#[error("expected 64 hexadecimal digits in {VARIABLE}")]
struct Unreadable;

/// Reads the secret, or makes it.
pub(crate) fn find_or_make(file: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    if let Ok(digits) = env::var(VARIABLE) {
        return Ok(from_digits(&digits).ok_or(Unreadable)?);
    }
    if !file.exists() {
        let mut secret = [0; LENGTH];
        getrandom::fill(&mut secret)?;
        write(file, &secret)?;
    }
    Ok(fs::read(file)?)
}

fn write(file: &Path, secret: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(secret)
}

fn from_digits(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.trim();
    let bytes = digits.as_bytes().chunks(2).map(|pair| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        u8::from_str_radix(pair, 16).ok()
    });
    bytes.collect::<Option<Vec<u8>>>().filter(|bytes| bytes.len() == LENGTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_64_hexadecimal_digits() {
        let digits = "0f".repeat(LENGTH);
        assert_eq!(from_digits(&format!("{digits}\n")), Some(vec![15; LENGTH]));
        for wrong in ["", "0f", &digits[1..], &digits.replace('f', "g"), &format!("{digits}0f")] {
            assert_eq!(from_digits(wrong), None, "{wrong}");
        }
    }
}
