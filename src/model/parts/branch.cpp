// A residual branch: its norms, forward and in reverse.
#include "model/parts/branch.h"

#include "model/parts/weights.h"

namespace ilt {

namespace {

std::optional<Norm> optional_norm(const DecoderSpec& s, std::int64_t layer, const std::string& name,
                                  ParameterSet& parameters) {
  if (name.empty()) return std::nullopt;
  return add_norm(parameters, s.norm, layer, name, {s.hidden});
}

}  // namespace

Branch::Branch(const DecoderSpec& s, std::int64_t layer, const std::string& before, const std::string& after,
               ParameterSet& parameters)
    : hidden_(s.hidden),
      before_(optional_norm(s, layer, before, parameters)),
      after_(optional_norm(s, layer, after, parameters)) {}

Branch::Scratch Branch::Scratch::first(std::int64_t n) const {
  return {first_rows(normed, n),
          first_rows(dnormed, n),
          first_rows(output_normed, n),
          first_rows(dout, n),
          {first_rows(stats.mean, n), first_rows(stats.rstd, n)}};
}

Branch::Scratch Branch::make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const {
  const bool training = use == BufferUse::training;
  const auto make = [&](bool needed) { return needed ? allocate({tokens, hidden_}) : at::Tensor(); };
  Scratch scratch;
  scratch.normed = make(before_.has_value());
  scratch.dnormed = make(training);
  scratch.output_normed = make(after_.has_value());
  scratch.dout = make(training && after_);
  scratch.stats = {allocate({tokens}), allocate({tokens})};
  return scratch;
}

at::Tensor Branch::make_output(std::int64_t tokens, const Allocate& allocate) const {
  return after_ ? allocate({tokens, hidden_}) : at::Tensor();
}

at::Tensor Branch::read(const at::Tensor& stream, const Scratch& scratch) const {
  if (!before_) return stream;
  before_->forward(stream, scratch.normed, scratch.stats);
  return scratch.normed;
}

void Branch::add_normed(const at::Tensor& output, const Scratch& scratch, at::Tensor stream) const {
  after_->forward(output, scratch.output_normed, scratch.stats);
  stream.add_(scratch.output_normed);
}

at::Tensor Branch::output_gradient(const at::Tensor& output, const at::Tensor& d, const Scratch& scratch) const {
  if (!after_) return d;
  after_->forward(output, scratch.output_normed, scratch.stats);
  scratch.dout.zero_();
  after_->backward(output, scratch.stats, d, scratch.dout);
  return scratch.dout;
}

void Branch::input_gradient(const at::Tensor& stream, const at::Tensor& dnormed, const Scratch& scratch,
                            at::Tensor d) const {
  if (before_) {
    before_->backward(stream, scratch.stats, dnormed, d);
  } else {
    d.add_(dnormed);
  }
}

}  // namespace ilt
