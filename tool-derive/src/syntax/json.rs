//! Checks that a text is a JSON object (RFC 8259), without reading its values.

use std::fmt;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 128;

/// The first place at which a text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    expected: &'static str,
    /// In bytes.
    position: usize,
}

/// Checks that a text is one JSON object.
pub(crate) fn check_object(text: &str) -> Result<(), JsonError> {
    let mut scanner = Scanner { bytes: text.as_bytes(), position: 0 };
    scanner.skip_whitespace();
    if scanner.peek() != Some(b'{') {
        return Err(scanner.error("expected `{`"));
    }
    scanner.value(0)?;
    scanner.skip_whitespace();
    if scanner.peek().is_some() {
        Err(scanner.error("expected nothing after the object"))
    } else {
        Ok(())
    }
}

struct Scanner<'t> {
    bytes: &'t [u8],
    position: usize,
}

impl Scanner<'_> {
    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.error("expected fewer levels"));
        }
        self.skip_whitespace();
        match self.peek() {
            Some(b'{') => self.items(depth, b'}', Self::member),
            Some(b'[') => self.items(depth, b']', Self::value),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    /// Reads the members of an object, or the items of an array.
    fn items(
        &mut self,
        depth: usize,
        end: u8,
        item: fn(&mut Self, usize) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.position += 1;
        self.skip_whitespace();
        if self.take(end) {
            return Ok(());
        }
        loop {
            item(self, depth + 1)?;
            self.skip_whitespace();
            if self.take(end) {
                return Ok(());
            }
            if !self.take(b',') {
                return Err(self.error("expected a comma or the end of the object or array"));
            }
        }
    }

    fn member(&mut self, depth: usize) -> Result<(), JsonError> {
        self.skip_whitespace();
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a name in double quotes"));
        }
        self.string()?;
        self.skip_whitespace();
        if self.take(b':') { self.value(depth) } else { Err(self.error("expected a colon")) }
    }

    fn string(&mut self) -> Result<(), JsonError> {
        self.position += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.position += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escape()?,
                Some(0..=0x1f) | None => {
                    return Err(self.error("expected a double quote at the end of the text"));
                }
                Some(_) => self.position += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), JsonError> {
        let tail = &self.bytes[self.position + 1..];
        let length = match tail {
            [b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => 2,
            [b'u', digits @ ..]
                if digits.len() >= 4 && digits[..4].iter().all(u8::is_ascii_hexdigit) =>
            {
                6
            }
            _ => return Err(self.error("expected an escape of JSON")),
        };
        self.position += length;
        Ok(())
    }

    fn number(&mut self) -> Result<(), JsonError> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            let _ = self.take(b'+') || self.take(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.position;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.position += 1;
        }
        if self.position == start { Err(self.error("expected a digit")) } else { Ok(()) }
    }

    fn word(&mut self) -> Result<(), JsonError> {
        let tail = &self.bytes[self.position..];
        let word = ["true", "false", "null"].into_iter().find(|it| tail.starts_with(it.as_bytes()));
        self.position += word.ok_or_else(|| self.error("expected a JSON value"))?.len();
        Ok(())
    }

    fn skip_whitespace(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_match = self.peek() == Some(byte);
        self.position += usize::from(is_match);
        is_match
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.position).copied()
    }

    fn error(&self, expected: &'static str) -> JsonError {
        JsonError { expected, position: self.position }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} after {} bytes", self.expected, self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_accepted_with_every_kind_of_value() {
        for text in [
            "{}",
            " { \"a\" : [ 1 , -0.5e+3 , true , false , null , \"\\u00e9\\n\\\"\" , {} , [] ] }\n",
            r#"{"query":"tea","limit":3}"#,
        ] {
            assert_eq!(check_object(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn the_first_place_that_is_not_json_is_named() {
        for (text, expected, position) in [
            ("", "expected `{`", 0),
            ("[1]", "expected `{`", 0),
            (r#"{"a":1} x"#, "expected nothing after the object", 8),
            (r#"{"a" 1}"#, "expected a colon", 5),
            ("{a:1}", "expected a name in double quotes", 1),
            (r#"{"a":1,}"#, "expected a name in double quotes", 7),
            (r#"{"a":tea}"#, "expected a JSON value", 5),
            (r#"{"a":1"#, "expected a comma or the end of the object or array", 6),
            (r#"{"a":01}"#, "expected a comma or the end of the object or array", 6),
            (r#"{"a":1.}"#, "expected a digit", 7),
            (r#"{"a":"\x"}"#, "expected an escape of JSON", 6),
            (r#"{"a":"b}"#, "expected a double quote at the end of the text", 8),
        ] {
            assert_eq!(check_object(text), Err(JsonError { expected, position }), "{text}");
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let text = format!("{{\"a\":{}{}}}", "[".repeat(1_000), "]".repeat(1_000));
        assert_eq!(check_object(&text).unwrap_err().expected, "expected fewer levels");
    }
}
