// A decoder: its blocks in order, and in reverse.
#include "model/decoder.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "ops/noise.h"
#include "ops/rows.h"

namespace ilt {

namespace {

std::vector<Block> make_blocks(const DecoderSpec& spec, ParameterSet& parameters) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < spec.layers; ++i) blocks.emplace_back(spec, i, parameters);
  return blocks;
}

void reserve(DecodeCache& cache, std::int64_t length) {
  for (at::Tensor& layer : cache.layers) {
    if (layer.size(0) >= length) continue;
    const at::Tensor larger = at::empty({std::max(length, 2 * layer.size(0)), layer.size(1)}, layer.options());
    larger.narrow(0, 0, cache.length).copy_(layer.narrow(0, 0, cache.length));
    layer = larger;
  }
}

}  // namespace

Decoder::Decoder(const DecoderSpec& spec, at::TensorOptions options, TensorCheck check)
    : spec_(spec),
      options_(options),
      parameters_(options, std::move(check)),
      embedding_(parameters_.add({{spec.names.embedding, 0, {spec.vocab, spec.hidden}}})),
      blocks_(make_blocks(spec, parameters_)),
      head_(spec, parameters_, embedding_) {
  parameters_.stop_checking();
}

void Decoder::prepare_training(std::int64_t tokens) {
  parameters_.allocate_gradients();
  if (training_ && training_->capacity() >= tokens) return;
  training_.reset();
  training_ = std::make_unique<Buffers>(spec_, tokens, BufferUse::training, options_);
}

at::Tensor Decoder::forward(const MicroBatch& batch, const RotaryAngles& angles, const Buffers& buffers,
                            const Regularisation& regularisation) const {
  const std::int64_t tokens = batch.tokens();
  BlockScratch scratch = buffers.scratch(tokens);
  ops::gather_rows(embedding_.value, batch.ids, buffers.saved(0, tokens).input);
  if (regularisation.neftune_alpha > 0)
    ops::add_embedding_noise(buffers.saved(0, tokens).input, batch.starts, batch.keys, regularisation.neftune_alpha,
                             regularisation.seed);
  for (std::int64_t i = 0; i < spec_.layers; ++i) {
    BlockSaved saved = buffers.saved(i, tokens);
    blocks_[static_cast<std::size_t>(i)].forward(angles, batch.starts, saved, scratch, buffers.output(i, tokens));
  }
  return buffers.output(spec_.layers - 1, tokens);
}

ops::CrossEntropySums Decoder::forward_backward(const MicroBatch& batch, const Regularisation& regularisation) {
  const std::int64_t tokens = batch.tokens();
  if (!training_ || training_->capacity() < tokens)
    fail(Status::internal, "a micro-batch of {} tokens, but training is prepared for {}", tokens,
         training_ ? training_->capacity() : 0);
  if (batch.target_count() == 0) return {};
  const RotaryAngles angles = rotary_angles(spec_.rope, spec_.head_dim, batch.starts, options_);
  const at::Tensor x = forward(batch, angles, *training_, regularisation);
  const at::Tensor d = training_->gradient(tokens);
  const ops::CrossEntropySums sums = head_.loss_and_gradient(x, batch, regularisation.z_loss, d);
  BlockScratch scratch = training_->scratch(tokens);
  for (std::int64_t i = spec_.layers - 1; i >= 0; --i) {
    BlockSaved saved = training_->saved(i, tokens);
    blocks_[static_cast<std::size_t>(i)].backward(angles, batch.starts, saved, scratch, d);
  }
  ops::add_rows(embedding_.grad, batch.ids, d);
  return sums;
}

at::Tensor Decoder::forward_only(const MicroBatch& batch) {
  const bool fits = training_ && training_->capacity() >= batch.tokens();
  if (!fits && (!inference_ || inference_->capacity() < batch.tokens())) {
    inference_.reset();
    inference_ = std::make_unique<Buffers>(spec_, batch.tokens(), BufferUse::inference, options_);
  }
  const RotaryAngles angles = rotary_angles(spec_.rope, spec_.head_dim, batch.starts, options_);
  return forward(batch, angles, fits ? *training_ : *inference_);
}

at::Tensor Decoder::log_probs(const MicroBatch& batch) {
  return head_.log_probs(forward_only(batch), batch);
}

at::Tensor Decoder::logits(const MicroBatch& batch) {
  return head_.logits(forward_only(batch));
}

DecodeCache Decoder::make_cache(std::int64_t capacity) const {
  DecodeCache cache;
  for (std::int64_t i = 0; i < spec_.layers; ++i)
    cache.layers.push_back(at::empty({capacity, spec_.qkv_width()}, options_));
  return cache;
}

at::Tensor Decoder::decode(const at::Tensor& ids, DecodeCache& cache, const CancelToken& cancel) const {
  const std::int64_t n = ids.size(0);
  reserve(cache, cache.length + n);
  const std::vector<std::int64_t> starts = {0, n};
  const RotaryAngles angles = rotary_angles(spec_.rope, spec_.head_dim, starts, options_, cache.length);
  const at::Tensor x = at::empty({n, spec_.hidden}, options_);
  ops::gather_rows(embedding_.value, ids, x);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    cancel.check();
    blocks_[i].decode(angles, cache.length, cache.layers[i], x);
  }
  cache.length += n;
  return head_.logits(x.narrow(0, n - 1, 1)).squeeze(0);
}

}  // namespace ilt
