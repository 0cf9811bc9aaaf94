//! Cancelling and watching from other threads, and dropping things in any order.

mod common;

use std::ops::ControlFlow::{Break, Continue};
use std::sync::mpsc;
use std::thread;

use ilt::{
    CancelToken, Config, Dataset, Error, EventKind, GenerateOptions, Outcome, Session, SessionMonitor, Tokenizer,
};

/// A run that ends only when it is told to.
fn endless_session() -> Session {
    let config = common::options().data_path(common::data().to_string_lossy()).max_steps(1_000_000_000);
    Session::new(&config.build().unwrap()).unwrap()
}

#[test]
fn types_go_where_the_header_lets_them() {
    fn send<T: Send>() {}
    fn send_and_sync<T: Send + Sync>() {}
    send::<Session>();
    send_and_sync::<CancelToken>();
    send_and_sync::<Config>();
    send_and_sync::<Dataset>();
    send_and_sync::<Error>();
    send_and_sync::<SessionMonitor>();
    send_and_sync::<Tokenizer>();
}

#[test]
fn another_thread_cancels_a_run() {
    let mut session = endless_session();
    let token = CancelToken::new().unwrap();
    let (sender, steps) = mpsc::channel();
    session
        .on_event(move |event| {
            if event.kind() == EventKind::StepEnd {
                let _ = sender.send(event.metrics().step);
            }
            Continue(())
        })
        .unwrap();
    let other = token.clone();
    let canceller = thread::spawn(move || {
        while steps.recv().unwrap() < 3 {}
        other.cancel();
    });
    assert_eq!(session.run_until(&token).unwrap(), Outcome::Stopped);
    canceller.join().unwrap();
    assert!(token.is_cancelled());
    let step = session.metrics().unwrap().step;
    assert!(step >= 3);
    assert_eq!(session.step().unwrap().unwrap().step, step + 1);
}

#[test]
fn a_cancelled_token_stops_everything_long() {
    let token = CancelToken::new().unwrap();
    token.cancel();
    let mut session = common::session();
    assert_eq!(session.run_until(&token).unwrap(), Outcome::Stopped);
    assert_eq!(session.metrics().unwrap().step, 0);
    let generated = session.generate_with(&[1], &GenerateOptions::new(), Some(&token), |_| Continue(())).unwrap();
    assert!(generated.stopped);

    let scratch = common::Scratch::new();
    let config = common::options().data_path(common::data().to_string_lossy()).build().unwrap();
    assert!(Dataset::create_with(&config, &token).unwrap().is_none());
    let processed = Dataset::process_with(&config, scratch.join("data"), Some(&token), |_| Continue(()));
    assert_eq!(processed.unwrap(), Outcome::Stopped);
    assert!(!scratch.join("data").exists());
}

#[test]
fn a_monitor_watches_until_the_session_is_gone() {
    let mut session = endless_session();
    let monitor = session.monitor();
    let watched = monitor.clone();
    let token = CancelToken::new().unwrap();
    let stop = token.clone();
    let thread = thread::spawn(move || {
        while watched.metrics().unwrap().unwrap().step < 3 {
            thread::yield_now();
        }
        let json = watched.metrics_json().unwrap().unwrap();
        stop.cancel();
        json
    });
    assert_eq!(session.run_until(&token).unwrap(), Outcome::Stopped);
    let json: serde_json::Value = serde_json::from_str(&thread.join().unwrap()).unwrap();
    assert!(json["step"].as_u64().unwrap() >= 3);
    assert!(monitor.is_alive());
    drop(session);
    assert!(!monitor.is_alive());
    assert!(monitor.metrics().is_none());
    monitor.request_save();
}

#[test]
fn a_monitor_asks_for_a_save() {
    let scratch = common::Scratch::new();
    let config = common::options()
        .data_path(common::data().to_string_lossy())
        .ckpt_output_dir(scratch.join("run").to_string_lossy())
        .checkpoint_at_epoch(false)
        .full_state_at_epoch(false)
        .build()
        .unwrap();
    let mut session = Session::new(&config).unwrap();
    session.monitor().request_save();
    session.on_event(|event| if event.metrics().step == 2 { Break(()) } else { Continue(()) }).unwrap();
    assert_eq!(session.run().unwrap(), Outcome::Stopped);
    let states = ilt::checkpoint::list(scratch.join("run")).unwrap();
    assert_eq!(states[0].step, 1);
}

#[test]
fn things_are_dropped_in_any_order() {
    let config = common::options().build().unwrap();
    let mut data = Dataset::create(&config).unwrap();
    data.add_json(std::fs::read_to_string(common::data()).unwrap().lines().next().unwrap()).unwrap();
    let mut session = Session::new(&config).unwrap();
    drop(config);
    session.set_datasets(&data, None).unwrap();
    drop(data);
    let token = CancelToken::new().unwrap();
    let clone = token.clone();
    drop(token);
    assert_eq!(session.run_until(&clone).unwrap(), Outcome::Finished);
    drop(session);
    clone.cancel();
    assert!(clone.is_cancelled());
}
