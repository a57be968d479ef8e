//! The secret of tickets, ledger and vault, from the environment or a file.
//!
//! A real host gets it from its vault. This one takes it from the environment, or else from a file
//! that it creates on first use, readable by its owner alone.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::{env, fmt};

/// The environment variable of the secret: 64 hexadecimal digits.
const VARIABLE: &str = "STOREFRONT_KEY";

const LENGTH: usize = 32;

/// There is no secret, or it cannot be used.
#[derive(Debug)]
enum SecretError {
    Missing(String),
    Unreadable,
}

/// Reads the secret from the variable or the file.
pub(crate) fn find(file: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    match env::var(VARIABLE) {
        Ok(digits) => Ok(from_digits(&digits).ok_or(SecretError::Unreadable)?),
        Err(_) if file.exists() => Ok(fs::read(file)?),
        Err(_) => Err(SecretError::Missing(file.display().to_string()).into()),
    }
}

/// Reads the secret, or makes it.
pub(crate) fn find_or_make(file: &Path) -> Result<Vec<u8>, Box<dyn Error>> {
    if env::var_os(VARIABLE).is_none() && !file.exists() {
        let mut secret = [0; LENGTH];
        getrandom::fill(&mut secret)?;
        write(file, &secret)?;
    }
    find(file)
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

impl fmt::Display for SecretError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(file) => write!(
                f,
                "there is no key: expected the file {file}, which the storefront makes beside \
                 its database or ledger, or 64 hexadecimal digits in {VARIABLE}"
            ),
            Self::Unreadable => write!(f, "expected 64 hexadecimal digits in {VARIABLE}"),
        }
    }
}

impl Error for SecretError {}

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
