// A decoder: embedding, blocks, head. Runs micro-batches forward, and backward into the parameters' gradients.
#pragma once

#include <memory>
#include <vector>

#include "base/cancel.h"
#include "model/buffers.h"
#include "model/micro_batch.h"
#include "model/parts/block.h"
#include "model/parts/head.h"
#include "model/parts/load_balance.h"
#include "model/spec.h"

namespace ilt {

// The projections of a sample's tokens so far, a tensor a layer: what generation need not compute again.
struct DecodeCache {
  std::vector<at::Tensor> layers;
  std::int64_t length = 0;
  at::Tensor ids;  // the tokens: kept where all must be computed again when the sample's length changes its angles
};

// What may be added to plain cross-entropy in training.
struct Regularisation {
  double z_loss = 0;         // weight of BatchSums::z in the gradient
  double router_loss = 0;    // the same of BatchSums::router; of decoders with experts that are chosen by softmax
  double neftune_alpha = 0;  // noise on the embeddings: ops::add_embedding_noise()
  std::uint64_t seed = 0;    // of the noise in this step
};

// Sums over a micro-batch.
struct BatchSums {
  double loss = 0;    // of weight x cross-entropy, over the targets
  double z = 0;       // of weight x squared log-sum-exp
  double router = 0;  // of LoadBalance::loss, over the tokens; 0 where router_loss is
};

class Decoder {
 public:
  // `check` (may be empty) sees each stored tensor before memory is taken for it, and may throw.
  Decoder(const DecoderSpec& spec, at::TensorOptions options, TensorCheck check = {});

  const DecoderSpec& spec() const noexcept { return spec_; }
  ParameterSet& parameters() noexcept { return parameters_; }
  const ParameterSet& parameters() const noexcept { return parameters_; }
  at::Device device() const { return options_.device(); }

  // Prepares gradients and the activations of up to `tokens` tokens; forward_backward may then be called.
  void prepare_training(std::int64_t tokens);
  // What the activations take; 0 before prepare_training().
  std::int64_t activation_bytes() const noexcept { return training_ ? training_->bytes() : 0; }
  // What a pass takes in its head, for the logits of a piece of its targets.
  std::int64_t head_bytes(std::int64_t targets) const { return head_.working_bytes(targets, spec_.hidden); }
  // Adds the gradients of the batch's sums: of loss, and of the others times their weights.
  BatchSums forward_backward(const MicroBatch& batch, const Regularisation& regularisation = {});

  // log p(target) of each of the batch's targets.
  at::Tensor log_probs(const MicroBatch& batch);
  // Logits of every position: for tests and small batches.
  at::Tensor logits(const MicroBatch& batch);

  DecodeCache make_cache(std::int64_t capacity) const;
  // Appends tokens to the cached sample, which grows where it must; logits [vocab] of what follows the last. Throws
  // Stopped, between two blocks; the cache is then of no more use.
  at::Tensor decode(const at::Tensor& ids, DecodeCache& cache, const CancelToken& cancel = {}) const;

 private:
  // The samples' tokens, of which the first of a continued one is number `first`.
  void embed(const at::Tensor& ids, ops::Segments starts, std::int64_t first, at::Tensor x) const;
  void embed_backward(const at::Tensor& ids, ops::Segments starts, at::Tensor d) const;
  // Runs the blocks; returns the output of the last.
  at::Tensor forward(const MicroBatch& batch, const Positions& positions, const Buffers& buffers,
                     const Regularisation& regularisation = {}) const;
  at::Tensor forward_only(const MicroBatch& batch);
  // Of the micro-batch that training_ holds.
  LoadBalance load_balance(const MicroBatch& batch) const;
  // Which tokens a decode of `ids` computes: these, or all that the cache has seen.
  at::Tensor tokens_to_decode(const at::Tensor& ids, DecodeCache& cache) const;

  DecoderSpec spec_;
  at::TensorOptions options_;
  ParameterSet parameters_;
  Parameter& embedding_;
  Parameter* positions_;  // learned ones, null where there are none
  std::vector<Block> blocks_;
  Head head_;
  std::unique_ptr<Buffers> training_;
  std::unique_ptr<Buffers> inference_;  // made when training_ is missing or too small
};

}  // namespace ilt
