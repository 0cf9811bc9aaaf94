//! The options of a run, as libilt describes them. Generated from its schema: `make generate`.

use super::builder::{choices, options};
use super::OneOrMore;

options! {
    /// Folder of a Hugging Face model (config.json, \*.safetensors, tokenizer.json), or a GGUF file.
    ///
    /// Model and data; needed.
    #[serde(alias = "model_name_or_path")]
    model_path: String => into,
    /// File of training records (JSON Lines, plain, gzip or zstd), folder of such files, or file that `ilt data process` has made; or a list of these. Without it a session scores, generates and saves, but does not train.
    ///
    /// Model and data; needed for training.
    data_path: OneOrMore => into,
    /// How often an epoch takes each sample of a path, one number for each of `data_path`: 1 once, 0.5 half of them (others in each epoch), 2.5 twice and half. Empty: 1 for all.
    ///
    /// Model and data; default `[]`.
    data_weights: Vec<f64> => into,
    /// File with a chat template (Jinja) that replaces the model's own.
    ///
    /// Model and data; default `""`.
    chat_template_path: String => into,
    /// The date, as 2026-01-31, for chat templates that print one. Empty: today's, which is then reported.
    ///
    /// Model and data; default `""`.
    chat_template_date: String => into,
    /// Folder for checkpoints and the metrics file. Empty: a run writes nothing by itself.
    ///
    /// Model and data; default `""`.
    #[serde(alias = "output_dir")]
    ckpt_output_dir: String => into,
    /// Whether the embedding (and the head) grows where the tokenizer has tokens beyond its rows, as after adding some to it. New rows begin as the mean of the others.
    ///
    /// Model and data; default `false`.
    resize_vocab: bool,
    /// With `resize_vocab`: the rows are padded to a multiple of this; 64 suits most accelerators.
    ///
    /// Model and data; at least 1; at most 65536; default `1`.
    resize_vocab_multiple: u64,
    /// Samples in one optimizer step.
    ///
    /// Batches; at least 1; needed for training.
    effective_batch_size: u64,
    /// Most tokens in one micro-batch: a step's samples are packed into micro-batches of this size, without padding. Bounds the memory; the result does not depend on it. A sample that is longer has a micro-batch of its own.
    ///
    /// Batches; at least 1; needed for training.
    max_batch_len: u64,
    /// Most tokens in one sample, inclusive. Longer ones are handled as `overlong` says.
    ///
    /// Batches; at least 2; needed for training.
    max_seq_len: u64,
    /// Fewest tokens in one sample, inclusive. Shorter ones are left out, counted and logged.
    ///
    /// Batches; at least 0; default `0`.
    min_seq_len: u64,
    /// What becomes of a sample longer than `max_seq_len`: drop it (counted and logged), truncate it, or fail with an error.
    ///
    /// Batches; default `"drop"`.
    overlong: Overlong,
    /// Which tokens are learnt: assistant: what assistants say, with its end mark (records and messages may choose otherwise by unmask and train); `last_turn`: of that, the last message only; all: every token.
    ///
    /// Batches; default `"assistant"`.
    train_on: TrainOn,
    /// For pretraining on documents: these are put end to end and cut into samples of this many tokens, in which documents do not see each other. At most `max_batch_len`. 0: each document is one sample.
    ///
    /// Batches; at least 0; default `0`.
    block_size: u64,
    /// Records that may be faulty (no JSON, unknown role, refused by the template) before loading fails. They are logged and left out.
    ///
    /// Batches; at least 0; default `0`.
    max_bad_records: u64,
    /// Whether each epoch takes the samples in a new random order.
    ///
    /// Batches; default `true`.
    shuffle: bool,
    /// Seed of all randomness of the run.
    ///
    /// Batches; at least 0; default `42`.
    #[serde(alias = "random_seed")]
    seed: u64,
    /// Share of the samples that is held out, chosen by seed, to measure the loss on.
    ///
    /// Validation; at least 0.0; less than 1.0; default `0.0`.
    validation_split: f64,
    /// Data to measure the loss on, as `data_path`; instead of `validation_split`.
    ///
    /// Validation; default `[]`.
    validation_data_path: OneOrMore => into,
    /// Optimizer steps from one validation to the next. 0: at the end of each epoch. The end of the run has one in any case.
    ///
    /// Validation; at least 0; default `0`.
    validation_frequency: u64,
    /// Passes over the data. Not used where `max_steps` is given.
    ///
    /// Length of the run; at least 1; default `1`.
    num_epochs: u64,
    /// Optimizer steps of the run, over as many epochs as they take. 0: `num_epochs` decides.
    ///
    /// Length of the run; at least 0; default `0`.
    max_steps: u64,
    /// Tokens of the run, over as many epochs as they take: it ends with the step that reaches them. Of this and `max_steps`, the one that is reached first counts. 0: `num_epochs` decides.
    ///
    /// Length of the run; at least 0; default `0`.
    max_tokens: u64,
    /// Minutes, from where this process began to train, after which the run stops as if it had been asked to: it can be gone on with. 0: no limit.
    ///
    /// Length of the run; at least 0.0; default `0.0`.
    max_minutes: f64,
    /// The run ends when this many validations one after another were no better than the best one. 0: never.
    ///
    /// Length of the run; at least 0; default `0`.
    early_stopping_patience: u64,
    /// By how much, in nats, the validation loss must be lower than the best one to be better, for `early_stopping_patience` and `save_best`.
    ///
    /// Length of the run; at least 0.0; default `0.0`.
    early_stopping_threshold: f64,
    /// Peak learning rate.
    ///
    /// Optimisation; more than 0.0; needed for training.
    #[serde(alias = "lr")]
    learning_rate: f64,
    /// Course of the learning rate after warmup: held (constant, and `constant_with_warmup`); brought to zero at the last step (linear, cosine, `cosine_with_restarts`) or to `lr_end` (polynomial); or held until the last `lr_decay_steps` and then brought to zero (`warmup_stable_decay`).
    ///
    /// Optimisation; default `"cosine"`.
    lr_scheduler: LrScheduler,
    /// Optimizer steps over which the learning rate rises linearly to its peak.
    ///
    /// Optimisation; at least 0; default `0`.
    #[serde(alias = "num_warmup_steps")]
    warmup_steps: u64,
    /// `cosine_with_restarts`: how often the learning rate falls from its peak to zero.
    ///
    /// Optimisation; at least 1; default `1`.
    lr_cycles: u64,
    /// polynomial: the learning rate that the run ends with.
    ///
    /// Optimisation; at least 0.0; default `1e-7`.
    lr_end: f64,
    /// polynomial: the exponent of the course; 1 is a straight line.
    ///
    /// Optimisation; more than 0.0; default `1.0`.
    lr_power: f64,
    /// `warmup_stable_decay`: the optimizer steps at the end over which the learning rate falls to zero, as half a cosine wave.
    ///
    /// Optimisation; at least 0; default `0`.
    lr_decay_steps: u64,
    /// Global L2 norm to which the gradient is clipped. 0: not clipped.
    ///
    /// Optimisation; at least 0.0; default `1.0`.
    max_grad_norm: f64,
    /// Weight of the square of each target's log-sum-exp of logits, which keeps them from drifting (PaLM, arXiv 2204.02311, section 5; 1e-4 there). The loss that is reported does not hold it.
    ///
    /// Optimisation; at least 0.0; default `0.0`.
    z_loss: f64,
    /// Mixtures of experts: weight of the loss that spreads tokens over the experts (Switch Transformers, arXiv 2101.03961), of each sample by itself, weighted by its tokens. The loss that is reported does not hold it. Not given: as config.json says (`router_aux_loss_coef` where `output_router_logits` is true, else 0).
    ///
    /// Optimisation; at least 0.0.
    router_aux_loss_coef: f64,
    /// Noise on the embeddings in training: uniform, up to this divided by the root of sample length times hidden size (NEFTune, arXiv 2310.05914; 5 to 15 there). 0: none.
    ///
    /// Optimisation; at least 0.0; default `0.0`.
    #[serde(alias = "NEFTune_alpha")]
    neftune_alpha: f64,
    /// What becomes of a step whose loss or gradient is not finite: error: the run ends, with the weights as before the step; skip: they stay as they are and the run goes on, with a warning and a count.
    ///
    /// Optimisation; default `"error"`.
    on_nonfinite: OnNonfinite,
    /// With `on_nonfinite` skip: how many steps one after another may be skipped before the run ends with an error.
    ///
    /// Optimisation; at least 1; default `10`.
    max_skipped_steps: u64,
    /// Rule of the updates: adamw; `adamw_8bit`, with its state in 8 bits; adafactor, with hardly any state; lion, with half of AdamW's; muon, orthogonalised momentum for hidden matrices and AdamW for the rest; sgd. See docs/optimizers.md.
    ///
    /// Optimizer; default `"adamw"`.
    #[serde(alias = "optim")]
    optimizer: Optimizer,
    /// beta1 and beta2 as a list of two.
    ///
    /// Optimizer.
    #[serde(alias = "adamw_betas")]
    betas: [f64; 2],
    /// AdamW: decay of the mean of the gradients; lion: weight of the mean in the step. Unset: 0.9.
    ///
    /// Optimizer; at least 0.0; less than 1.0.
    #[serde(alias = "adamw_beta1", alias = "adam_beta1")]
    beta1: f64,
    /// AdamW: decay of the mean of the squared gradients; lion: decay of the mean. Unset: 0.95; lion: 0.99.
    ///
    /// Optimizer; at least 0.0; less than 1.0.
    #[serde(alias = "adamw_beta2", alias = "adam_beta2")]
    beta2: f64,
    /// AdamW: added to the root of the second moment.
    ///
    /// Optimizer; more than 0.0; default `1e-8`.
    #[serde(alias = "adamw_eps", alias = "adam_epsilon")]
    optimizer_eps: f64,
    /// Share, times the learning rate, that each step takes off the weights; sgd: added to the gradient, times the weights.
    ///
    /// Optimizer; at least 0.0; default `0.0`.
    #[serde(alias = "adamw_weight_decay")]
    weight_decay: f64,
    /// Whether weight decay includes the weights of norms, and biases.
    ///
    /// Optimizer; default `true`.
    decay_norms_and_biases: bool,
    /// sgd, muon: decay of the momentum. Unset: 0 (none); muon: 0.95.
    ///
    /// Optimizer; at least 0.0; less than 1.0.
    momentum: f64,
    /// sgd, muon: whether the step looks ahead along the momentum. Unset: false; muon: true.
    ///
    /// Optimizer.
    nesterov: bool,
    /// adafactor: the exponent of the step's number that gives the newest gradient's weight in the second moment.
    ///
    /// Optimizer; at most 0.0; default `-0.8`.
    beta2_decay: f64,
    /// muon: how the rate of a matrix goes with its shape. `match_rms_adamw`: steps as large as AdamW's, so that one `learning_rate` serves both; original: sqrt(max(1, rows / columns)); `spectral_unclamped`: sqrt(rows / columns).
    ///
    /// Optimizer; default `"match_rms_adamw"`.
    muon_adjust_lr: MuonAdjustLr,
    /// Learning rates of their own: a list of PATTERN=FACTOR. Tensors of the checkpoint whose name the pattern matches (\* stands for any characters) have the factor times the learning rate; of several, the last one counts.
    ///
    /// Optimizer; default `[]`.
    lr_scale: OneOrMore => into,
    /// Tensors that stay as they are: a list of patterns of names, as in `lr_scale`. They cost no memory beside the weights, and are saved as they were.
    ///
    /// Optimizer; default `[]`.
    freeze: OneOrMore => into,
    /// Mixtures of experts: whether the routers stay as they are, so that tokens keep going to the experts that pretraining found for them.
    ///
    /// Optimizer; default `false`.
    freeze_router: bool,
    /// Device to run on, as `ilt devices` lists them, or auto: an accelerator if there is one, else the CPU.
    ///
    /// Where and how; default `"cpu"`.
    device: String => into,
    /// CPU threads. 0: as many as libtorch chooses.
    ///
    /// Where and how; at least 0; at most 1024; default `0`.
    num_threads: u64,
    /// Type of the weights in saved models. Empty: that of the model's files.
    ///
    /// Where and how; default `""`.
    save_dtype: SaveDtype,
    /// What to go on from: auto: the newest full state under `ckpt_output_dir` that is whole, if there is one; never; or the path of a full state. The run then has exactly the losses that it would have had.
    ///
    /// Checkpoints; default `"auto"`.
    resume: String => into,
    /// Go on even with other data, another tokenizer or another order of samples than the run had; what is different is then logged. The losses are no longer those that the run would have had.
    ///
    /// Checkpoints; default `false`.
    resume_force: bool,
    /// A full state (weights, optimizer, place in the data) is saved under `ckpt_output_dir/full_state` each time this many optimizer steps are done. 0: not by steps.
    ///
    /// Checkpoints; at least 0; default `0`.
    save_every_steps: u64,
    /// A full state is saved after the first step that ends this many minutes after the last one. 0: not by time.
    ///
    /// Checkpoints; at least 0.0; default `0.0`.
    save_every_minutes: f64,
    /// Whether a full state is saved at the end of each epoch, if `ckpt_output_dir` is given. With this, `save_every_steps` or `save_every_minutes`, one is also saved where the run ends or is stopped.
    ///
    /// Checkpoints; default `true`.
    #[serde(alias = "accelerate_full_state_at_epoch")]
    full_state_at_epoch: bool,
    /// How many full states are kept; older ones are removed when a newer one is complete. 0: all.
    ///
    /// Checkpoints; at least 0; default `2`.
    keep_last: u64,
    /// Full states whose step is a multiple of this are kept besides. 0: none.
    ///
    /// Checkpoints; at least 0; default `0`.
    keep_every: u64,
    /// A model is saved under `ckpt_output_dir/hf_format` each time this many more samples have been seen. 0: never within an epoch.
    ///
    /// Checkpoints; at least 0; default `0`.
    save_samples: u64,
    /// Whether a model is saved at the end of each epoch, if `ckpt_output_dir` is given. The end of the run saves one in any case.
    ///
    /// Checkpoints; default `true`.
    checkpoint_at_epoch: bool,
    /// How many models are kept under `ckpt_output_dir/hf_format`; older ones are removed when a newer one is complete. 0: all.
    ///
    /// Checkpoints; at least 0; default `0`.
    keep_models: u64,
    /// Whether models are always saved as `ckpt_output_dir/hf_format/last_epoch`, each in place of the one before.
    ///
    /// Checkpoints; default `false`.
    keep_last_checkpoint_only: bool,
    /// Whether a model (and a full state, where the run saves any) is saved after each validation that is the best so far. The file BEST beside them names the last such one, which is kept besides the others.
    ///
    /// Checkpoints; default `false`.
    #[serde(alias = "save_best_val_loss")]
    save_best: bool,
    /// off: the run waits for each save. wait, skip: it waits for a copy in memory only, which is written while it goes on; a save that comes due while one is being written waits for that, or is left out. Takes as much memory as what is saved.
    ///
    /// Checkpoints; default `"off"`.
    background_save: BackgroundSave,
    /// What becomes of the run when a save fails (a full disk): stop: it ends with the error; warn: it goes on, with a line in the log. The save at the end of the run is never passed over.
    ///
    /// Checkpoints; default `"stop"`.
    on_save_error: OnSaveError,
}

