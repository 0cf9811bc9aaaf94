//! What small calls and steps cost in Rust: the cases of `../binding_cost.c`, which says how.

use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use ilt::{Config, Session, Tokenizer};

const BATCHES: u32 = 200;
const CALLS: u32 = 200;
const STEPS: u32 = 1000;

fn measure<T>(name: &str, batches: u32, calls: u32, mut call: impl FnMut() -> T) {
    let batch = || {
        let begin = Instant::now();
        (0..calls).for_each(|_| drop(black_box(call())));
        begin.elapsed().as_secs_f64() * 1e9 / f64::from(calls)
    };
    let least = std::iter::repeat_with(batch).take(batches as usize).fold(f64::INFINITY, f64::min);
    println!("{name} {least:.1}");
}

fn run(model: &str) -> ilt::Result<()> {
    let config = Config::builder()
        .model_path(model)
        .data_path(format!("{model}.jsonl"))
        .effective_batch_size(4)
        .max_seq_len(128)
        .max_batch_len(256)
        .learning_rate(1e-5)
        .max_steps(1_000_000)
        .num_threads(1)
        .build()?;
    let mut session = Session::new(&config)?;
    let tokenizer = Tokenizer::load(model)?;

    measure("version", BATCHES, CALLS, ilt::version_number);
    measure("metrics", BATCHES, CALLS, || session.metrics().unwrap());
    measure("encode", BATCHES, CALLS, || tokenizer.encode("Hello", false).unwrap());
    measure("decode", BATCHES, CALLS, || tokenizer.decode(&[40, 41, 42], false).unwrap());
    measure("failing", BATCHES, CALLS, || tokenizer.decode(&[-1], false).unwrap_err());
    measure("step", STEPS, 1, || session.step().unwrap());
    Ok(())
}

fn main() -> ExitCode {
    let Some(model) = std::env::args().nth(1) else { return ExitCode::from(2) };
    match run(&model) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}
