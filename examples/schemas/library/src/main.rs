//! Prints the contracts of tools that run elsewhere.

/// The output of the build script.
const CATALOGUE: &str = include_str!("../schemas/tools.json");

fn main() -> Result<(), serde_json::Error> {
    let catalogue: serde_json::Value = serde_json::from_str(CATALOGUE)?;
    for tool in catalogue["tools"].as_array().into_iter().flatten() {
        let [name, version, text] = ["name", "version", "description"].map(|it| tool[it].as_str());
        println!("{} {}: {}", name.unwrap_or("?"), version.unwrap_or("?"), text.unwrap_or("?"));
    }
    Ok(())
}
