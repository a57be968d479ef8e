//! The `Debug` output of types with sensitive fields.

use tool_runtime::prelude::*;

/// How somebody logs in.
#[ai_type]
#[derive(Debug, Clone)]
struct Login<T> {
    /// Who.
    #[arg(pii)]
    name: String,
    /// By what, if at all.
    #[arg(secret)]
    pin: Option<u32>,
    /// Where.
    r#in: T,
}

/// How somebody pays.
#[ai_type]
#[derive(Debug)]
enum Payment {
    /// Not at all.
    Free,
    /// By card.
    Card(#[arg(secret)] String, u8),
    /// By bill.
    Bill {
        /// To whom.
        #[arg(pii)]
        to: String,
        /// When.
        days: u8,
    },
}

/// Prints itself.
#[ai_type(own_debug)]
struct Own {
    /// By what.
    #[arg(secret)]
    pin: String,
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} characters", self.pin.len())
    }
}

#[test]
fn a_debug_written_by_hand_stays() {
    assert_eq!(format!("{:?}", Own { pin: "1234".to_owned() }), "4 characters");
}

#[test]
fn sensitive_fields_are_starred_and_all_others_are_as_derived() {
    let login = Login { name: "Ada".to_owned(), pin: Some(123_456), r#in: vec!["a"] };
    let login = login.clone();
    assert_eq!(format!("{login:?}"), r#"Login { name: ***, pin: ***, in: ["a"] }"#);
    let pretty = "Login {\n    name: ***,\n    pin: ***,\n    in: [\n        \"a\",\n    ],\n}";
    assert_eq!(format!("{login:#?}"), pretty);
    assert_eq!(format!("{:?}", Payment::Free), "Free");
    assert_eq!(format!("{:?}", Payment::Card("4111".to_owned(), 7)), "Card(***, 7)");
    let bill = Payment::Bill { to: "Ada".to_owned(), days: 30 };
    assert_eq!(format!("{bill:?}"), "Bill { to: ***, days: 30 }");
}
