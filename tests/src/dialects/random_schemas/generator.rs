//! Makes random schemas of tools.

use serde_json::{Map, Value, json};

use crate::rng::SeededRng;

/// The pattern of the names in `patternProperties`.
pub(super) const PATTERN_OF_NAMES: &str = "^p_";

/// The schema of a tool's arguments.
pub(super) fn schema(seed: u64) -> Value {
    let mut random = RandomSchema { rng: SeededRng::new(seed) };
    let mut root = random.object(3, &NAMES);
    if random.rng.one_in(4) {
        let branches = random.branches(2, &["e", "f", "$g"]);
        root["oneOf"] = branches.into();
        if let Some(keywords) = root.as_object_mut() {
            keywords.remove("additionalProperties");
            keywords.insert("unevaluatedProperties".to_owned(), false.into());
        }
    }
    root["$defs"] =
        json!({ "first": random.object(2, &NAMES), "second": random.branch(1, &NAMES) });
    root
}

const PATTERNS: [&str; 6] =
    ["^[a-z]{2,4}$", r"^\d+$", r"^(x|y)-\w+$", "[A-Z]", r"^\S+$", "^(a|b)*$"];

const NAMES: [&str; 6] = ["a", "b", "c", "d", "$top", "x y"];

struct RandomSchema {
    rng: SeededRng,
}

impl RandomSchema {
    fn object(&mut self, depth: u32, names: &[&str]) -> Value {
        let (mut properties, mut required) = (Map::new(), Vec::new());
        for name in names {
            if self.rng.one_in(2) {
                continue;
            }
            let mut schema = self.value(depth);
            let is_required = self.rng.one_in(2);
            let text = if is_required { "Required." } else { "Optional." };
            schema["description"] = text.into();
            let is_null = schema.get("default") == Some(&Value::Null);
            // No other property has the name of one whose default is `null`.
            let name = if is_null { format!("n_{name}") } else { (*name).to_owned() };
            required.extend(is_required.then(|| Value::from(name.as_str())));
            properties.insert(name, schema);
        }
        let mut object =
            json!({ "type": "object", "properties": properties, "required": required });
        if !self.rng.one_in(12) {
            object["additionalProperties"] = false.into();
        }
        if self.rng.one_in(3) {
            self.add_rule(&mut object, depth);
        }
        object
    }

    /// Adds a rule about the properties of an object.
    fn add_rule(&mut self, object: &mut Value, depth: u32) {
        let Some(properties) = object["properties"].as_object() else { return };
        let names: Vec<String> = properties.keys().cloned().collect();
        let [first, .., last] = names.as_slice() else { return };
        let below = depth.saturating_sub(1);
        match self.rng.below(9) {
            0 => object["minProperties"] = self.rng.below(3).into(),
            1 => object["maxProperties"] = (names.len() - self.rng.index(2)).into(),
            2 => object["dependentRequired"] = json!({ first: [last] }),
            3 => object["patternProperties"] = json!({ PATTERN_OF_NAMES: self.value(below) }),
            4 => object["additionalProperties"] = self.value(below),
            5 => object["not"] = json!({ "required": [first, last] }),
            6 => {
                object["not"] =
                    json!({ "properties": { first: { "const": "x" } }, "required": [first] });
            }
            7 => {
                object["if"] = json!({ "properties": { first: { "enum": ["x", 1, null] } } });
                object["then"] = json!({ "required": [last] });
            }
            _ => {
                object["if"] = json!({ "required": [first] });
                object["then"] = json!({ "properties": { last: self.value(below) } });
                object["else"] = json!({ "required": [last] });
            }
        }
    }

    fn value(&mut self, depth: u32) -> Value {
        let kinds = if depth == 0 { 11 } else { 20 };
        match self.rng.below(kinds) {
            0 => json!({ "type": "string", "maxLength": self.rng.below(9) }),
            1 => json!({ "type": "string", "enum": ["x", "y"] }),
            2 => json!({ "const": "x" }),
            3 => json!({ "type": "integer", "minimum": 1, "maximum": 1 + self.rng.below(50) }),
            4 => json!({ "type": "number", "exclusiveMinimum": 0 }),
            5 => json!({ "type": ["boolean", "null"] }),
            6 => json!({ "type": ["string", "null"], "default": null }),
            7 => json!({ "enum": ["x", 1, null] }),
            8 => json!({ "type": "string", "pattern": PATTERNS[self.rng.index(PATTERNS.len())] }),
            9 => json!({ "type": ["string", "integer"], "not": { "const": "x" } }),
            10 => json!({ "not": { "type": ["string", "object", "array"] } }),
            11 => json!({ "anyOf": [self.value(depth - 1), { "type": "null" }] }),
            12 => json!({ "type": "array", "items": self.value(depth - 1), "maxItems": 3 }),
            13 => self.object(depth - 1, &NAMES),
            14 => {
                let keyword = if self.rng.one_in(2) { "anyOf" } else { "oneOf" };
                json!({ keyword: self.branches(depth - 1, &NAMES[..3]) })
            }
            15 => json!({ "allOf": [{ "type": "integer", "minimum": 2 }, { "maximum": 8 }] }),
            16 => {
                json!({ "type": "array", "items": self.value(depth - 1), "uniqueItems": true, "maxItems": 3 })
            }
            17 => self.tuple(depth - 1),
            18 => {
                json!({ "type": "object", "additionalProperties": self.value(depth - 1), "maxProperties": 3 })
            }
            _ => {
                let name = if self.rng.one_in(2) { "first" } else { "second" };
                json!({ "$ref": format!("#/$defs/{name}") })
            }
        }
    }

    /// A list whose first items have schemas of their own.
    fn tuple(&mut self, depth: u32) -> Value {
        let items = [self.value(depth), self.value(depth)];
        let mut tuple = json!({ "type": "array", "prefixItems": items, "maxItems": 4 });
        match self.rng.below(3) {
            0 => tuple["items"] = false.into(),
            1 => tuple["items"] = self.value(depth),
            _ => {}
        }
        tuple
    }

    /// Objects with few names, some with a tag, so that they overlap often.
    fn branches(&mut self, depth: u32, names: &[&str]) -> Vec<Value> {
        (0..2 + self.rng.below(2)).map(|_| self.branch(depth, names)).collect()
    }

    fn branch(&mut self, depth: u32, names: &[&str]) -> Value {
        let mut branch = self.object(depth, names);
        if self.rng.one_in(2) {
            let tag = ["k", "l", "m"][self.rng.index(3)];
            branch["properties"]["kind"] = json!({ "const": tag, "description": "Required." });
            if let Some(Value::Array(required)) = branch.get_mut("required") {
                required.push("kind".into());
            }
        }
        branch
    }
}
