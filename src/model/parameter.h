// Parameters: the tensors that training changes, where they lie in a checkpoint, and their gradients.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ops/tensor.h"

namespace ilt {

// Where a checkpoint holds values in another order: a parameter's rows, seen as a tensor of these dimensions, are
// permuted by `order` there.
struct StoredLayout {
  std::vector<std::int64_t> dimensions, order;
};

// A checkpoint's tensor: rows of a parameter from `row_begin` on. A fused parameter holds several, of which
// training may leave some as they are.
struct StoredTensor {
  std::string name;
  std::int64_t row_begin = 0;
  std::vector<std::int64_t> shape;
  StoredLayout layout = {};  // empty: as it is
  bool trained = true;
};

// The rows of a parameter (its value or gradient) that a stored tensor is, in the parameter's own order.
at::Tensor rows_of(const at::Tensor& parameter, const StoredTensor& stored);
// The same in the order of the checkpoint; its dimensions may be finer than the stored shape.
at::Tensor stored_view(const at::Tensor& parameter, const StoredTensor& stored);

using TensorCheck = std::function<void(const StoredTensor&)>;

// A tensor under its name in a file. It may be a view of rows of a parameter: it shares the parameter's memory.
struct NamedTensor {
  std::string name;
  at::Tensor value;
};

struct Parameter {
  std::string name;  // of its first stored tensor
  at::Tensor value;
  at::Tensor grad;  // undefined until allocate_gradients(), and where nothing of it is trained
  std::vector<StoredTensor> stored;
  bool buffer = false;  // never has a gradient
};

// All parameters of a model, at stable addresses, in the order in which they were added.
class ParameterSet {
 public:
  // `prefix` goes before all names.
  explicit ParameterSet(at::TensorOptions options, TensorCheck check = {}, std::string prefix = {})
      : options_(options), check_(std::move(check)), prefix_(std::move(prefix)) {}
  ParameterSet(const ParameterSet&) = delete;
  ParameterSet& operator=(const ParameterSet&) = delete;

  void stop_checking() { check_ = nullptr; }

  // A parameter whose stored tensors lie one under the other; their shapes agree behind the first dimension.
  Parameter& add(std::vector<StoredTensor> stored);
  // For layouts other than rows under each other: `row` is the shape of one row of the parameter.
  Parameter& add(std::vector<StoredTensor> stored, const std::vector<std::int64_t>& row);
  // A tensor that is part of the model but is not trained.
  Parameter& add_buffer(StoredTensor stored);

  std::deque<Parameter>& all() noexcept { return parameters_; }
  const std::deque<Parameter>& all() const noexcept { return parameters_; }
  std::int64_t count() const;         // values
  std::int64_t stored_count() const;  // tensors of the checkpoint
  // The values under the checkpoint's names and in its order, as views.
  std::vector<NamedTensor> stored_tensors() const;

  std::int64_t trained_count() const;  // values

  // Of the parameters of which something is trained.
  void allocate_gradients();
  void zero_gradients();

 private:
  at::TensorOptions options_;
  TensorCheck check_;
  std::string prefix_;
  std::deque<Parameter> parameters_;
};

}  // namespace ilt
