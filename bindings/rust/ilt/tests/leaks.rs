//! What is left behind: nothing. One test, since it counts what the process has.

mod common;

use std::fs;
use std::ops::ControlFlow::Continue;

use ilt::{CancelToken, Config, GenerateOptions, Outcome, Tokenizer};

fn entries(folder: &str) -> usize {
    fs::read_dir(folder).unwrap().count()
}

fn resident_bytes() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

fn use_a_session() {
    let mut session = common::session();
    let token = CancelToken::new().unwrap();
    let cancel = token.clone();
    session
        .on_event(move |event| {
            if event.metrics().step == 2 {
                cancel.cancel();
            }
            Continue(())
        })
        .unwrap();
    assert_eq!(session.run_until(&token).unwrap(), Outcome::Stopped);
    session.generate(&[1, 2], &GenerateOptions::new().max_new_tokens(2)).unwrap();
}

fn make_small_calls(config: &mut Config, tokenizer: &Tokenizer) {
    config.set("seed", "7").unwrap();
    assert_eq!(config.get("seed").unwrap(), "7");
    assert!(config.get("sed").is_err());
    let ids = tokenizer.encode("Hello", false).unwrap();
    assert_eq!(tokenizer.decode(&ids, false).unwrap(), "Hello");
    drop(CancelToken::new().unwrap().clone());
}

/// How much the process has grown in so many rounds, once all that stays is there.
fn growth(rounds: u32, mut round: impl FnMut()) -> usize {
    (0..rounds / 5).for_each(|_| round());
    let before = resident_bytes();
    (0..rounds).for_each(|_| round());
    resident_bytes().saturating_sub(before)
}

#[test]
fn nothing_is_left_behind() {
    use_a_session(); // libtorch's threads are there from now on
    let count = || (entries("/proc/self/fd"), entries("/proc/self/task"));
    let before = count();
    // A session of the tiny model takes some 300 kB.
    let grown = growth(100, use_a_session);
    assert!(grown < 8 << 20, "100 sessions have left {grown} bytes");
    assert_eq!(count(), before, "files, threads");

    let mut config = Config::new().unwrap();
    let tokenizer = Tokenizer::load(common::model()).unwrap();
    // One lost string a call would be at least 32 bytes, 1.6 MB in all.
    let grown = growth(50_000, || make_small_calls(&mut config, &tokenizer));
    assert!(grown < 1 << 20, "small calls have left {grown} bytes");
}
