//! Runs of the tiny model: steps, whole runs, several sessions, what comes of them.

mod common;

use std::thread;

use ilt::{CheckpointKind, Config, ErrorKind, GenerateOptions, Outcome, Session};

/// The losses of a whole run, alone.
fn losses() -> Vec<u64> {
    common::session().steps().map(|metrics| metrics.unwrap().loss.to_bits()).collect()
}

#[test]
fn steps_train_until_done() {
    let mut session = common::session();
    let before = session.metrics().unwrap();
    assert_eq!((before.step, before.step_total), (0, Some(4)));
    assert!(before.loss.is_nan());
    assert_eq!(before.eval_loss, None);

    let first = session.step().unwrap().unwrap();
    assert_eq!((first.step, first.samples_seen), (1, 2));
    let rest: Vec<_> = session.steps().map(Result::unwrap).collect();
    assert_eq!(rest.len(), 3);
    let last = rest.last().unwrap();
    assert_eq!((last.step, last.samples_seen, last.epoch), (4, 8, 1));
    assert!(last.loss < first.loss, "{} is not below {}", last.loss, first.loss);
    assert!(session.step().unwrap().is_none());
    assert_eq!(session.metrics().unwrap(), *last);
}

#[test]
fn a_run_takes_the_steps_that_remain() {
    let mut session = common::session();
    session.step().unwrap();
    assert_eq!(session.run().unwrap(), Outcome::Finished);
    assert_eq!(session.metrics().unwrap().step, 4);
    assert_eq!(session.metrics().unwrap().loss.to_bits(), losses()[3]);
}

#[test]
fn sessions_in_turn_and_at_once_have_the_losses_of_one_alone() {
    let alone = losses();
    assert_eq!(losses(), alone);
    let threads: Vec<_> = (0..2).map(|_| thread::spawn(losses)).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), alone);
    }
}

#[test]
fn a_session_moves_between_threads() {
    let mut session = common::session();
    let first = session.step().unwrap().unwrap();
    let (mut session, second) = thread::spawn(move || {
        let second = session.step().unwrap().unwrap();
        (session, second)
    })
    .join()
    .unwrap();
    assert_eq!((first.step, second.step), (1, 2));
    assert_eq!(session.steps().count(), 2);
}

#[test]
fn a_session_without_data_scores_and_does_not_train() {
    let mut session = common::session_without_data();
    let error = session.step().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidState);
    assert!(error.message().contains("data_path"), "{error}");
    let mut steps = session.steps();
    assert!(steps.next().unwrap().is_err());
    assert!(steps.next().is_none());

    let logprobs = session.score(&[1, 2, 3]).unwrap();
    assert_eq!(logprobs.len(), 2);
    assert!(logprobs.iter().all(|&p| p <= 0.0), "{logprobs:?}");
    assert_eq!(session.score(&[1]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(session.score(&[]).unwrap_err().kind(), ErrorKind::InvalidArgument);
    assert_eq!(session.score(&[1, 1_000_000]).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn generation_takes_options_and_repeats_itself() {
    let mut session = common::session_without_data();
    let options = GenerateOptions::new().max_new_tokens(8).temperature(1.0).top_k(50).top_p(0.9).seed(3);
    let ids = session.generate(&[1, 2], &options).unwrap();
    assert!((1..=8).contains(&ids.len()), "{ids:?}");
    assert_eq!(session.generate(&[1, 2], &options).unwrap(), ids);

    let stop =
        GenerateOptions::new().max_new_tokens(8).temperature(1.0).top_k(50).top_p(0.9).seed(3).stop_ids([ids[0]]);
    assert!(session.generate(&[1, 2], &stop).unwrap().len() <= 1);
    let error = session.generate(&[1], &GenerateOptions::new().top_p(2.0)).unwrap_err();
    assert_eq!((error.kind(), error.detail()["key"].as_str()), (ErrorKind::Config, Some("top_p")));
    assert_eq!(session.generate(&[], &options).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_session_tells_of_itself() {
    let mut session = common::session();
    assert_eq!(session.config().unwrap()["effective_batch_size"], 2);
    let info = session.model_info().unwrap();
    assert_eq!((info.architecture.as_str(), info.layers, info.device.as_str()), ("LlamaForCausalLM", 2, "cpu"));
    assert_eq!(info.parameters, info.trainable_parameters);
    assert!(format!("{session:?}").contains("step: 0"));
}

#[test]
fn a_saved_model_is_a_model_and_goes_on_from_its_weights() {
    let scratch = common::Scratch::new();
    let mut trained = common::session();
    assert_eq!(trained.run().unwrap(), Outcome::Finished);
    trained.save(scratch.join("model"), CheckpointKind::Weights).unwrap();
    let config = common::options().model_path(scratch.join("model").to_string_lossy()).build().unwrap();
    let mut loaded = Session::new(&config).unwrap();
    assert_eq!(loaded.score(&[1, 2, 3, 4]).unwrap(), trained.score(&[1, 2, 3, 4]).unwrap());
}

#[test]
fn what_is_missing_is_named() {
    let error = Session::new(&Config::new().unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.detail()["key"].as_str()), (ErrorKind::Config, Some("model_path")));
    let config = common::options().model_path("/no/such/model").build().unwrap();
    let error = Session::new(&config).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("/no/such/model"), "{error}");
    let config = common::options().device("cuda:77").build().unwrap();
    assert_eq!(Session::new(&config).unwrap_err().kind(), ErrorKind::Device);
}
