//! Closures that libilt calls: what they are told, how they stop a run, where their panics go, when they are dropped.

mod common;

use std::ops::ControlFlow::{Break, Continue};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};

use ilt::{CheckpointKind, Dataset, EventKind, GenerateOptions, Outcome, Session};

fn run(session: &mut Session) -> Outcome {
    session.run().unwrap()
}

/// The text of the panic that the closure ends in.
fn panic_of(body: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(body)).unwrap_err();
    (*panic.downcast::<&str>().unwrap()).to_owned()
}

#[test]
fn a_run_tells_of_itself() {
    let scratch = common::Scratch::new();
    let config = common::options()
        .data_path(common::data().to_string_lossy())
        .ckpt_output_dir(scratch.join("run").to_string_lossy())
        .build()
        .unwrap();
    let mut session = Session::new(&config).unwrap();
    let (sender, events) = mpsc::channel();
    session
        .on_event(move |event| {
            sender.send((event.kind(), event.metrics().step, event.path().map(ToOwned::to_owned))).unwrap();
            Continue(())
        })
        .unwrap();
    assert_eq!(run(&mut session), Outcome::Finished);
    drop(session);

    let events: Vec<_> = events.iter().collect();
    let of = |kind| events.iter().filter(move |event| event.0 == kind);
    assert_eq!(events.first().unwrap().0, EventKind::RunBegin);
    assert_eq!(events.last().unwrap().0, EventKind::RunEnd);
    assert_eq!(of(EventKind::StepEnd).map(|event| event.1).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(of(EventKind::EpochEnd).map(|event| event.1).collect::<Vec<_>>(), [2, 4]);
    assert!(of(EventKind::Checkpoint).count() > 0);
    assert!(of(EventKind::Checkpoint).all(|event| event.2.as_ref().unwrap().is_dir()));
    assert!(of(EventKind::StepEnd).all(|event| event.2.is_none()));
}

#[test]
fn a_closure_stops_the_run_which_then_goes_on() {
    let mut session = common::session();
    session.on_event(|event| if event.kind() == EventKind::StepEnd { Break(()) } else { Continue(()) }).unwrap();
    assert_eq!(run(&mut session), Outcome::Stopped);
    assert_eq!(session.metrics().unwrap().step, 1);
    session.remove_callback().unwrap();
    assert_eq!(run(&mut session), Outcome::Finished);
    assert_eq!(session.metrics().unwrap().step, 4);
}

#[test]
fn a_closure_saves_scores_and_generates_while_the_run_waits() {
    let scratch = common::Scratch::new();
    let path = scratch.join("at-2");
    let mut session = common::session();
    let (sender, results) = mpsc::channel();
    let saved = path.clone();
    session
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd && event.metrics().step == 2 {
                let step = event.metrics().step;
                let mut session = event.session();
                assert_eq!(session.metrics().unwrap().step, step);
                assert_eq!(session.model_info().unwrap().layers, 2);
                assert_eq!(session.config().unwrap()["num_epochs"], 2);
                session.save(&saved, CheckpointKind::FullState).unwrap();
                let ids = session.generate(&[1], &GenerateOptions::new().max_new_tokens(2)).unwrap();
                sender.send((session.score(&[1, 2]).unwrap(), ids)).unwrap();
            }
            Continue(())
        })
        .unwrap();
    assert_eq!(run(&mut session), Outcome::Finished);
    let (scores, ids) = results.recv().unwrap();
    assert_eq!((scores.len(), ids.is_empty()), (1, false));
    assert_eq!(ilt::checkpoint::info(path).unwrap().step, 2);
}

#[test]
fn a_panic_comes_out_of_the_run_and_the_session_goes_on() {
    let mut session = common::session();
    let mut left = 1;
    session
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd && left > 0 {
                left -= 1;
                panic!("in the closure");
            }
            Continue(())
        })
        .unwrap();
    let text = panic_of(|| drop(session.run()));
    assert_eq!(text, "in the closure");
    assert_eq!(session.metrics().unwrap().step, 1);
    assert_eq!(run(&mut session), Outcome::Finished);
    assert_eq!(session.metrics().unwrap().step, 4);
}

