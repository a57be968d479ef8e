//! The cost of a call by name in each style, in instructions.

use serde_json::Value;
use tool_benches::instructions;

use crate::styles::{self, Style};

const FURTHER: usize = 10_000;

/// The instructions of a call in one style.
struct Cost {
    style: &'static Style,
    three: u64,
    ten: u64,
    crowded: Option<u64>,
}

/// Prints the table and the line.
pub(crate) fn figure() -> Result<(), String> {
    for style in styles::ALL {
        check(style)?;
    }
    let costs: Vec<Cost> = styles::ALL.iter().map(count).collect::<Result<_, _>>()?;
    let hand = costs.first().ok_or("no style is measured")?;

    println!(
        "{:<30}{:>18}{:>18}{:>22}",
        "instructions a call", "3 items", "10 items", "3, +10,000 tools"
    );
    let against = |count, base| format!("{count} ({:.3})", ratio(count, base));
    for cost in &costs {
        let crowded = cost.crowded.map_or("-".to_owned(), |count| against(count, hand.three));
        println!(
            "{:<30}{:>18}{:>18}{crowded:>22}",
            cost.style.label,
            against(cost.three, hand.three),
            against(cost.ten, hand.ten),
        );
    }
    let ratios = costs.iter().skip(1);
    let ratios = ratios.map(|cost| format!(" {}={:.3}", cost.style.key, ratio(cost.ten, hand.ten)));
    println!("peers:{}", ratios.collect::<String>());
    Ok(())
}

/// The code that runs under callgrind.
pub(crate) fn measure(style: &str, items: &str, further: &str) -> Result<(), String> {
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let found = styles::ALL.iter().find(|known| known.key == style);
    let found = found.ok_or_else(|| format!("no style `{style}`"))?;
    let call = (found.prepare)(number(items)?, number(further)?)?;
    instructions::measure(call);
    Ok(())
}

fn count(style: &'static Style) -> Result<Cost, String> {
    let count = |items: &str, further: usize| {
        instructions::count(&["measure", style.key, items, &further.to_string()])
    };
    Ok(Cost {
        style,
        three: count("3", 0)?,
        ten: count("10", 0)?,
        crowded: style.takes_further.then(|| count("3", FURTHER)).transpose()?,
    })
}

/// Checks that a style gives the same answer as the others, so that the costs are comparable.
fn check(style: &Style) -> Result<(), String> {
    let expected = answer(&styles::ALL[0])?;
    let found = answer(style)?;
    if found != expected {
        return Err(format!("{} answers otherwise: {found}", style.label));
    }
    Ok(())
}

fn answer(style: &Style) -> Result<Value, String> {
    let answer = (style.prepare)(10, 1)?().ok_or_else(|| format!("{} fails", style.label))?;
    let wrong = |error: serde_json::Error| format!("{}: {error}", style.label);
    let answer: Value = serde_json::from_slice(&answer).map_err(wrong)?;
    match answer.pointer(style.data_at) {
        Some(Value::String(text)) => serde_json::from_str(text).map_err(wrong),
        Some(data) => Ok(data.clone()),
        None => Err(format!("{} has nothing at {}: {answer}", style.label, style.data_at)),
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of instructions are far below 2^52")]
fn ratio(of: u64, over: u64) -> f64 {
    of as f64 / over as f64
}
