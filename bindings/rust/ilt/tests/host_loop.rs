//! The host's own loop, evaluation, epochs, live settings, and going back to a state.

mod common;

use std::ops::ControlFlow::Continue;

use ilt::{Batch, CancelToken, CheckpointKind, Config, Dataset, ErrorKind, EventKind, Outcome, Sample, Session};

/// The data in order, so that a loop of one's own can take a run's samples.
fn ordered_session() -> Session {
    let config = common::options().data_path(common::data().to_string_lossy()).shuffle(false);
    Session::new(&config.build().unwrap()).unwrap()
}

fn samples() -> Vec<Sample> {
    let config = common::options().data_path(common::data().to_string_lossy()).build().unwrap();
    Dataset::create(&config).unwrap().samples().map(Result::unwrap).collect()
}

#[test]
fn the_host_takes_the_steps_of_a_run() {
    let expected: Vec<_> = ordered_session().steps().map(|metrics| metrics.unwrap().loss.to_bits()).collect();
    let mut session = Session::new(&common::options().max_steps(4).build().unwrap()).unwrap();
    let mut batch = Batch::new().unwrap();
    let mut losses = Vec::new();
    for step in [samples(), samples()].concat().chunks(2) {
        batch.clear().unwrap();
        for sample in step {
            batch.add(&sample.ids, Some(&sample.labels), None).unwrap();
        }
        let loss = session.forward_backward(&batch).unwrap();
        let metrics = session.optimizer_step().unwrap().unwrap();
        assert_eq!(metrics.loss.to_bits(), loss.mean().to_bits());
        losses.push(metrics.loss.to_bits());
    }
    assert_eq!(losses, expected);
    session.forward_backward(&batch).unwrap();
    assert!(session.optimizer_step().unwrap().is_none());
}

