// The configuration of a run: plain values, one field an option. The table in options.cpp gives each its meaning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace ilt {

struct Config {
  // model and data
  std::string model_path;
  std::vector<std::string> data_path;
  std::vector<double> data_weights;  // one a path; empty: all 1
  std::string chat_template_path;    // empty: the model's own
  std::string chat_template_date;    // YYYY-MM-DD; empty: today
  std::string ckpt_output_dir;       // empty: nothing is written unless a caller saves

  bool resize_vocab = false;
  std::int64_t resize_vocab_multiple = 1;

  // batches: effective_batch_size samples an optimizer step, packed into micro-batches of max_batch_len tokens (0: not
  // given)
  std::int64_t effective_batch_size = 0;
  std::int64_t max_batch_len = 0;
  std::int64_t max_seq_len = 0;
  std::int64_t min_seq_len = 0;
  std::string overlong = "drop";       // drop | truncate | error
  std::string train_on = "assistant";  // assistant | last_turn | all
  std::int64_t block_size = 0;         // 0: documents are samples as they are
  std::int64_t max_bad_records = 0;
  bool shuffle = true;
  std::uint64_t seed = 42;

  // validation
  double validation_split = 0.0;
  std::vector<std::string> validation_data_path;
  std::int64_t validation_frequency = 0;  // steps; 0: at each epoch's end

  // length of the run
  std::int64_t num_epochs = 1;
  std::int64_t max_steps = 0;                // 0: num_epochs decides
  std::int64_t max_tokens = 0;               // 0: the same
  double max_minutes = 0.0;                  // 0: no limit
  std::int64_t early_stopping_patience = 0;  // validations; 0: none
  double early_stopping_threshold = 0.0;

  // optimisation
  double learning_rate = 0.0;
  std::string lr_scheduler = "cosine";  // see the table
  std::int64_t warmup_steps = 0;
  std::int64_t lr_cycles = 1;       // cosine_with_restarts
  double lr_end = 1e-7;             // polynomial
  double lr_power = 1.0;            // polynomial
  std::int64_t lr_decay_steps = 0;  // warmup_stable_decay
  double max_grad_norm = 1.0;       // 0: no clipping
  double z_loss = 0.0;
  std::optional<double> router_aux_loss_coef;  // else what config.json asks for
  double neftune_alpha = 0.0;
  std::string on_nonfinite = "error";  // error | skip
  std::int64_t max_skipped_steps = 10;

  // the optimizer; what is not given is its own default
  std::string optimizer = "adamw";  // see the table
  std::optional<double> beta1, beta2;
  double optimizer_eps = 1e-8;
  double weight_decay = 0.0;
  std::optional<double> momentum;
  std::optional<bool> nesterov;
  double beta2_decay = -0.8;                       // adafactor
  std::string muon_adjust_lr = "match_rms_adamw";  // original | match_rms_adamw | spectral_unclamped

  // what is trained, and how
  bool decay_norms_and_biases = true;
  std::vector<std::string> lr_scale;  // PATTERN=FACTOR
  std::vector<std::string> freeze;    // patterns
  bool freeze_router = false;

  // where and how
  std::string device = "cpu";
  std::int64_t num_threads = 0;  // 0: what libtorch chose
  std::string save_dtype;        // empty: as the model's files

  // checkpoints: models for others (Hugging Face folders) and full states to go on from
  std::string resume = "auto";  // auto | never | a path
  bool resume_force = false;
  std::int64_t save_every_steps = 0;  // full states; 0: not by steps
  double save_every_minutes = 0.0;    // full states; 0: not by time
  bool full_state_at_epoch = true;
  std::int64_t keep_last = 2;     // full states; 0: all
  std::int64_t keep_every = 0;    // full states; 0: none
  std::int64_t save_samples = 0;  // models; 0: only where an epoch or the run ends
  bool checkpoint_at_epoch = true;
  std::int64_t keep_models = 0;  // 0: all
  bool keep_last_checkpoint_only = false;
  bool save_best = false;
  std::string background_save = "off";  // off | wait | skip
  std::string on_save_error = "stop";   // stop | warn
};

}  // namespace ilt
