//! Concatenates fields unambiguously, each with its length before it.

/// Writes each field with its length before it.
#[must_use]
pub fn frame(fields: &[&[u8]]) -> Vec<u8> {
    let mut framed = Vec::with_capacity(fields.iter().map(|field| field.len() + 8).sum());
    for field in fields {
        framed.extend_from_slice(&(field.len() as u64).to_be_bytes());
        framed.extend_from_slice(field);
    }
    framed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moving_a_byte_to_the_next_field_gives_other_bytes() {
        let lists: [&[&[u8]]; 5] =
            [&[b"ab", b"c"], &[b"a", b"bc"], &[b"abc", b""], &[b"", b"abc"], &[b"abc"]];
        for (at, one) in lists.iter().enumerate() {
            for other in &lists[at + 1..] {
                assert_ne!(frame(one), frame(other), "{one:?} and {other:?}");
            }
        }
    }
}
