// A residual branch of a block: what stands between the stream and the layer that reads it and adds to it.
#pragma once

#include <optional>
#include <string>

#include "model/parts/allocate.h"
#include "model/parts/norm.h"
#include "model/spec.h"

namespace ilt {

class Branch {
 public:
  // Names of the norms of the layer's input and output, empty where there is none.
  Branch(const DecoderSpec& spec, std::int64_t layer, const std::string& before, const std::string& after,
         ParameterSet& parameters);

  // Working memory, shared by all branches.
  struct Scratch {
    at::Tensor normed;               // the layer's input
    at::Tensor dnormed;              // its gradient
    at::Tensor output_normed, dout;  // where the output is normalised: that, and the output's gradient
    Norm::Stats stats;
    Scratch first(std::int64_t tokens) const;
  };
  Scratch make_scratch(std::int64_t tokens, BufferUse use, const Allocate& allocate) const;
  bool normalises_input() const { return before_.has_value(); }
  // The layer's output as backward needs it; undefined where no norm follows.
  at::Tensor make_output(std::int64_t tokens, const Allocate& allocate) const;

  // What the layer reads.
  at::Tensor read(const at::Tensor& stream, const Scratch& scratch) const;
  // Adds the layer's output to the stream. layer(y, add): writes it to y, or adds it.
  template <typename Layer>
  void add(const Layer& layer, const at::Tensor& output, const Scratch& scratch, at::Tensor stream) const {
    if (!after_) return layer(stream, true);
    layer(output, false);
    add_normed(output, scratch, stream);
  }
  // The gradient of the layer's output, given d, that of the stream.
  at::Tensor output_gradient(const at::Tensor& output, const at::Tensor& d, const Scratch& scratch) const;
  // d += the gradient of the stream, given that of what read() gave, which must have been called since.
  void input_gradient(const at::Tensor& stream, const at::Tensor& dnormed, const Scratch& scratch, at::Tensor d) const;

 private:
  void add_normed(const at::Tensor& output, const Scratch& scratch, at::Tensor stream) const;

  std::int64_t hidden_;
  std::optional<Norm> before_, after_;
};

}  // namespace ilt
