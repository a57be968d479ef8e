/// A login.
#[ai_type]
#[derive(Debug, Clone)]
struct Login<T: Copy, const N: usize>
where
    T: Into<String>,
{
    /// Who.
    #[arg(pii)]
    r#type: String,
    /// By what.
    #[arg(secret)]
    #[cfg(test)]
    pin: [u8; N],
    /// The rest.
    r#ref: T,
}

/// A way to pay.
#[ai_type]
#[derive(std::fmt::Debug)]
enum Payment {
    /// None.
    Free,
    /// By card.
    Card(#[arg(secret)] String, u8),
    /// By bill.
    #[cfg(test)]
    Bill {
        /// To whom.
        #[arg(pii)]
        name: String,
    },
}

/// Nothing to hide.
#[ai_type]
#[derive(Debug)]
struct Plain {
    /// Words.
    words: String,
}

/// Without a visible `Debug`.
#[ai_type]
struct Silent {
    /// By what.
    #[arg(secret)]
    pin: String,
}
