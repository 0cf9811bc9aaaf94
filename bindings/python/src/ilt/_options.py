"""The fields of ilt.Options. Made by tools/make_options.py from the options' schema; a test keeps it so."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Literal

StrPath = str | os.PathLike[str]


@dataclasses.dataclass(kw_only=True, slots=True)
class OptionFields:
    """All options of a run; ilt.Options adds what can be done with them."""

    # ---- Model and data ----
    model_path: StrPath
    """Folder of a Hugging Face model (config.json, *.safetensors, tokenizer.json), or a GGUF file."""
    data_path: StrPath | Sequence[StrPath] | None = None
    """File of training records (JSON Lines, plain, gzip or zstd), folder of such files, or file that `ilt data process`
    has made; or a list of these. Without it a session scores, generates and saves, but does not train. Needed to
    train."""
    data_weights: Sequence[float] = ()
    """How often an epoch takes each sample of a path, one number for each of data_path: 1 once, 0.5 half of them (others
    in each epoch), 2.5 twice and half. Empty: 1 for all."""
    chat_template_path: StrPath = ""
    """File with a chat template (Jinja) that replaces the model's own."""
    chat_template_date: str = ""
    """The date, as 2026-01-31, for chat templates that print one. Empty: today's, which is then reported."""
    ckpt_output_dir: StrPath = ""
    """Folder for checkpoints and the metrics file. Empty: a run writes nothing by itself."""
    resize_vocab: bool = False
    """Whether the embedding (and the head) grows where the tokenizer has tokens beyond its rows, as after adding some to
    it. New rows begin as the mean of the others."""
    resize_vocab_multiple: int = 1
    """With resize_vocab: the rows are padded to a multiple of this; 64 suits most accelerators."""

    # ---- Batches ----
    effective_batch_size: int | None = None
    """Samples in one optimizer step. Needed to train."""
    max_batch_len: int | None = None
    """Most tokens in one micro-batch: a step's samples are packed into micro-batches of this size, without padding.
    Bounds the memory; the result does not depend on it. A sample that is longer has a micro-batch of its own. Needed to
    train."""
    max_seq_len: int | None = None
    """Most tokens in one sample, inclusive. Longer ones are handled as `overlong` says. Needed to train."""
    min_seq_len: int = 0
    """Fewest tokens in one sample, inclusive. Shorter ones are left out, counted and logged."""
    overlong: Literal["drop", "truncate", "error"] = "drop"
    """What becomes of a sample longer than max_seq_len: drop it (counted and logged), truncate it, or fail with an
    error."""
    train_on: Literal["assistant", "last_turn", "all"] = "assistant"
    """Which tokens are learnt: assistant: what assistants say, with its end mark (records and messages may choose
    otherwise by unmask and train); last_turn: of that, the last message only; all: every token."""
    block_size: int = 0
    """For pretraining on documents: these are put end to end and cut into samples of this many tokens, in which documents
    do not see each other. At most max_batch_len. 0: each document is one sample."""
    max_bad_records: int = 0
    """Records that may be faulty (no JSON, unknown role, refused by the template) before loading fails. They are logged
    and left out."""
    shuffle: bool = True
    """Whether each epoch takes the samples in a new random order."""
    seed: int = 42
    """Seed of all randomness of the run."""

    # ---- Validation ----
    validation_split: float = 0.0
    """Share of the samples that is held out, chosen by seed, to measure the loss on."""
    validation_data_path: StrPath | Sequence[StrPath] = ()
    """Data to measure the loss on, as data_path; instead of validation_split."""
    validation_frequency: int = 0
    """Optimizer steps from one validation to the next. 0: at the end of each epoch. The end of the run has one in any
    case."""

    # ---- Length of the run ----
    num_epochs: int = 1
    """Passes over the data. Not used where max_steps is given."""
    max_steps: int = 0
    """Optimizer steps of the run, over as many epochs as they take. 0: num_epochs decides."""
    max_tokens: int = 0
    """Tokens of the run, over as many epochs as they take: it ends with the step that reaches them. Of this and
    max_steps, the one that is reached first counts. 0: num_epochs decides."""
    max_minutes: float = 0.0
    """Minutes, from where this process began to train, after which the run stops as if it had been asked to: it can be
    gone on with. 0: no limit."""
    early_stopping_patience: int = 0
    """The run ends when this many validations one after another were no better than the best one. 0: never."""
    early_stopping_threshold: float = 0.0
    """By how much, in nats, the validation loss must be lower than the best one to be better, for early_stopping_patience
    and save_best."""

    # ---- Optimisation ----
    learning_rate: float | None = None
    """Peak learning rate. Needed to train."""
    lr_scheduler: Literal[
        "constant", "constant_with_warmup", "linear", "cosine", "cosine_with_restarts", "polynomial",
        "warmup_stable_decay",
    ] = "cosine"
    """Course of the learning rate after warmup: held (constant, and constant_with_warmup); brought to zero at the last
    step (linear, cosine, cosine_with_restarts) or to lr_end (polynomial); or held until the last lr_decay_steps and then
    brought to zero (warmup_stable_decay)."""
    warmup_steps: int = 0
    """Optimizer steps over which the learning rate rises linearly to its peak."""
    lr_cycles: int = 1
    """cosine_with_restarts: how often the learning rate falls from its peak to zero."""
    lr_end: float = 1e-07
    """polynomial: the learning rate that the run ends with."""
    lr_power: float = 1.0
    """polynomial: the exponent of the course; 1 is a straight line."""
    lr_decay_steps: int = 0
    """warmup_stable_decay: the optimizer steps at the end over which the learning rate falls to zero, as half a cosine
    wave."""
    max_grad_norm: float = 1.0
    """Global L2 norm to which the gradient is clipped. 0: not clipped."""
    z_loss: float = 0.0
    """Weight of the square of each target's log-sum-exp of logits, which keeps them from drifting (PaLM, arXiv
    2204.02311, section 5; 1e-4 there). The loss that is reported does not hold it."""
    router_aux_loss_coef: float | None = None
    """Mixtures of experts: weight of the loss that spreads tokens over the experts (Switch Transformers, arXiv
    2101.03961), of each sample by itself, weighted by its tokens. The loss that is reported does not hold it. Not given:
    as config.json says (router_aux_loss_coef where output_router_logits is true, else 0)."""
    neftune_alpha: float = 0.0
    """Noise on the embeddings in training: uniform, up to this divided by the root of sample length times hidden size
    (NEFTune, arXiv 2310.05914; 5 to 15 there). 0: none."""
    on_nonfinite: Literal["error", "skip"] = "error"
    """What becomes of a step whose loss or gradient is not finite: error: the run ends, with the weights as before the
    step; skip: they stay as they are and the run goes on, with a warning and a count."""
    max_skipped_steps: int = 10
    """With on_nonfinite skip: how many steps one after another may be skipped before the run ends with an error."""

    # ---- Optimizer ----
    optimizer: Literal["adamw", "adamw_8bit", "adafactor", "lion", "muon", "sgd"] = "adamw"
    """Rule of the updates: adamw; adamw_8bit, with its state in 8 bits; adafactor, with hardly any state; lion, with half
    of AdamW's; muon, orthogonalised momentum for hidden matrices and AdamW for the rest; sgd. See docs/optimizers.md."""
    betas: Sequence[float] | None = None
    """beta1 and beta2 as a list of two."""
    beta1: float | None = None
    """AdamW: decay of the mean of the gradients; lion: weight of the mean in the step. Unset: 0.9."""
    beta2: float | None = None
    """AdamW: decay of the mean of the squared gradients; lion: decay of the mean. Unset: 0.95; lion: 0.99."""
    optimizer_eps: float = 1e-08
    """AdamW: added to the root of the second moment."""
    weight_decay: float = 0.0
    """Share, times the learning rate, that each step takes off the weights; sgd: added to the gradient, times the
    weights."""
    decay_norms_and_biases: bool = True
    """Whether weight decay includes the weights of norms, and biases."""
    momentum: float | None = None
    """sgd, muon: decay of the momentum. Unset: 0 (none); muon: 0.95."""
    nesterov: bool | None = None
    """sgd, muon: whether the step looks ahead along the momentum. Unset: false; muon: true."""
    beta2_decay: float = -0.8
    """adafactor: the exponent of the step's number that gives the newest gradient's weight in the second moment."""
    muon_adjust_lr: Literal["match_rms_adamw", "original", "spectral_unclamped"] = "match_rms_adamw"
    """muon: how the rate of a matrix goes with its shape. match_rms_adamw: steps as large as AdamW's, so that one
    learning_rate serves both; original: sqrt(max(1, rows / columns)); spectral_unclamped: sqrt(rows / columns)."""
    lr_scale: str | Sequence[str] = ()
    """Learning rates of their own: a list of PATTERN=FACTOR. Tensors of the checkpoint whose name the pattern matches (*
    stands for any characters) have the factor times the learning rate; of several, the last one counts."""
    freeze: str | Sequence[str] = ()
    """Tensors that stay as they are: a list of patterns of names, as in lr_scale. They cost no memory beside the weights,
    and are saved as they were."""
    freeze_router: bool = False
    """Mixtures of experts: whether the routers stay as they are, so that tokens keep going to the experts that
    pretraining found for them."""

    # ---- Where and how ----
    device: str = "cpu"
    """Device to run on, as `ilt devices` lists them, or auto: an accelerator if there is one, else the CPU."""
    num_threads: int = 0
    """CPU threads. 0: as many as libtorch chooses."""
    save_dtype: Literal["", "float32", "bfloat16", "float16"] = ""
    """Type of the weights in saved models. Empty: that of the model's files."""

    # ---- Checkpoints ----
    resume: str = "auto"
    """What to go on from: auto: the newest full state under ckpt_output_dir that is whole, if there is one; never; or the
    path of a full state. The run then has exactly the losses that it would have had."""
    resume_force: bool = False
    """Go on even with other data, another tokenizer or another order of samples than the run had; what is different is
    then logged. The losses are no longer those that the run would have had."""
    save_every_steps: int = 0
    """A full state (weights, optimizer, place in the data) is saved under ckpt_output_dir/full_state each time this many
    optimizer steps are done. 0: not by steps."""
    save_every_minutes: float = 0.0
    """A full state is saved after the first step that ends this many minutes after the last one. 0: not by time."""
    full_state_at_epoch: bool = True
    """Whether a full state is saved at the end of each epoch, if ckpt_output_dir is given. With this, save_every_steps or
    save_every_minutes, one is also saved where the run ends or is stopped."""
    keep_last: int = 2
    """How many full states are kept; older ones are removed when a newer one is complete. 0: all."""
    keep_every: int = 0
    """Full states whose step is a multiple of this are kept besides. 0: none."""
    save_samples: int = 0
    """A model is saved under ckpt_output_dir/hf_format each time this many more samples have been seen. 0: never within
    an epoch."""
    checkpoint_at_epoch: bool = True
    """Whether a model is saved at the end of each epoch, if ckpt_output_dir is given. The end of the run saves one in any
    case."""
    keep_models: int = 0
    """How many models are kept under ckpt_output_dir/hf_format; older ones are removed when a newer one is complete. 0:
    all."""
    keep_last_checkpoint_only: bool = False
    """Whether models are always saved as ckpt_output_dir/hf_format/last_epoch, each in place of the one before."""
    save_best: bool = False
    """Whether a model (and a full state, where the run saves any) is saved after each validation that is the best so far.
    The file BEST beside them names the last such one, which is kept besides the others."""
    background_save: Literal["off", "wait", "skip"] = "off"
    """off: the run waits for each save. wait, skip: it waits for a copy in memory only, which is written while it goes
    on; a save that comes due while one is being written waits for that, or is left out. Takes as much memory as what is
    saved."""
    on_save_error: Literal["stop", "warn"] = "stop"
    """What becomes of the run when a save fails (a full disk): stop: it ends with the error; warn: it goes on, with a
    line in the log. The save at the end of the run is never passed over."""
