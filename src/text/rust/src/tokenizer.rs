//! A Hugging Face tokenizer that neither cuts nor pads, with the facts about its vocabulary that are asked often.

use std::collections::HashSet;

use tokenizers::Tokenizer;

pub struct TextTokenizer {
    inner: Tokenizer,
    special: HashSet<u32>,
    pub vocab_size: usize,
    pub longest_token: usize,
}

impl TextTokenizer {
    pub fn from_json(json: &[u8]) -> Result<Self, String> {
        let mut inner = Tokenizer::from_bytes(json).map_err(|e| e.to_string())?;
        // What a training script once saved must not shorten other people's samples.
        inner.with_truncation(None).map_err(|e| e.to_string())?;
        inner.with_padding(None);
        let special =
            inner.get_added_tokens_decoder().iter().filter(|(_, token)| token.special).map(|(id, _)| *id).collect();
        let vocab = inner.get_vocab(true);
        let vocab_size = vocab.values().max().map_or(0, |id| *id as usize + 1);
        let longest_token = vocab.keys().map(String::len).max().unwrap_or(1);
        Ok(Self { inner, special, vocab_size, longest_token })
    }

    /// Ids, and their byte ranges flattened to pairs. Encodes on the calling thread only.
    pub fn encode(&self, text: &str, add_special: bool) -> Result<(Box<[u32]>, Box<[usize]>), String> {
        let encoding = self.inner.encode(text, add_special).map_err(|e| e.to_string())?;
        let offsets = encoding.get_offsets().iter().flat_map(|&(begin, end)| [begin, end]).collect();
        Ok((encoding.get_ids().into(), offsets))
    }

    pub fn decode(&self, ids: &[u32], skip_special: bool) -> Result<String, String> {
        self.inner.decode(ids, skip_special).map_err(|e| e.to_string())
    }

    pub fn token_id(&self, token: &str) -> Option<u32> {
        self.inner.token_to_id(token)
    }

    pub fn is_special(&self, id: u32) -> bool {
        self.special.contains(&id)
    }
}