#[test]
fn gradients_add_up_and_are_dropped() {
    let mut session = common::session_without_data();
    session.set_learning_rate(Some(1e-3)).unwrap();
    let mut batch = Batch::new().unwrap();
    batch.add(&[1, 2, 3], None, None).unwrap();
    let whole = session.forward_backward(&batch).unwrap();
    assert!((whole.weight - 2.0).abs() < 1e-12);

    session.zero_grad().unwrap();
    assert_eq!(session.optimizer_step().unwrap_err().kind(), ErrorKind::InvalidState);

    batch.clear().unwrap();
    batch.add(&[1, 2, 3], Some(&[Sample::IGNORED, 2, 3]), Some(&[0.0, 0.5, 0.0])).unwrap();
    let part = session.forward_backward(&batch).unwrap();
    assert!((part.weight - 0.5).abs() < 1e-12);
    assert!(part.sum < whole.sum);
    let again = session.forward_backward(&batch).unwrap();
    assert_eq!(again, part);
    let metrics = session.optimizer_step_by(2.0).unwrap().unwrap();
    assert!((metrics.loss - part.sum).abs() < 1e-6, "{} is not {}", metrics.loss, part.sum);
    let _ = session.forward_backward(&batch).unwrap();
    assert_eq!(session.optimizer_step_by(-1.0).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn a_batch_refuses_what_cannot_be() {
    let mut batch = Batch::new().unwrap();
    assert!(batch.is_empty().unwrap());
    for (ids, labels, weights) in [
        (&[][..], None, None),
        (&[-1][..], None, None),
        (&[1, 2][..], Some(&[1][..]), None),
        (&[1, 2][..], None, Some(&[1.0][..])),
        (&[1, 2][..], Some(&[1, -7][..]), None),
        (&[1, 2][..], None, Some(&[1.0, f32::NAN][..])),
    ] {
        assert_eq!(batch.add(ids, labels, weights).unwrap_err().kind(), ErrorKind::InvalidArgument, "{ids:?}");
    }
    let mut session = common::session_without_data();
    assert_eq!(session.forward_backward(&batch).unwrap_err().kind(), ErrorKind::InvalidArgument);
    batch.add(&[1, 1_000_000], None, None).unwrap();
    assert_eq!((batch.len().unwrap(), batch.num_tokens().unwrap()), (1, 2));
    assert_eq!(session.forward_backward(&batch).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn evaluation_is_the_validation_of_a_run() {
    let config = common::options()
        .data_path(common::data().to_string_lossy())
        .validation_data_path(common::data().to_string_lossy())
        .build()
        .unwrap();
    let data = Dataset::create(&config).unwrap();
    let mut session = Session::new(&config).unwrap();
    assert_eq!(session.run().unwrap(), Outcome::Finished);
    let evaluation = session.evaluate(None).unwrap();
    assert_eq!(Some(evaluation.loss), session.metrics().unwrap().eval_loss);
    assert_eq!(evaluation.tokens, data.stats(&ilt::StatsOptions::default()).unwrap().supervised_tokens);
    assert!((session.evaluate(Some(&data)).unwrap().loss - evaluation.loss).abs() < 1e-6);

    let token = CancelToken::new().unwrap();
    assert_eq!(session.evaluate_until(None, &token).unwrap(), Some(evaluation));
    token.cancel();
    assert_eq!(session.evaluate_until(None, &token).unwrap(), None);
    assert_eq!(common::session().evaluate(None).unwrap_err().kind(), ErrorKind::InvalidState);
}

#[test]
fn epochs_make_a_run() {
    let mut whole = common::session();
    let _ = whole.run().unwrap();
    let mut session = common::session();
    let mut ends = Vec::new();
    while let Some(outcome) = session.run_epoch().unwrap() {
        assert_eq!(outcome, Outcome::Finished);
        ends.push(session.metrics().unwrap().step);
    }
    assert_eq!(ends, [2, 4]);
    assert_eq!(session.metrics().unwrap().loss.to_bits(), whole.metrics().unwrap().loss.to_bits());

    let token = CancelToken::new().unwrap();
    token.cancel();
    assert_eq!(common::session().run_epoch_until(&token).unwrap(), Some(Outcome::Stopped));
}

#[test]
fn the_learning_rate_is_set_while_a_run_goes_on() {
    let mut session = common::session();
    let monitor = session.monitor();
    let rates = monitor.clone();
    session
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd {
                rates.set_learning_rate((event.metrics().step < 2).then_some(5e-4)).unwrap();
                assert!(event.session().evaluate(None).is_err()); // no validation data, but no other error
            }
            Continue(())
        })
        .unwrap();
    let _ = session.run_epoch().unwrap();
    assert!((session.metrics().unwrap().lr - 5e-4).abs() < 1e-12);
    let scheduled = session.step().unwrap().unwrap().lr;
    assert_eq!(scheduled.to_bits(), common::session().steps().nth(2).unwrap().unwrap().lr.to_bits());
    for rate in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(session.set_learning_rate(Some(rate)).unwrap_err().kind(), ErrorKind::InvalidArgument, "{rate}");
    }
    assert!(!session.is_poisoned());
    drop(session);
    monitor.set_learning_rate(Some(1.0)).unwrap();
}

#[test]
fn a_session_goes_back_to_a_state() {
    let scratch = common::Scratch::new();
    let mut session = common::session();
    session.step().unwrap();
    session.save(scratch.join("state"), CheckpointKind::FullState).unwrap();
    let first: Vec<_> = session.steps().map(|metrics| metrics.unwrap().loss.to_bits()).collect();
    session.load(scratch.join("state")).unwrap();
    assert_eq!(session.metrics().unwrap().step, 1);
    let second: Vec<_> = session.steps().map(|metrics| metrics.unwrap().loss.to_bits()).collect();
    assert_eq!(first, second);
    assert_eq!(session.load(scratch.join("none")).unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn memory_is_estimated_before_a_session_takes_it() {
    let estimate = common::options().build().unwrap().memory_estimate().unwrap();
    let parameters = common::session_without_data().model_info().unwrap().parameters;
    assert_eq!((estimate.weights, estimate.gradients), (4 * parameters, 4 * parameters));
    assert_eq!(estimate.tokens, 256);
    let parts = estimate.weights + estimate.gradients + estimate.optimizer + estimate.activations + estimate.loss;
    assert_eq!(estimate.total, parts);
    assert_eq!(Config::new().unwrap().memory_estimate().unwrap_err().kind(), ErrorKind::Config);
}
