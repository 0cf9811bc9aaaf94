//! Data sets and tokenizers.

mod common;

use ilt::{Dataset, ErrorKind, Message, Outcome, Sample, Session, StatsOptions, Tokenizer};
use serde_json::json;

#[test]
fn records_are_added_and_trained_on() {
    let config = common::options().build().unwrap();
    let mut data = Dataset::create(&config).unwrap();
    assert!(data.is_empty());
    let record = |text: &str| json!({"messages": [Message::new("user", "Hi."), Message::new("assistant", text)]});
    for text in ["Hello!", "Hi!"] {
        assert!(data.add(&record(text)).unwrap());
    }
    assert!(!data.add(&record(&"long ".repeat(200))).unwrap());
    let error = data.add(&json!({"nothing": 1})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data);

    assert_eq!(data.len(), 2);
    let samples: Vec<Sample> = data.samples().map(Result::unwrap).collect();
    assert_eq!(samples.iter().map(|s| s.ids.len() as u64).sum::<u64>(), data.num_tokens());
    assert!(samples[0].labels.iter().zip(&samples[0].ids).all(|(&l, &id)| l == id || l == Sample::IGNORED));
    assert_eq!(data.sample(2).unwrap_err().kind(), ErrorKind::InvalidArgument);

    let stats = data.stats(&StatsOptions::default()).unwrap();
    assert_eq!((stats.samples, stats.tokens), (2, data.num_tokens()));
    assert_eq!(stats.dropped.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), 1);
    assert!(stats.packing.is_none());
    let packing = StatsOptions { max_batch_len: Some(256), effective_batch_size: Some(2), ranks: Some(1) };
    assert_eq!(data.stats(&packing).unwrap().packing.unwrap()["micro_batches"], 1);

    let mut session = Session::new(&config).unwrap();
    session.set_datasets(&data, Some(&data)).unwrap();
    assert_eq!(data.add(&record("Late.")).unwrap_err().kind(), ErrorKind::InvalidState);
    assert_eq!(session.run().unwrap(), Outcome::Finished);
    assert!(session.metrics().unwrap().eval_loss.is_some());
    assert_eq!(session.set_datasets(&data, None).unwrap_err().kind(), ErrorKind::InvalidState);
}

#[test]
fn a_processed_file_holds_what_its_records_give() {
    let scratch = common::Scratch::new();
    let config = common::options().data_path(common::data().to_string_lossy()).build().unwrap();
    let path = scratch.join("data.safetensors");
    Dataset::process(&config, &path).unwrap();
    let (file, memory) = (Dataset::open(&path).unwrap(), Dataset::create(&config).unwrap());
    assert_eq!((file.len(), file.num_tokens()), (4, memory.num_tokens()));
    for (a, b) in file.samples().zip(memory.samples()) {
        assert_eq!(a.unwrap(), b.unwrap());
    }
    assert_eq!(Dataset::open(scratch.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn text_becomes_tokens_and_text_again() {
    let tokenizer = Tokenizer::load(common::model()).unwrap();
    let ids = tokenizer.encode("Hello, world!", false).unwrap();
    assert_eq!(tokenizer.decode(&ids, false).unwrap(), "Hello, world!");
    assert!(tokenizer.encode("", false).unwrap().is_empty());
    assert_eq!(tokenizer.decode(&[], false).unwrap(), "");
    assert!(ids.iter().all(|&id| usize::try_from(id).unwrap() < tokenizer.vocab_size()));
    assert_eq!(tokenizer.decode(&[-1], false).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(Tokenizer::load("/no/such/model").unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(Tokenizer::load("nul\0").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn chat_goes_through_the_template() {
    let tokenizer = Tokenizer::load(common::model()).unwrap();
    let messages = [Message::new("user", "Say hello."), Message::new("assistant", "Hello!")];
    let open = tokenizer.render_chat(&messages[..1], true).unwrap();
    let whole = tokenizer.render_chat(&messages, false).unwrap();
    assert!(whole.starts_with(&open), "{whole} does not begin with {open}");

    let sample = tokenizer.apply_chat(&json!({ "messages": messages })).unwrap();
    assert_eq!(sample, tokenizer.apply_chat(&messages).unwrap());
    assert_eq!(tokenizer.encode(&whole, false).unwrap(), sample.ids);
    let learnt: Vec<_> = sample.labels.into_iter().filter(|&label| label != Sample::IGNORED).collect();
    assert!(tokenizer.decode(&learnt, false).unwrap().starts_with("Hello!"));
    assert_eq!(tokenizer.apply_chat(&json!({"messages": []})).unwrap_err().kind(), ErrorKind::Data);
}