choices! {
    /// Choices of [`ConfigBuilder::overlong`](super::ConfigBuilder::overlong).
    Overlong {
        Drop = "drop",
        Truncate = "truncate",
        Error = "error",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::train_on`](super::ConfigBuilder::train_on).
    TrainOn {
        Assistant = "assistant",
        LastTurn = "last_turn",
        All = "all",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::lr_scheduler`](super::ConfigBuilder::lr_scheduler).
    LrScheduler {
        Constant = "constant",
        ConstantWithWarmup = "constant_with_warmup",
        Linear = "linear",
        Cosine = "cosine",
        CosineWithRestarts = "cosine_with_restarts",
        Polynomial = "polynomial",
        WarmupStableDecay = "warmup_stable_decay",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::on_nonfinite`](super::ConfigBuilder::on_nonfinite).
    OnNonfinite {
        Error = "error",
        Skip = "skip",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::optimizer`](super::ConfigBuilder::optimizer).
    Optimizer {
        Adamw = "adamw",
        Adamw8bit = "adamw_8bit",
        Adafactor = "adafactor",
        Lion = "lion",
        Muon = "muon",
        Sgd = "sgd",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::muon_adjust_lr`](super::ConfigBuilder::muon_adjust_lr).
    MuonAdjustLr {
        MatchRmsAdamw = "match_rms_adamw",
        Original = "original",
        SpectralUnclamped = "spectral_unclamped",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::save_dtype`](super::ConfigBuilder::save_dtype).
    SaveDtype {
        Unset = "",
        Float32 = "float32",
        Bfloat16 = "bfloat16",
        Float16 = "float16",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::background_save`](super::ConfigBuilder::background_save).
    BackgroundSave {
        Off = "off",
        Wait = "wait",
        Skip = "skip",
    }
}

choices! {
    /// Choices of [`ConfigBuilder::on_save_error`](super::ConfigBuilder::on_save_error).
    OnSaveError {
        Stop = "stop",
        Warn = "warn",
    }
}
