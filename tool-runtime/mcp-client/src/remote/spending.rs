//! The marks of the host on the money that calls of a tool spend, since no server can be trusted to set them.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

/// The form in which an argument of a remote tool has the amount that a call spends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AmountArgument {
    /// A decimal number in this currency, such as `EUR`: a text, or a JSON number of at most 15 digits.
    Decimal(String),
    /// A whole number of the smallest units of this currency.
    MinorUnits(String),
    /// A decimal number; the argument of this name has the code of its currency.
    DecimalBeside(String),
    /// An object: `{"amount": "12.50", "currency": "EUR"}`.
    Money,
}

/// The money that the calls of one tool spend.
#[derive(Debug, Clone, Default)]
pub(super) struct ToolMarks {
    pub(super) arguments: BTreeMap<String, AmountArgument>,
    pub(super) cost: Option<String>,
}

impl AmountArgument {
    fn currency(&self) -> Option<&str> {
        match self {
            Self::Decimal(currency) | Self::MinorUnits(currency) => Some(currency),
            Self::DecimalBeside(_) | Self::Money => None,
        }
    }

    /// Returns the value of `x-spends`.
    fn mark(&self) -> Value {
        match self {
            Self::Decimal(currency) => json!({ "currency": currency, "required": true }),
            Self::MinorUnits(currency) => {
                json!({ "currency": currency, "minor_units": true, "required": true })
            }
            Self::DecimalBeside(argument) => {
                json!({ "currency_argument": argument, "required": true })
            }
            Self::Money => json!({ "required": true }),
        }
    }
}

impl ToolMarks {
    /// Writes the marks into the schema of the tool's arguments.
    ///
    /// A marked argument becomes a required one without a default or other names, and an approver sees it: else the
    /// server would choose how much a call spends.
    ///
    /// # Errors
    /// Says which argument the schema does not have, or which currency has no code.
    pub(super) fn write(&self, schema: &mut Value) -> Result<(), String> {
        let Some(schema) = schema.as_object_mut() else {
            return Ok(());
        };
        if let Some(cost) = &self.cost {
            schema.insert("x-cost".to_owned(), cost.as_str().into());
        }
        for (name, amount) in &self.arguments {
            if let Some(currency) = amount.currency().filter(|currency| !is_code(currency)) {
                return Err(format!(
                    "the host says that its argument `{name}` is in `{currency}`, and the code of a currency is three \
                     capital letters, as in `EUR`"
                ));
            }
            let property = schema.get_mut("properties").and_then(|all| all.get_mut(name));
            let Some(property) = property else {
                return Err(format!(
                    "the host says that its argument `{name}` is an amount, and it has no argument of this name"
                ));
            };
            if !property.is_object() {
                *property = json!({});
            }
            if let Some(property) = property.as_object_mut() {
                for word in ["default", "x-aliases", "x-sensitivity"] {
                    property.remove(word);
                }
                property.insert("x-spends".to_owned(), amount.mark());
            }
            require(schema, name);
        }
        Ok(())
    }
}

fn is_code(currency: &str) -> bool {
    currency.len() == 3 && currency.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// Requires an argument.
fn require(schema: &mut Map<String, Value>, name: &str) {
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        if !required.iter().any(|it| it == name) {
            required.push(name.into());
        }
    }
}
