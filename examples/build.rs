//! Sets the build's identifier, for the evidence of the storefront's answers.
//!
//! It identifies all inputs of the program: its own sources, those of the library, the versions of
//! its dependencies, and the compiler. A release pipeline has a better identifier, the commit that
//! it builds, and passes it in `BUILD_COMMIT`.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use sha2::{Digest, Sha256};

const PARTS: [&str; 17] = [
    "../Cargo.lock",
    "../tool-contracts/src",
    "../tool-derive/src",
    "../tool-runtime/src",
    "../tool-runtime/adapters/src",
    "../tool-runtime/agent/src",
    "../tool-runtime/budgets/src",
    "../tool-runtime/contracts-lock/src",
    "../tool-runtime/core/src",
    "../tool-runtime/http/src",
    "../tool-runtime/mcp-client/src",
    "../tool-runtime/record/src",
    "../tool-runtime/schema/src",
    "../tool-runtime/sqlite/src",
    "../tool-runtime/testing/src",
    "Cargo.toml",
    "storefront",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=BUILD_COMMIT");
    let build = match env::var("BUILD_COMMIT") {
        Ok(commit) => commit,
        Err(_) => hash_of_sources()?,
    };
    println!("cargo::rustc-env=BUILD_HASH={build}");
    Ok(())
}

fn hash_of_sources() -> Result<String, Box<dyn Error>> {
    let mut hash = Sha256::new();
    let compiler =
        Command::new(env::var_os("RUSTC").ok_or("cargo sets RUSTC")?).arg("-vV").output()?;
    hash.update(compiler.stdout);
    for part in PARTS {
        println!("cargo::rerun-if-changed={part}");
        for file in files(Path::new(part))? {
            let content = fs::read(&file)?;
            hash.update(file.to_string_lossy().as_bytes());
            hash.update(content.len().to_be_bytes());
            hash.update(content);
        }
    }
    let mut name = String::new();
    for byte in hash.finalize().iter().take(20) {
        write!(name, "{byte:02x}")?;
    }
    Ok(name)
}

/// Lists a file, or the files below a folder, in the order of their paths.
fn files(path: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut entries = fs::read_dir(path)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    entries.sort();
    let below = entries.iter().map(|entry| files(entry)).collect::<Result<Vec<_>, _>>()?;
    Ok(below.concat())
}
