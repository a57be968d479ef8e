//! The models that the demonstration asks: scripted ones, or those of a real server.

use std::{env, io};

use tool_runtime::agent::{ModelPrice, OpenAiBuilder, OpenAiModel, PriceTable};

use crate::Options;
use crate::script;
use crate::servers::ModelServer;

/// The environment variable of the API key.
const KEY: &str = "OPENAI_API_KEY";

/// The prices of the scripted models: those of a small model, in US dollars for a million tokens.
const SCRIPTED_PRICE: (f64, f64) = (0.15, 0.60);

/// The server of the models.
#[derive(Debug)]
pub enum Models {
    /// Scripted models, served by this process.
    Scripted(ModelServer),
    /// A model of a real server.
    Real {
        /// The server's base URL.
        base_url: String,
        /// The model's name.
        name: String,
        /// The prices of a million tokens that the model reads and writes, if they are known.
        price: Option<(f64, f64)>,
    },
}

impl Models {
    /// Starts the scripted models, unless the options name a real server.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start(options: &Options) -> io::Result<Self> {
        match (&options.base_url, &options.model) {
            (Some(base_url), Some(name)) => Ok(Self::Real {
                base_url: base_url.clone(),
                name: name.clone(),
                price: options.input_price.zip(options.output_price),
            }),
            _ => Ok(Self::Scripted(ModelServer::start(script::reply).await?)),
        }
    }

    /// Returns the base URL of the server.
    #[must_use]
    pub fn base_url(&self) -> String {
        match self {
            Self::Scripted(server) => server.base_url(),
            Self::Real { base_url, .. } => base_url.clone(),
        }
    }

    /// Returns the name of the model for a part of the demonstration, whose script has this name.
    #[must_use]
    pub fn name<'m>(&'m self, scripted: &'m str) -> &'m str {
        match self {
            Self::Scripted(_) => scripted,
            Self::Real { name, .. } => name,
        }
    }

    /// Configures a client of that model.
    pub fn client(&self, scripted: &str) -> OpenAiBuilder {
        let builder = OpenAiModel::builder(self.base_url(), self.name(scripted));
        match self {
            Self::Real { .. } if env::var_os(KEY).is_some() => builder.api_key_env(KEY),
            Self::Real { .. } | Self::Scripted(_) => builder,
        }
    }

    /// Returns the price of that model's tokens; none if it is not known.
    #[must_use]
    pub fn prices(&self, scripted: &str) -> PriceTable {
        let price = match self {
            Self::Scripted(_) => Some(SCRIPTED_PRICE),
            Self::Real { price, .. } => *price,
        };
        price.map_or_else(PriceTable::default, |(input, output)| {
            PriceTable::default().with(self.name(scripted), ModelPrice::new(input, output))
        })
    }
}
