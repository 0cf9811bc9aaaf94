// A decoder: its blocks in order, and in reverse.
#include "model/decoder.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

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

Parameter* add_positions(const DecoderSpec& spec, ParameterSet& parameters) {
  if (spec.names.positions.empty()) return nullptr;
  return &parameters.add({{spec.names.positions + ".weight", 0, {spec.max_positions, spec.hidden}}});
}

// The number of each token in its sample, for learned positions: beyond those there is nothing.
at::Tensor position_ids(const DecoderSpec& spec, ops::Segments starts, std::int64_t first, at::Device device) {
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::int64_t end = first + starts[i + 1] - starts[i];
    if (end > spec.max_positions)
      throw Error(Status::data,
                  fmt::format("a sample has {} tokens, but the model has learned {} positions; lower max_seq_len", end,
                              spec.max_positions),
                  {{"got", end}, {"expected", spec.max_positions}});
    for (std::int64_t t = first; t < end; ++t) ids.push_back(t);
  }
  return at::tensor(at::ArrayRef<std::int64_t>(ids), at::kLong).to(device);
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
      parameters_(options, std::move(check), spec.prefix),
      embedding_(parameters_.add({{spec.names.embeddings + ".weight", 0, {spec.vocab, spec.hidden}}})),
      positions_(add_positions(spec, parameters_)),
      blocks_(make_blocks(spec, parameters_)),
      head_(spec, parameters_, embedding_) {
  parameters_.stop_checking();
}

void Decoder::prepare_training(std::int64_t tokens) {
  parameters_.allocate_gradients();
  if (training_ && training_->capacity() >= tokens) return;
  training_.reset();
  training_ = std::make_unique<Buffers>(blocks_, spec_.hidden, tokens, BufferUse::training, options_);
}

void Decoder::embed(const at::Tensor& ids, ops::Segments starts, std::int64_t first, at::Tensor x) const {
  ops::gather_rows(embedding_.value, ids, x);
  if (spec_.embedding_scale != 1.0) x.mul_(spec_.embedding_scale);
  if (positions_ != nullptr)
    x.add_(positions_->value.index_select(0, position_ids(spec_, starts, first, ids.device())));
}

void Decoder::embed_backward(const at::Tensor& ids, ops::Segments starts, at::Tensor d) const {
  if (positions_ != nullptr && positions_->grad.defined())
    ops::add_rows(positions_->grad, position_ids(spec_, starts, 0, ids.device()), d);
  if (!embedding_.grad.defined()) return;
  if (spec_.embedding_scale != 1.0) d.mul_(spec_.embedding_scale);
  ops::add_rows(embedding_.grad, ids, d);
}

at::Tensor Decoder::forward(const MicroBatch& batch, const Positions& positions, const Buffers& buffers,
                            const Regularisation& regularisation) const {
  const std::int64_t tokens = batch.tokens();
  embed(batch.ids, batch.starts, 0, buffers.saved(0, tokens).input);
  if (regularisation.neftune_alpha > 0)
    ops::add_embedding_noise(buffers.saved(0, tokens).input, batch.starts, batch.keys, regularisation.neftune_alpha,
                             regularisation.seed);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    BlockSaved saved = buffers.saved(i, tokens);
    BlockScratch scratch = buffers.scratch(i, tokens);
    blocks_[i].forward(positions, saved, scratch, buffers.output(i, tokens));
  }
  return buffers.output(blocks_.size() - 1, tokens);
}

LoadBalance Decoder::load_balance(const MicroBatch& batch) const {
  std::vector<at::Tensor> logits;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const at::Tensor of_layer = training_->saved(i, batch.tokens()).mlp.logits;
    if (of_layer.defined()) logits.push_back(of_layer);
  }
  return balance_load(logits, spec_.experts->per_token, batch.starts);
}

BatchSums Decoder::forward_backward(const MicroBatch& batch, const Regularisation& regularisation) {
  const std::int64_t tokens = batch.tokens();
  if (!training_ || training_->capacity() < tokens)
    fail(Status::internal, "a micro-batch of {} tokens, but training is prepared for {}", tokens,
         training_ ? training_->capacity() : 0);
  if (batch.target_count() == 0) return {};
  const Positions positions = make_positions(spec_.ropes, batch.starts, options_);
  const at::Tensor x = forward(batch, positions, *training_, regularisation);
  const at::Tensor d = training_->gradient(tokens);
  LoadBalance balance;
  if (regularisation.router_loss > 0) {
    balance = load_balance(batch);
    balance.gradient.mul_(regularisation.router_loss);
  }
  const ops::CrossEntropySums sums = head_.loss_and_gradient(x, batch, regularisation.z_loss, d);
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    BlockSaved saved = training_->saved(i, tokens);
    BlockScratch scratch = training_->scratch(i, tokens);
    scratch.mlp.dscores = balance.gradient;
    blocks_[i].backward(positions, saved, scratch, d);
  }
  embed_backward(batch.ids, batch.starts, d);
  return {sums.loss, sums.z, balance.loss};
}

at::Tensor Decoder::forward_only(const MicroBatch& batch) {
  const bool fits = training_ && training_->capacity() >= batch.tokens();
  if (!fits && (!inference_ || inference_->capacity() < batch.tokens())) {
    inference_.reset();
    inference_ = std::make_unique<Buffers>(blocks_, spec_.hidden, batch.tokens(), BufferUse::inference, options_);
  }
  return forward(batch, make_positions(spec_.ropes, batch.starts, options_), fits ? *training_ : *inference_);
}

at::Tensor Decoder::log_probs(const MicroBatch& batch) {
  return head_.log_probs(forward_only(batch), batch);
}

at::Tensor Decoder::logits(const MicroBatch& batch) {
  return head_.logits(forward_only(batch));
}

DecodeCache Decoder::make_cache(std::int64_t capacity) const {
  DecodeCache cache;
  for (const Block& block : blocks_) cache.layers.push_back(at::empty({capacity, block.cache_width()}, options_));
  return cache;
}

at::Tensor Decoder::tokens_to_decode(const at::Tensor& ids, DecodeCache& cache) const {
  if (std::none_of(spec_.ropes.begin(), spec_.ropes.end(), [](const RopeSpec& r) { return r.depends_on_length(); }))
    return ids;
  cache.ids = cache.ids.defined() ? at::cat({cache.ids, ids}) : ids;
  if (!angles_change(spec_.ropes, cache.length, cache.ids.size(0))) return ids;
  cache.length = 0;
  return cache.ids;
}

at::Tensor Decoder::decode(const at::Tensor& new_ids, DecodeCache& cache, const CancelToken& cancel) const {
  const at::Tensor ids = tokens_to_decode(new_ids, cache);
  const std::int64_t n = ids.size(0);
  reserve(cache, cache.length + n);
  const std::vector<std::int64_t> starts = {0, n};
  const Positions positions = make_positions(spec_.ropes, starts, options_, cache.length);
  at::Tensor x = at::empty({n, spec_.hidden}, options_);
  embed(ids, starts, cache.length, x);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    cancel.check();
    x = blocks_[i].decode(positions, cache.length, cache.layers[i], x);
  }
  cache.length += n;
  return head_.logits(x.narrow(0, n - 1, 1)).squeeze(0);
}

}  // namespace ilt
