//! Configurations: by name, by builder, through serde; and what they say when they are wrong.

mod common;

use ilt::config::OneOrMore;
use ilt::config::options::{LrScheduler, Optimizer};
use ilt::{Config, ConfigBuilder, ErrorKind};

#[test]
fn options_are_set_by_name() {
    let mut config = Config::new().unwrap();
    config.set("data_path", "a.jsonl").unwrap();
    config.set("betas", "[0.8, 0.9]").unwrap();
    assert_eq!(config.get("beta1").unwrap(), "0.8");
    assert_eq!(config.get("data_path").unwrap(), r#"["a.jsonl"]"#);
    let error = config.set("num_epochs", "none").unwrap_err();
    assert_eq!((error.kind(), error.kind().status()), (ErrorKind::Config, -4));
    assert_eq!(error.detail()["expected"], "an integer >= 1");
    assert_eq!(config.get("epochs").unwrap_err().detail()["key"], "epochs");
    assert_eq!(config.set("model_path", "nul\0").unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_builder_sets_what_it_is_told_and_no_more() {
    let config = Config::builder()
        .model_path("model")
        .data_path(["a.jsonl", "b.jsonl"])
        .data_weights([1.0, 0.5])
        .learning_rate(2e-5)
        .lr_scheduler(LrScheduler::WarmupStableDecay)
        .optimizer(Optimizer::Adamw8bit)
        .betas([0.9, 0.99])
        .nesterov(false)
        .build()
        .unwrap();
    for (key, value) in [
        ("model_path", "model"),
        ("data_path", r#"["a.jsonl","b.jsonl"]"#),
        ("data_weights", "[1.0,0.5]"),
        ("learning_rate", "2e-05"),
        ("lr_scheduler", "warmup_stable_decay"),
        ("optimizer", "adamw_8bit"),
        ("beta2", "0.99"),
        ("seed", "42"),
    ] {
        assert_eq!(config.get(key).unwrap(), value, "{key}");
    }
    let error = Config::builder().learning_rate(-1.0).build().unwrap_err();
    assert_eq!((error.kind(), error.detail()["key"].as_str()), (ErrorKind::Config, Some("learning_rate")));
}

#[test]
fn every_option_has_its_field_under_every_name() {
    let schema: serde_json::Value = serde_json::from_str(Config::schema()).unwrap();
    let options = common::options().build().unwrap().to_json().unwrap();
    let options: serde_json::Value = serde_json::from_str(&options).unwrap();
    for (name, option) in schema["properties"].as_object().unwrap() {
        let aliases = option["x-aliases"].as_array().into_iter().flatten().map(|alias| alias.as_str().unwrap());
        for name in std::iter::once(name.as_str()).chain(aliases) {
            let object = serde_json::json!({ name: null });
            let read = serde_json::from_value::<ConfigBuilder>(object);
            assert_eq!(read.ok(), Some(ConfigBuilder::default()), "{name}");
        }
    }
    // What the library writes, the builder reads, and gives back.
    let builder: ConfigBuilder = serde_json::from_value(options.clone()).unwrap();
    let again = builder.build().unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&again.to_json().unwrap()).unwrap(), options);
}

#[test]
fn serde_reads_and_writes_both_kinds() {
    let text = r#"{"model_path": "m", "lr": 0.001, "validation_data_path": "v.jsonl", "overlong": "truncate"}"#;
    let builder: ConfigBuilder = serde_json::from_str(text).unwrap();
    assert_eq!(
        builder,
        Config::builder()
            .model_path("m")
            .learning_rate(1e-3)
            .validation_data_path("v.jsonl")
            .overlong(ilt::config::options::Overlong::Truncate)
    );
    assert_eq!(serde_json::from_str::<ConfigBuilder>(&serde_json::to_string(&builder).unwrap()).unwrap(), builder);
    assert!(serde_json::from_str::<ConfigBuilder>(r#"{"learning_rat": 1}"#).is_err());

    let config: Config = serde_json::from_str(text).unwrap();
    assert_eq!(config.get("learning_rate").unwrap(), "0.001");
    let value = serde_json::to_value(&config).unwrap();
    assert_eq!(value["overlong"], "truncate");
    let error = serde_json::from_str::<Config>(r#"{"learning_rat": 1}"#).unwrap_err();
    assert!(error.to_string().contains("learning_rate"), "{error}");
    assert_eq!(OneOrMore::from(String::from("a")), OneOrMore::from("a"));
}

#[test]
fn validation_says_what_is_missing() {
    let error = Config::new().unwrap().validate().unwrap_err();
    assert_eq!(error.detail()["key"], "model_path");
    common::options().build().unwrap().validate().unwrap();
    let error = Config::builder().model_path("m").data_path("d").build().unwrap().validate().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(format!("{:?}", Config::new().unwrap()).contains("lr_scheduler"));
}
