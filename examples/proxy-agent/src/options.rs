//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// An agent with tools of all five types, asked over real HTTP, offline.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "proxy-agent", version)]
pub struct Options {
    /// A server with OpenAI's Chat Completions API, in place of the scripted models
    #[arg(
        long,
        value_name = "URL",
        requires = "model",
        help = "A server with OpenAI's Chat Completions API, in place of the scripted models; its key \
                is read from OPENAI_API_KEY, if that is set"
    )]
    pub base_url: Option<String>,
    /// The model of that server
    #[arg(long, value_name = "NAME", requires = "base_url")]
    pub model: Option<String>,
    /// The price of a million tokens that the model reads, in US dollars
    #[arg(long, value_name = "DOLLARS", requires_all = ["base_url", "output_price"])]
    pub input_price: Option<f64>,
    /// The price of a million tokens that the model writes, in US dollars
    #[arg(long, value_name = "DOLLARS", requires_all = ["base_url", "input_price"])]
    pub output_price: Option<f64>,
    /// The folder of databases and notes, which is kept [default: a temporary folder; with --suspend
    /// and --resume proxy-agent-data]
    #[arg(long, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// Gives the process of the Python functions no network; needs Linux with `unshare`
    #[arg(long)]
    pub no_network: bool,
    /// Runs the conversation alone, and writes it to this file when a call waits for a person
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub suspend: Option<PathBuf>,
    /// Continues the conversation of this file
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Approves the calls that wait, in the name of this person
    #[arg(long, value_name = "NAME", requires = "resume")]
    pub approve: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: &[&str], is_valid: bool) {
        let words = std::iter::once("proxy-agent").chain(options.iter().copied());
        assert_eq!(Options::try_parse_from(words).is_ok(), is_valid, "{options:?}");
    }

    #[test]
    fn options_that_need_each_other_come_together() {
        check(&[], true);
        check(&["--base-url", "http://127.0.0.1:8080/v1", "--model", "m"], true);
        check(&["--base-url", "http://127.0.0.1:8080/v1"], false);
        check(&["--model", "m"], false);
        check(&["--suspend", "run.json"], true);
        check(&["--resume", "run.json", "--approve", "jane"], true);
        check(&["--resume", "run.json"], true);
        check(&["--approve", "jane"], false);
        check(&["--suspend", "a", "--resume", "a"], false);
    }
}
