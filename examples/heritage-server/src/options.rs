//! The command line, and the environment variables for its options.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;

/// The guide of a historic village: its tools over HTTP.
#[derive(Debug, Clone, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(name = "heritage-server", version)]
pub struct Options {
    /// The address to listen on
    #[arg(long, env = "HERITAGE_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:8000")]
    pub listen: SocketAddr,
    /// The database of the guide's tables; by default in the data folder
    #[arg(
        long,
        env = "HERITAGE_DATABASE",
        value_name = "URL",
        hide_env_values = true,
        help = "The guide's tables: sqlite:PATH, or postgres://USER@HOST/NAME without TLS \
                [default: guide.db in the data folder]"
    )]
    pub database: Option<String>,
    /// The folder of persistent data: tables, ledger, tickets, evidence, secret
    #[arg(long, env = "HERITAGE_DATA_DIR", value_name = "FOLDER", default_value = "heritage-data")]
    pub data_dir: PathBuf,
    /// The store of keys, tickets, answers and evidence, which several servers share; by default in the data folder
    #[arg(
        long,
        env = "HERITAGE_STORE",
        value_name = "URL",
        hide_env_values = true,
        help = "The store of keys, tickets, answers and evidence, which several servers share: \
                postgres://USER@HOST/NAME, with TLS unless it is on this machine \
                [default: runtime.db in the data folder]"
    )]
    pub store: Option<String>,
    /// The file of the secret, the same for all servers of a store; by default made in the data folder
    #[arg(long, env = "HERITAGE_SECRET_FILE", value_name = "FILE")]
    pub secret: Option<PathBuf>,
    /// The file of callers' keys, one per line; without it all callers on this machine are accepted
    #[arg(long, env = "HERITAGE_API_KEYS", value_name = "FILE")]
    pub api_keys: Option<PathBuf>,
    /// The key set of the issuer of tokens: a file, or a URL by https or of this machine
    #[arg(long, env = "HERITAGE_JWKS", value_name = "FILE|URL", requires_all = ["issuer", "audience"])]
    pub jwks: Option<String>,
    /// The issuer that tokens must name (`iss`)
    #[arg(long, env = "HERITAGE_ISSUER", value_name = "ISSUER", requires = "jwks")]
    pub issuer: Option<String>,
    /// The audience that tokens must name (`aud`)
    #[arg(long, env = "HERITAGE_AUDIENCE", value_name = "AUDIENCE", requires = "jwks")]
    pub audience: Option<String>,
    /// Makes a key for a caller, prints it with its line for the file of keys, and exits
    #[arg(long, value_name = "NAME")]
    pub new_key: Option<String>,
    /// Copies the keys, tickets, answers and evidence of a server that has ended into --store, and exits
    #[arg(long, value_name = "FILE", requires = "store", conflicts_with_all = ["stdio", "new_key"])]
    pub import: Option<PathBuf>,
    /// Requires a person's approval for each draft, by /api/approvals
    #[arg(long, env = "HERITAGE_ASK_FIRST")]
    pub ask_first: bool,
    /// Serves a console for approvers at /console; each draft then requires a person's approval
    #[arg(long, env = "HERITAGE_CONSOLE", conflicts_with = "stdio")]
    pub console: bool,
    /// Serves the tools by the Model Context Protocol too, at /api/mcp
    #[arg(long, env = "HERITAGE_MCP", conflicts_with = "stdio")]
    pub mcp: bool,
    /// Serves the tools by the Model Context Protocol on standard input and output, and nothing else
    #[arg(long, conflicts_with_all = ["api_keys", "jwks"])]
    pub stdio: bool,
    /// The maximum number of calls per tenant, tool and minute
    #[arg(long, env = "HERITAGE_CALLS_PER_MINUTE", value_name = "CALLS", default_value_t = 600)]
    pub calls_per_minute: u32,
    /// The maximum number of invalid keys and tokens per address and minute
    #[arg(
        long,
        env = "HERITAGE_INVALID_CREDENTIALS_PER_MINUTE",
        value_name = "CREDENTIALS",
        default_value_t = 10
    )]
    pub invalid_credentials_per_minute: u32,
}

impl Options {
    /// Returns the options of a guide in a data folder, with the defaults of the command line.
    #[must_use]
    pub fn in_folder(data_dir: impl Into<PathBuf>) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8000)),
            database: None,
            data_dir: data_dir.into(),
            store: None,
            secret: None,
            api_keys: None,
            jwks: None,
            issuer: None,
            audience: None,
            new_key: None,
            import: None,
            ask_first: false,
            console: false,
            mcp: false,
            stdio: false,
            calls_per_minute: 600,
            invalid_credentials_per_minute: 10,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_port_is_8000_unless_another_is_given() {
        // The default by itself: the environment of the test may name an address.
        let command = Options::command();
        let listen = command.get_arguments().find(|it| it.get_id() == "listen").expect("it is one");
        assert_eq!(listen.get_default_values(), ["127.0.0.1:8000"]);
        let given = Options::parse_from(["heritage-server", "--listen", "127.0.0.1:9000"]);
        assert_eq!(given.listen.port(), 9000);
    }
}
