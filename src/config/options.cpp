// The table of options: the one place where an option has its name, bounds, default (in Config) and meaning.
#include "config/options.h"

namespace ilt {
namespace {

FieldRef betas(void* owner) {
  auto* const config = static_cast<Config*>(owner);
  return NumberPair{&config->beta1, &config->beta2};
}

constexpr Bounds at_least(double min) {
  return {.min = min};
}
constexpr Bounds above(double min) {
  return {.min = min, .open_min = true};
}
constexpr Bounds fraction{.min = 0, .max = 1, .open_max = true};

const std::vector<Option>& table() {
  static const auto* const options = new std::vector<Option>{
      {.name = "model_path",
       .field = field_of<&Config::model_path>,
       .group = "Model and data",
       .doc = "Folder of a Hugging Face model (config.json, *.safetensors, tokenizer.json), or a GGUF file.",
       .aliases = {"model_name_or_path"},
       .instructlab = "model_path",
       .required = Required::always},
      {.name = "data_path",
       .field = field_of<&Config::data_path>,
       .group = "Model and data",
       .doc =
           "File of training records (JSON Lines, plain, gzip or zstd), folder of such files, or file that `ilt data "
           "process` has made; or a list of these. Without it a session scores, generates and saves, but does not "
           "train.",
       .instructlab = "data_path",
       .required = Required::training},
      {.name = "data_weights",
       .field = field_of<&Config::data_weights>,
       .group = "Model and data",
       .doc =
           "How often an epoch takes each sample of a path, one number for each of data_path: 1 once, 0.5 half of them "
           "(others in each epoch), 2.5 twice and half. Empty: 1 for all.",
       .bounds = above(0)},
      {.name = "chat_template_path",
       .field = field_of<&Config::chat_template_path>,
       .group = "Model and data",
       .doc = "File with a chat template (Jinja) that replaces the model's own."},
      {.name = "chat_template_date",
       .field = field_of<&Config::chat_template_date>,
       .group = "Model and data",
       .doc = "The date, as 2026-01-31, for chat templates that print one. Empty: today's, which is then reported."},
      {.name = "ckpt_output_dir",
       .field = field_of<&Config::ckpt_output_dir>,
       .group = "Model and data",
       .doc = "Folder for checkpoints and the metrics file. Empty: a run writes nothing by itself.",
       .aliases = {"output_dir"},
       .instructlab = "ckpt_output_dir"},

      {.name = "resize_vocab",
       .field = field_of<&Config::resize_vocab>,
       .group = "Model and data",
       .doc =
           "Whether the embedding (and the head) grows where the tokenizer has tokens beyond its rows, as after adding "
           "some to it. New rows begin as the mean of the others."},
      {.name = "resize_vocab_multiple",
       .field = field_of<&Config::resize_vocab_multiple>,
       .group = "Model and data",
       .doc = "With resize_vocab: the rows are padded to a multiple of this; 64 suits most accelerators.",
       .bounds = {.min = 1, .max = 65536}},

      {.name = "effective_batch_size",
       .field = field_of<&Config::effective_batch_size>,
       .group = "Batches",
       .doc = "Samples in one optimizer step.",
       .bounds = at_least(1),
       .instructlab = "effective_batch_size",
       .required = Required::training},
      {.name = "max_batch_len",
       .field = field_of<&Config::max_batch_len>,
       .group = "Batches",
       .doc = "Most tokens in one micro-batch: a step's samples are packed into micro-batches of this size, without "
              "padding. Bounds the memory; the result does not depend on it. A sample that is longer has a micro-batch "
              "of its own.",
       .bounds = at_least(1),
       .instructlab = "max_batch_len",
       .required = Required::training},
      {.name = "max_seq_len",
       .field = field_of<&Config::max_seq_len>,
       .group = "Batches",
       .doc = "Most tokens in one sample, inclusive. Longer ones are handled as `overlong` says.",
       .bounds = at_least(2),
       .instructlab = "max_seq_len",
       .required = Required::training},
      {.name = "min_seq_len",
       .field = field_of<&Config::min_seq_len>,
       .group = "Batches",
       .doc = "Fewest tokens in one sample, inclusive. Shorter ones are left out, counted and logged.",
       .bounds = at_least(0)},
      {.name = "overlong",
       .field = field_of<&Config::overlong>,
       .group = "Batches",
       .doc = "What becomes of a sample longer than max_seq_len: drop it (counted and logged), truncate it, or fail "
              "with an "
              "error.",
       .choices = {"drop", "truncate", "error"}},
      {.name = "train_on",
       .field = field_of<&Config::train_on>,
       .group = "Batches",
       .doc = "Which tokens are learnt: assistant: what assistants say, with its end mark (records and messages may "
              "choose "
              "otherwise by unmask and train); last_turn: of that, the last message only; all: every token.",
       .choices = {"assistant", "last_turn", "all"}},
      {.name = "block_size",
       .field = field_of<&Config::block_size>,
       .group = "Batches",
       .doc =
           "For pretraining on documents: these are put end to end and cut into samples of this many tokens, in which "
           "documents do not see each other. At most max_batch_len. 0: each document is one sample.",
       .bounds = at_least(0),
       .instructlab = "block_size"},
      {.name = "max_bad_records",
       .field = field_of<&Config::max_bad_records>,
       .group = "Batches",
       .doc =
           "Records that may be faulty (no JSON, unknown role, refused by the template) before loading fails. They are "
           "logged and left out.",
       .bounds = at_least(0)},
      {.name = "shuffle",
       .field = field_of<&Config::shuffle>,
       .group = "Batches",
       .doc = "Whether each epoch takes the samples in a new random order."},
      {.name = "seed",
       .field = field_of<&Config::seed>,
       .group = "Batches",
       .doc = "Seed of all randomness of the run.",
       .bounds = at_least(0),
       .aliases = {"random_seed"},
       .instructlab = "random_seed"},

      {.name = "validation_split",
       .field = field_of<&Config::validation_split>,
       .group = "Validation",
       .doc = "Share of the samples that is held out, chosen by seed, to measure the loss on.",
       .bounds = fraction,
       .instructlab = "validation_split"},
      {.name = "validation_data_path",
       .field = field_of<&Config::validation_data_path>,
       .group = "Validation",
       .doc = "Data to measure the loss on, as data_path; instead of validation_split."},
      {.name = "validation_frequency",
       .field = field_of<&Config::validation_frequency>,
       .group = "Validation",
       .doc =
           "Optimizer steps from one validation to the next. 0: at the end of each epoch. The end of the run has one "
           "in any case.",
       .bounds = at_least(0),
       .instructlab = "validation_frequency"},

      {.name = "num_epochs",
       .field = field_of<&Config::num_epochs>,
       .group = "Length of the run",
       .doc = "Passes over the data. Not used where max_steps is given.",
       .bounds = at_least(1),
       .instructlab = "num_epochs"},
      {.name = "max_steps",
       .field = field_of<&Config::max_steps>,
       .group = "Length of the run",
       .doc = "Optimizer steps of the run, over as many epochs as they take. 0: num_epochs decides.",
       .bounds = at_least(0)},
      {.name = "max_tokens",
       .field = field_of<&Config::max_tokens>,
       .group = "Length of the run",
       .doc =
           "Tokens of the run, over as many epochs as they take: it ends with the step that reaches them. Of this and "
           "max_steps, the one that is reached first counts. 0: num_epochs decides.",
       .bounds = at_least(0)},
      {.name = "max_minutes",
       .field = field_of<&Config::max_minutes>,
       .group = "Length of the run",
       .doc = "Minutes, from where this process began to train, after which the run stops as if it had been asked to: "
              "it can be gone on with. 0: no limit.",
       .bounds = at_least(0)},
      {.name = "early_stopping_patience",
       .field = field_of<&Config::early_stopping_patience>,
       .group = "Length of the run",
       .doc = "The run ends when this many validations one after another were no better than the best one. 0: never.",
       .bounds = at_least(0)},
      {.name = "early_stopping_threshold",
       .field = field_of<&Config::early_stopping_threshold>,
       .group = "Length of the run",
       .doc = "By how much, in nats, the validation loss must be lower than the best one to be better, for "
              "early_stopping_patience and save_best.",
       .bounds = at_least(0)},

      {.name = "learning_rate",
       .field = field_of<&Config::learning_rate>,
       .group = "Optimisation",
       .doc = "Peak learning rate.",
       .bounds = above(0),
       .aliases = {"lr"},
       .instructlab = "learning_rate",
       .required = Required::training},
      {.name = "lr_scheduler",
       .field = field_of<&Config::lr_scheduler>,
       .group = "Optimisation",
       .doc = "Course of the learning rate after warmup: held (constant, and constant_with_warmup); brought to zero at "
              "the "
              "last step (linear, cosine, cosine_with_restarts) or to lr_end (polynomial); or held until the last "
              "lr_decay_steps and then brought to zero (warmup_stable_decay).",
       .choices = {"constant", "constant_with_warmup", "linear", "cosine", "cosine_with_restarts", "polynomial",
                   "warmup_stable_decay"},
       .instructlab = "lr_scheduler"},
      {.name = "warmup_steps",
       .field = field_of<&Config::warmup_steps>,
       .group = "Optimisation",
       .doc = "Optimizer steps over which the learning rate rises linearly to its peak.",
       .bounds = at_least(0),
       .aliases = {"num_warmup_steps"},
       .instructlab = "warmup_steps"},
      {.name = "lr_cycles",
       .field = field_of<&Config::lr_cycles>,
       .group = "Optimisation",
       .doc = "cosine_with_restarts: how often the learning rate falls from its peak to zero.",
       .bounds = at_least(1)},
      {.name = "lr_end",
       .field = field_of<&Config::lr_end>,
       .group = "Optimisation",
       .doc = "polynomial: the learning rate that the run ends with.",
       .bounds = at_least(0)},
      {.name = "lr_power",
       .field = field_of<&Config::lr_power>,
       .group = "Optimisation",
       .doc = "polynomial: the exponent of the course; 1 is a straight line.",
       .bounds = above(0)},
      {.name = "lr_decay_steps",
       .field = field_of<&Config::lr_decay_steps>,
       .group = "Optimisation",
       .doc =
           "warmup_stable_decay: the optimizer steps at the end over which the learning rate falls to zero, as half a "
           "cosine wave.",
       .bounds = at_least(0)},
      {.name = "max_grad_norm",
       .field = field_of<&Config::max_grad_norm>,
       .group = "Optimisation",
       .doc = "Global L2 norm to which the gradient is clipped. 0: not clipped.",
       .bounds = at_least(0)},
      {.name = "z_loss",
       .field = field_of<&Config::z_loss>,
       .group = "Optimisation",
       .doc =
           "Weight of the square of each target's log-sum-exp of logits, which keeps them from drifting (PaLM, arXiv "
           "2204.02311, section 5; 1e-4 there). The loss that is reported does not hold it.",
       .bounds = at_least(0)},
      {.name = "router_aux_loss_coef",
       .field = field_of<&Config::router_aux_loss_coef>,
       .group = "Optimisation",
       .doc =
           "Mixtures of experts: weight of the loss that spreads tokens over the experts (Switch Transformers, arXiv "
           "2101.03961), of each sample by itself, weighted by its tokens. The loss that is reported does not hold it. "
           "Not given: as config.json says (router_aux_loss_coef where output_router_logits is true, else 0).",
       .bounds = at_least(0)},
      {.name = "neftune_alpha",
       .field = field_of<&Config::neftune_alpha>,
       .group = "Optimisation",
       .doc = "Noise on the embeddings in training: uniform, up to this divided by the root of sample length times "
              "hidden size (NEFTune, arXiv 2310.05914; 5 to 15 there). 0: none.",
       .bounds = at_least(0),
       .aliases = {"NEFTune_alpha"},
       .instructlab = "NEFTune_alpha"},
      {.name = "on_nonfinite",
       .field = field_of<&Config::on_nonfinite>,
       .group = "Optimisation",
       .doc = "What becomes of a step whose loss or gradient is not finite: error: the run ends, with the weights as "
              "before the step; skip: they stay as they are and the run goes on, with a warning and a count.",
       .choices = {"error", "skip"}},
      {.name = "max_skipped_steps",
       .field = field_of<&Config::max_skipped_steps>,
       .group = "Optimisation",
       .doc = "With on_nonfinite skip: how many steps one after another may be skipped before the run ends with an "
              "error.",
       .bounds = at_least(1)},

      {.name = "optimizer",
       .field = field_of<&Config::optimizer>,
       .group = "Optimizer",
       .doc =
           "Rule of the updates: adamw; adamw_8bit, with its state in 8 bits; adafactor, with hardly any state; lion, "
           "with half of AdamW's; muon, orthogonalised momentum for hidden matrices and AdamW for the rest; sgd. See "
           "docs/optimizers.md.",
       .choices = {"adamw", "adamw_8bit", "adafactor", "lion", "muon", "sgd"},
       .aliases = {"optim"}},
      {.name = "betas",
       .field = betas,
       .group = "Optimizer",
       .doc = "beta1 and beta2 as a list of two.",
       .bounds = fraction,
       .aliases = {"adamw_betas"},
       .instructlab = "adamw_betas"},
      {.name = "beta1",
       .field = field_of<&Config::beta1>,
       .group = "Optimizer",
       .doc = "AdamW: decay of the mean of the gradients; lion: weight of the mean in the step. Unset: 0.9.",
       .bounds = fraction,
       .aliases = {"adamw_beta1", "adam_beta1"},
       .instructlab = "adamw_beta1"},
      {.name = "beta2",
       .field = field_of<&Config::beta2>,
       .group = "Optimizer",
       .doc = "AdamW: decay of the mean of the squared gradients; lion: decay of the mean. Unset: 0.95; lion: 0.99.",
       .bounds = fraction,
       .aliases = {"adamw_beta2", "adam_beta2"},
       .instructlab = "adamw_beta2"},
      {.name = "optimizer_eps",
       .field = field_of<&Config::optimizer_eps>,
       .group = "Optimizer",
       .doc = "AdamW: added to the root of the second moment.",
       .bounds = above(0),
       .aliases = {"adamw_eps", "adam_epsilon"},
       .instructlab = "adamw_eps"},
      {.name = "weight_decay",
       .field = field_of<&Config::weight_decay>,
       .group = "Optimizer",
       .doc = "Share, times the learning rate, that each step takes off the weights; sgd: added to the gradient, times "
              "the weights.",
       .bounds = at_least(0),
       .aliases = {"adamw_weight_decay"},
       .instructlab = "adamw_weight_decay"},
      {.name = "decay_norms_and_biases",
       .field = field_of<&Config::decay_norms_and_biases>,
       .group = "Optimizer",
       .doc = "Whether weight decay includes the weights of norms, and biases."},
      {.name = "momentum",
       .field = field_of<&Config::momentum>,
       .group = "Optimizer",
       .doc = "sgd, muon: decay of the momentum. Unset: 0 (none); muon: 0.95.",
       .bounds = fraction},
      {.name = "nesterov",
       .field = field_of<&Config::nesterov>,
       .group = "Optimizer",
       .doc = "sgd, muon: whether the step looks ahead along the momentum. Unset: false; muon: true."},
      {.name = "beta2_decay",
       .field = field_of<&Config::beta2_decay>,
       .group = "Optimizer",
       .doc = "adafactor: the exponent of the step's number that gives the newest gradient's weight in the second "
              "moment.",
       .bounds = {.max = 0}},
      {.name = "muon_adjust_lr",
       .field = field_of<&Config::muon_adjust_lr>,
       .group = "Optimizer",
       .doc = "muon: how the rate of a matrix goes with its shape. match_rms_adamw: steps as large as AdamW's, so that "
              "one learning_rate serves both; original: sqrt(max(1, rows / columns)); spectral_unclamped: sqrt(rows / "
              "columns).",
       .choices = {"match_rms_adamw", "original", "spectral_unclamped"}},
      {.name = "lr_scale",
       .field = field_of<&Config::lr_scale>,
       .group = "Optimizer",
       .doc = "Learning rates of their own: a list of PATTERN=FACTOR. Tensors of the checkpoint whose name the pattern "
              "matches (* stands for any characters) have the factor times the learning rate; of several, the last one "
              "counts."},
      {.name = "freeze",
       .field = field_of<&Config::freeze>,
       .group = "Optimizer",
       .doc = "Tensors that stay as they are: a list of patterns of names, as in lr_scale. They cost no memory beside "
              "the weights, and are saved as they were."},
      {.name = "freeze_router",
       .field = field_of<&Config::freeze_router>,
       .group = "Optimizer",
       .doc =
           "Mixtures of experts: whether the routers stay as they are, so that tokens keep going to the experts that "
           "pretraining found for them."},

      {.name = "device",
       .field = field_of<&Config::device>,
       .group = "Where and how",
       .doc = "Device to run on, as `ilt devices` lists them, or auto: an accelerator if there is one, else the CPU."},
      {.name = "num_threads",
       .field = field_of<&Config::num_threads>,
       .group = "Where and how",
       .doc = "CPU threads. 0: as many as libtorch chooses.",
       .bounds = {.min = 0, .max = 1024}},
      {.name = "save_dtype",
       .field = field_of<&Config::save_dtype>,
       .group = "Where and how",
       .doc = "Type of the weights in saved models. Empty: that of the model's files.",
       .choices = {"", "float32", "bfloat16", "float16"}},

      {.name = "resume",
       .field = field_of<&Config::resume>,
       .group = "Checkpoints",
       .doc = "What to go on from: auto: the newest full state under ckpt_output_dir that is whole, if there is one; "
              "never; "
              "or the path of a full state. The run then has exactly the losses that it would have had."},
      {.name = "resume_force",
       .field = field_of<&Config::resume_force>,
       .group = "Checkpoints",
       .doc = "Go on even with other data, another tokenizer or another order of samples than the run had; what is "
              "different is then logged. The losses are no longer those that the run would have had."},
      {.name = "save_every_steps",
       .field = field_of<&Config::save_every_steps>,
       .group = "Checkpoints",
       .doc =
           "A full state (weights, optimizer, place in the data) is saved under ckpt_output_dir/full_state each time "
           "this many optimizer steps are done. 0: not by steps.",
       .bounds = at_least(0)},
      {.name = "save_every_minutes",
       .field = field_of<&Config::save_every_minutes>,
       .group = "Checkpoints",
       .doc = "A full state is saved after the first step that ends this many minutes after the last one. 0: not by "
              "time.",
       .bounds = at_least(0)},
      {.name = "full_state_at_epoch",
       .field = field_of<&Config::full_state_at_epoch>,
       .group = "Checkpoints",
       .doc = "Whether a full state is saved at the end of each epoch, if ckpt_output_dir is given. With this, "
              "save_every_steps or save_every_minutes, one is also saved where the run ends or is stopped.",
       .aliases = {"accelerate_full_state_at_epoch"},
       .instructlab = "accelerate_full_state_at_epoch"},
      {.name = "keep_last",
       .field = field_of<&Config::keep_last>,
       .group = "Checkpoints",
       .doc = "How many full states are kept; older ones are removed when a newer one is complete. 0: all.",
       .bounds = at_least(0)},
      {.name = "keep_every",
       .field = field_of<&Config::keep_every>,
       .group = "Checkpoints",
       .doc = "Full states whose step is a multiple of this are kept besides. 0: none.",
       .bounds = at_least(0)},
      {.name = "save_samples",
       .field = field_of<&Config::save_samples>,
       .group = "Checkpoints",
       .doc =
           "A model is saved under ckpt_output_dir/hf_format each time this many more samples have been seen. 0: never "
           "within an epoch.",
       .bounds = at_least(0),
       .instructlab = "save_samples"},
      {.name = "checkpoint_at_epoch",
       .field = field_of<&Config::checkpoint_at_epoch>,
       .group = "Checkpoints",
       .doc =
           "Whether a model is saved at the end of each epoch, if ckpt_output_dir is given. The end of the run saves "
           "one in any case.",
       .instructlab = "checkpoint_at_epoch"},
      {.name = "keep_models",
       .field = field_of<&Config::keep_models>,
       .group = "Checkpoints",
       .doc = "How many models are kept under ckpt_output_dir/hf_format; older ones are removed when a newer one is "
              "complete. 0: all.",
       .bounds = at_least(0)},
      {.name = "keep_last_checkpoint_only",
       .field = field_of<&Config::keep_last_checkpoint_only>,
       .group = "Checkpoints",
       .doc = "Whether models are always saved as ckpt_output_dir/hf_format/last_epoch, each in place of the one "
              "before.",
       .instructlab = "keep_last_checkpoint_only"},
      {.name = "save_best",
       .field = field_of<&Config::save_best>,
       .group = "Checkpoints",
       .doc = "Whether a model (and a full state, where the run saves any) is saved after each validation that is the "
              "best so far. The file BEST beside them names the last such one, which is kept besides the others.",
       .aliases = {"save_best_val_loss"}},
      {.name = "background_save",
       .field = field_of<&Config::background_save>,
       .group = "Checkpoints",
       .doc =
           "off: the run waits for each save. wait, skip: it waits for a copy in memory only, which is written while "
           "it goes on; a save that comes due while one is being written waits for that, or is left out. Takes as "
           "much memory as what is saved.",
       .choices = {"off", "wait", "skip"}},
      {.name = "on_save_error",
       .field = field_of<&Config::on_save_error>,
       .group = "Checkpoints",
       .doc =
           "What becomes of the run when a save fails (a full disk): stop: it ends with the error; warn: it goes on, "
           "with a line in the log. The save at the end of the run is never passed over.",
       .choices = {"stop", "warn"}},
  };
  return *options;
}

}  // namespace

OptionTable config_options() {
  return table();
}

Config parse_config(const Json& object) {
  Config config;
  set_options(table(), &config, object);
  return config;
}

void set_config(Config& config, std::string_view key, std::string_view text) {
  set_option_text(find_option(table(), key), &config, text);
}

std::string get_config(const Config& config, std::string_view key) {
  return option_text(find_option(table(), key), &config);
}

Json config_to_json(const Config& config) {
  const Config unset;
  Json object = Json::object();
  for (const auto& option : table()) {
    if (option.field == betas) continue;
    Json value = option_value(option, &config);
    // What must be given and is not has no value that could be read back.
    if (option.required != Required::no && value == option_value(option, &unset)) continue;
    object[std::string(option.name)] = std::move(value);
  }
  return object;
}

}  // namespace ilt
