//! Writes the adapters' output for the providers' own types to read: `emit FOLDER`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde_json::{Value, json};
use tool_runtime::adapters::{Adapter, Dialect};
use tool_tests::bfcl;
use tool_tests::dialects::{disclosure, patterns, samples, spec};

fn main() -> ExitCode {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("emit FOLDER");
        return ExitCode::FAILURE;
    };
    match emit(Path::new(&folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn emit(folder: &Path) -> Result<(), String> {
    let files = [
        ("declarations.json", declarations()?),
        ("disclosure.json", disclosure::conversations()?),
        ("patterns.json", patterns::compared()?),
    ];
    for (file, value) in files {
        let text = format!("{value:#}\n");
        std::fs::write(folder.join(file), text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Returns the declarations of all tools by dialect, strict and not strict.
fn declarations() -> Result<Value, String> {
    let mut specs = BTreeMap::new();
    for file in bfcl::files_beside_the_project().unwrap_or_default() {
        for tool in bfcl::read(&file)?.iter().flat_map(|case| &case.tools) {
            specs.insert(tool.name.clone(), spec(tool)?);
        }
    }
    specs.extend(samples::all().into_iter().map(|spec| (spec.name().to_owned(), spec)));
    let declared = Dialect::ALL.map(|dialect| {
        let made = [true, false].map(|strict| {
            let adapter = Adapter::builder(dialect).strict(strict).build(specs.values());
            adapter.declarations().clone()
        });
        (dialect.as_str(), made)
    });
    Ok(json!(BTreeMap::from(declared)))
}
