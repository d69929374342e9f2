//! What a session can use.

use std::collections::BTreeMap;

use reqwest::Method;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{OpencodeClient, OpencodeError};

#[derive(Clone, Debug, Default)]
pub struct Models {
    /// In the order of the providers.
    pub models: Vec<Model>,
    /// For each provider the model that is used if none is named.
    pub default: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct Model {
    #[serde(rename = "providerID")]
    pub provider_id: String,
    pub id: String,
    pub name: String,
    #[serde(default)]
    variants: Map<String, Value>,
}

impl Model {
    /// Returns the names of the variants, like `high`.
    pub fn variants(&self) -> impl Iterator<Item = &str> {
        self.variants.keys().map(String::as_str)
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct OpencodeAgent {
    pub name: String,
    pub description: Option<String>,
    /// `primary`, `subagent` or `all`.
    pub mode: String,
    #[serde(default)]
    pub hidden: bool,
}

impl OpencodeAgent {
    /// Whether a prompt may name it.
    #[must_use]
    pub fn is_selectable(&self) -> bool {
        !self.hidden && self.mode != "subagent"
    }
}

#[derive(Clone, Debug, Deserialize)]
pub struct Command {
    pub name: String,
    pub description: Option<String>,
}

impl OpencodeClient {
    /// Returns the models of all providers that are configured.
    pub async fn models(&self, directory: &str) -> Result<Models, OpencodeError> {
        // The answer also contains the keys of the providers, which are not kept.
        #[derive(Deserialize)]
        struct Providers {
            providers: Vec<Provider>,
            #[serde(default)]
            default: BTreeMap<String, String>,
        }
        #[derive(Deserialize)]
        struct Provider {
            models: BTreeMap<String, Model>,
        }
        let call = self.call(Method::GET, &["config", "providers"]).directory(directory);
        let Providers { providers, default } = call.fetch().await?;
        let models = providers.into_iter().flat_map(|provider| provider.models.into_values());
        Ok(Models { models: models.collect(), default })
    }

    pub async fn agents(&self, directory: &str) -> Result<Vec<OpencodeAgent>, OpencodeError> {
        self.call(Method::GET, &["agent"]).directory(directory).fetch().await
    }

    pub async fn commands(&self, directory: &str) -> Result<Vec<Command>, OpencodeError> {
        self.call(Method::GET, &["command"]).directory(directory).fetch().await
    }
}
