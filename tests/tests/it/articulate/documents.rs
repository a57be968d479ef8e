//! Generated JSON documents, with all that makes a format stumble.

use serde_json::{Map, Number, Value, json};

/// A generator of documents. The same seed gives the same documents.
#[derive(Debug)]
pub(crate) struct Documents(u64);

/// Texts that a format has to quote, escape, or tell from other values.
const TEXTS: [&str; 32] = [
    "",
    " ",
    "a",
    "tea",
    "true",
    "null",
    "-",
    "- a",
    "-1",
    "05",
    "1e5",
    "1.5",
    "a,b",
    "a:b",
    "a: b",
    "[2]:",
    "[2]{a}:",
    "{}",
    "[]",
    "#",
    "# a",
    "\"",
    "\\",
    "a\nb",
    "\t",
    "\r",
    "\u{1}",
    "é",
    "茶",
    "\u{1f375}",
    "\u{feff}",
    " a ",
];

impl Documents {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next_document(&mut self) -> Value {
        self.value(4)
    }

    /// A number below `end`, by the generator "split mix".
    fn below(&mut self, end: u32) -> u32 {
        let drawn = self.draw() % u64::from(end);
        u32::try_from(drawn).expect("it is below `end`")
    }

    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn value(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 6 } else { 10 }) {
            0 => Value::Null,
            1 => json!(self.below(2) == 0),
            2 | 3 => self.number(),
            4 | 5 => self.text().into(),
            6 => self.list(depth - 1),
            7 => self.table(depth - 1),
            _ => self.object(depth - 1).into(),
        }
    }

    fn number(&mut self) -> Value {
        let sign = if self.below(2) == 0 { 1 } else { -1 };
        match self.below(5) {
            0 => json!(self.below(100)),
            1 => json!(i64::from(sign) * i64::try_from(self.draw() >> 11).unwrap_or(0)),
            2 => float(f64::from_bits(self.draw())),
            3 => {
                let power = i32::try_from(self.below(600)).unwrap_or(0) - 300;
                float(f64::from(sign) * 10_f64.powi(power))
            }
            _ => float(f64::from(self.below(1_000_000)) / 1_000.0),
        }
    }

    fn text(&mut self) -> String {
        let pieces = self.below(3);
        (0..=pieces).map(|_| TEXTS[self.below(32) as usize]).collect()
    }

    fn list(&mut self, depth: u32) -> Value {
        let length = self.below(6);
        (0..length).map(|_| self.value(depth)).collect()
    }

    fn object(&mut self, depth: u32) -> Map<String, Value> {
        let length = self.below(6);
        (0..length).map(|_| (self.text(), self.value(depth))).collect()
    }

    /// Rows with the same keys, of which some may be nested.
    fn table(&mut self, depth: u32) -> Value {
        let row = self.object(depth);
        let rows = self.below(9);
        (0..rows).map(|_| self.another(&row)).collect()
    }

    fn another(&mut self, row: &Map<String, Value>) -> Value {
        let mut cell = |value: &Value| match value {
            Value::Object(object) => self.another(object),
            Value::Array(_) => value.clone(),
            _ => self.value(0),
        };
        row.iter().map(|(key, value)| (key.clone(), cell(value))).collect()
    }
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}
