//! Options and results of generation.

use serde::Serialize;

/// How a prompt is continued; by default 128 tokens, each the likeliest.
///
/// ```
/// let options = ilt::GenerateOptions::new().max_new_tokens(50).temperature(0.8).top_p(0.95).seed(7);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[must_use]
pub struct GenerateOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_new_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_p: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    top_k: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    stop_ids: Vec<i32>,
}

impl GenerateOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most tokens that are made; 128.
    pub fn max_new_tokens(mut self, tokens: u64) -> Self {
        self.max_new_tokens = Some(tokens);
        self
    }

    /// How far the choice departs from the likeliest token; 0, which takes that one.
    pub fn temperature(mut self, temperature: f64) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Chooses among the likeliest tokens whose probabilities add up to this; 1, all.
    pub fn top_p(mut self, share: f64) -> Self {
        self.top_p = Some(share);
        self
    }

    /// Chooses among this many of the likeliest tokens; 0, all.
    pub fn top_k(mut self, tokens: u64) -> Self {
        self.top_k = Some(tokens);
        self
    }

    /// The seed of the choice; 0.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// The tokens that end the text; without them the model's end-of-sequence ids.
    pub fn stop_ids(mut self, ids: impl Into<Vec<i32>>) -> Self {
        self.stop_ids = ids.into();
        self
    }
}

/// What was generated.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generated {
    /// The new tokens.
    pub ids: Vec<i32>,
    /// Whether the closure or the token stopped it before its end.
    pub stopped: bool,
}