#[test]
fn panics_of_nested_runs_come_out_of_the_inner_one() {
    let mut outer = common::session();
    let caught = Arc::new(Mutex::new(Vec::new()));
    let texts = Arc::clone(&caught);
    outer
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd {
                let mut inner = common::session();
                inner.on_event(|_| panic!("inside")).unwrap();
                texts.lock().unwrap().push(panic_of(|| drop(inner.run())));
            }
            Continue(())
        })
        .unwrap();
    assert_eq!(run(&mut outer), Outcome::Finished);
    assert_eq!(*caught.lock().unwrap(), ["inside"; 4]);
}

#[test]
fn tokens_come_one_by_one_until_the_closure_has_enough() {
    let mut session = common::session_without_data();
    let options = GenerateOptions::new().max_new_tokens(6).stop_ids([255]);
    let whole = session.generate(&[1], &options).unwrap();
    assert!(whole.len() > 2, "{whole:?}");

    let mut seen = Vec::new();
    let generated = session
        .generate_with(&[1], &options, None, |id| {
            seen.push(id);
            if seen.len() == 2 { Break(()) } else { Continue(()) }
        })
        .unwrap();
    assert!(generated.stopped);
    assert_eq!(generated.ids, whole[..2]);
    assert_eq!(seen, whole[..2]);

    let text = panic_of(|| drop(session.generate_with(&[1], &options, None, |_| panic!("at a token"))));
    assert_eq!(text, "at a token");
    assert_eq!(session.generate(&[1], &options).unwrap(), whole);
}

#[test]
fn processing_tells_how_far_it_is() {
    let scratch = common::Scratch::new();
    let config = common::options().data_path(common::data().to_string_lossy()).build().unwrap();
    let mut last = None;
    let outcome = Dataset::process_with(&config, scratch.join("data"), None, |progress| {
        last = Some(progress);
        Continue(())
    });
    assert_eq!(outcome.unwrap(), Outcome::Finished);
    let last = last.unwrap();
    assert_eq!((last.records, last.bytes_done), (4, last.bytes_total));

    let text =
        panic_of(|| drop(Dataset::process_with(&config, scratch.join("other"), None, |_| panic!("at a record"))));
    assert_eq!(text, "at a record");
    let stopped = Dataset::process_with(&config, scratch.join("other"), None, |_| Break(()));
    assert_eq!(stopped.unwrap(), Outcome::Stopped);
}

/// Tells when it is dropped.
struct Dropped(Arc<Mutex<u32>>);

impl Drop for Dropped {
    fn drop(&mut self) {
        *self.0.lock().unwrap() += 1;
    }
}

#[test]
fn closures_are_dropped_once_when_they_are_replaced_or_the_session_goes() {
    let count = Arc::new(Mutex::new(0));
    let drops = || *count.lock().unwrap();
    let mut session = common::session_without_data();
    for expected in 0..2 {
        let dropped = Dropped(Arc::clone(&count));
        session
            .on_event(move |_| {
                let _ = &dropped;
                Continue(())
            })
            .unwrap();
        assert_eq!(drops(), expected);
    }
    session.remove_callback().unwrap();
    assert_eq!(drops(), 2);
    let dropped = Dropped(Arc::clone(&count));
    let monitor = session.monitor();
    session
        .on_event(move |_| {
            let _ = (&dropped, &monitor);
            Continue(())
        })
        .unwrap();
    drop(session);
    assert_eq!(drops(), 3);
}

/// Panics when it is dropped.
struct Explosive;

impl Drop for Explosive {
    fn drop(&mut self) {
        panic!("while dropping");
    }
}

#[test]
fn dropping_a_session_never_panics() {
    let mut session = common::session_without_data();
    let explosive = Explosive;
    session
        .on_event(move |_| {
            let _ = &explosive;
            Continue(())
        })
        .unwrap();
    drop(session);
}
