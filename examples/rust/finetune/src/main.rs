//! Fine-tunes a model on a file of chat records, shows each step, and saves the result.
//!
//! `finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]`

use std::ops::ControlFlow;
use std::process::ExitCode;

use ilt::{CheckpointKind, Config, Event, EventKind, Session};

fn show_step(event: &mut Event<'_>) -> ControlFlow<()> {
    let metrics = event.metrics();
    if event.kind() == EventKind::StepEnd {
        println!(
            "step {} of {}: loss {:.4}, gradient norm {:.3}, {:.0} tokens/s",
            metrics.step,
            metrics.step_total.unwrap_or_default(),
            metrics.loss,
            metrics.grad_norm,
            metrics.tokens_per_second
        );
    }
    ControlFlow::Continue(()) // Break would stop the run after this step
}

fn finetune(model: &str, data: &str, out: &str, options: &[String]) -> ilt::Result<()> {
    let mut config = Config::builder()
        .model_path(model)
        .data_path(data)
        .effective_batch_size(16)
        .max_seq_len(2048)
        .max_batch_len(4096)
        .learning_rate(1e-5)
        .build()?;
    for option in options {
        let (key, value) = option.split_once('=').unwrap_or((option, ""));
        config.set(key, value)?;
    }

    let mut session = Session::new(&config)?;
    session.on_event(show_step)?;
    let _ = session.run()?; // stopped or at its end: the result is saved
    session.save(out, CheckpointKind::Weights)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, data, out, options @ ..] = &arguments[..] else {
        eprintln!("usage: finetune MODEL_FOLDER DATA.jsonl OUT_FOLDER [option=value ...]");
        return ExitCode::from(2);
    };
    match finetune(model, data, out, options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", error.kind());
            ExitCode::FAILURE
        }
    }
}
