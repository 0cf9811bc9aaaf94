//! Full states on disk, and models in other formats.

mod common;

use ilt::checkpoint::{self, ExportOptions};
use ilt::model::{self, ModelFormat};
use ilt::{CheckpointKind, ErrorKind, Session};

#[test]
fn states_are_listed_verified_described_compared_and_exported() {
    let scratch = common::Scratch::new();
    let run = scratch.join("run");
    let config = common::options()
        .data_path(common::data().to_string_lossy())
        .ckpt_output_dir(run.to_string_lossy())
        .save_every_steps(1)
        .build()
        .unwrap();
    let mut session = Session::new(&config).unwrap();
    let _ = session.run().unwrap();

    let states = checkpoint::list(&run).unwrap();
    assert_eq!(states.iter().map(|state| state.step).collect::<Vec<_>>(), [3, 4]);
    assert!(states.iter().all(|state| state.bytes.is_some() && state.fault.is_none()));
    let (third, fourth) = (&states[0].path, &states[1].path);
    checkpoint::verify(fourth).unwrap();
    let info = checkpoint::info(fourth).unwrap();
    assert_eq!((info.step, info.samples_seen), (4, 8));
    assert_eq!(info.config["learning_rate"], 1e-3);

    assert!(checkpoint::diff(third, third).unwrap().equal);
    let diff = checkpoint::diff(third, fourth).unwrap();
    assert!(!diff.equal);
    assert_eq!(diff.run["step"], serde_json::json!([3, 4]));
    assert!(diff.tensors.iter().any(|tensor| tensor.max_abs.unwrap() > 0.0));

    let exported = scratch.join("exported");
    let options = ExportOptions { save_dtype: Some("float32".into()), ..ExportOptions::default() };
    checkpoint::export(fourth, &exported, Some(&options)).unwrap();
    let config = common::options().model_path(exported.to_string_lossy()).build().unwrap();
    let mut loaded = Session::new(&config).unwrap();
    assert_eq!(loaded.score(&[1, 2, 3]).unwrap(), session.score(&[1, 2, 3]).unwrap());
    checkpoint::export(fourth, scratch.join("again"), None).unwrap();
}

#[test]
fn a_damaged_state_is_found() {
    let scratch = common::Scratch::new();
    let path = scratch.join("state");
    common::session().save(&path, CheckpointKind::FullState).unwrap();
    checkpoint::verify(&path).unwrap();
    let weights = path.join("weights.safetensors");
    let mut bytes = std::fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&weights, bytes).unwrap();
    let error = checkpoint::verify(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Format);
    assert!(error.message().contains("weights.safetensors"), "{error}");
    assert_eq!(checkpoint::info(scratch.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(checkpoint::list(scratch.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn models_are_written_in_other_formats_and_folders_are_kept() {
    let scratch = common::Scratch::new();
    model::export(common::model(), scratch.join("hf"), ModelFormat::Hf, Some("float32")).unwrap();
    assert!(scratch.join("hf").join("config.json").exists());
    let error = model::export(common::model(), scratch.join("gguf"), ModelFormat::Gguf, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}"); // GGUF has no name for its tokenizer
    let error = model::export(common::model(), scratch.join("other"), ModelFormat::Hf, Some("int3")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);

    std::fs::create_dir(scratch.join("mine")).unwrap();
    std::fs::write(scratch.join("mine").join("thesis.txt"), "words").unwrap();
    let error = common::session().save(scratch.join("mine"), CheckpointKind::Weights).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(scratch.join("mine").join("thesis.txt").exists());
}
