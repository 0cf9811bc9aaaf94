// Adafactor in three passes over the gradient: moments, the size of the update, the update. The estimate of the second
// moments exists for a few rows at a time only.
#include "optim/adafactor.h"

#include <ATen/ops/zeros.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "ops/adamw.h"
#include "optim/pieces.h"

namespace ilt {
namespace {

// torch's defaults: eps1 keeps estimates from zero, eps2 the rate where the values are all but zero.
constexpr double eps1 = std::numeric_limits<float>::epsilon();
constexpr double eps2 = 1e-3;
constexpr double largest_update = 1.0;  // root mean square; torch's d

// f(first row, number of rows, slot) over rows of a matrix, in `slots` runs of rows of which each goes to one thread.
template <typename F>
void over_rows(const at::Tensor& matrix, std::int64_t slots, const F& f) {
  const std::int64_t rows = matrix.size(0);
  if (!matrix.is_cpu()) return f(0, rows, 0);
  const std::int64_t run = (rows + slots - 1) / slots;
  const std::int64_t most = std::max<std::int64_t>(1, piece_values / matrix.size(1));
  at::parallel_for(0, slots, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slot = begin; slot < end; ++slot)
      for (std::int64_t row = slot * run; row < std::min(rows, (slot + 1) * run); row += most)
        f(row, std::min({most, rows - row, (slot + 1) * run - row}), slot);
  });
}

// Enough for any number of threads, few enough for a row of sums each.
std::int64_t slots_of(const at::Tensor& matrix) {
  return std::clamp<std::int64_t>(matrix.numel() / piece_values, 1, 64);
}

}  // namespace

Adafactor::Adafactor(const TrainedTensor& tensor, const AdafactorOptions& options)
    : tensor_(tensor), options_(options) {
  std::vector<std::int64_t> rows = tensor.value.sizes().vec();
  std::vector<std::int64_t> columns = rows;
  if (rows.size() < 2) {
    variance_ = at::zeros(rows, tensor.value.options());
    value_ = tensor.value.view({1, -1, 1});
    grad_ = tensor.grad.view({1, -1, 1});
    return;
  }
  const std::vector<std::int64_t> matrices = {-1, rows[rows.size() - 2], rows.back()};
  value_ = tensor.value.view(matrices);
  grad_ = tensor.grad.view(matrices);
  rows.back() = 1;
  columns[columns.size() - 2] = 1;
  row_var_ = at::zeros(rows, tensor.value.options());
  col_var_ = at::zeros(columns, tensor.value.options());
  row_means_.resize(static_cast<std::size_t>(value_.size(0)));
}

void Adafactor::update_moments(double grad_scale, double weight) {
  const double square = grad_scale * grad_scale;
  if (!factored()) {
    over_pieces(variance_, [&](const Piece& piece) {
      piece.of(variance_).lerp_(piece.of(tensor_.grad).square().mul_(square), weight);
    });
    return;
  }
  for (std::int64_t k = 0; k < grad_.size(0); ++k) {
    const at::Tensor g = grad_[k];
    const at::Tensor row_var = row_var_.view({grad_.size(0), -1})[k];
    const std::int64_t slots = slots_of(g);
    const at::Tensor column_sums = at::zeros({slots, g.size(1)}, g.options());
    std::vector<double> row_sums(static_cast<std::size_t>(slots));
    over_rows(g, slots, [&](std::int64_t begin, std::int64_t count, std::int64_t slot) {
      const at::Tensor squares = g.narrow(0, begin, count).square();
      const at::Tensor rows = row_var.narrow(0, begin, count).lerp_(squares.mean(1).mul_(square), weight);
      row_sums[static_cast<std::size_t>(slot)] += rows.sum(at::kDouble).item<double>();
      column_sums[slot].add_(squares.sum(0));
    });
    const auto rows = static_cast<double>(g.size(0));
    col_var_.view({grad_.size(0), -1})[k].lerp_(column_sums.sum(0).mul_(square / rows), weight);
    row_means_[static_cast<std::size_t>(k)] =
        std::max(eps1, std::accumulate(row_sums.begin(), row_sums.end(), 0.0) / rows);
  }
}

at::Tensor Adafactor::direction(std::int64_t k, std::int64_t begin, std::int64_t count, double grad_scale) const {
  at::Tensor estimate;
  if (factored()) {
    const std::int64_t matrices = grad_.size(0);
    const at::Tensor rows = row_var_.view({matrices, -1, 1})[k].narrow(0, begin, count);
    estimate = (rows * col_var_.view({matrices, 1, -1})[k]).div_(row_means_[static_cast<std::size_t>(k)]);
  } else {
    estimate = variance_.view({-1, 1}).narrow(0, begin, count).clone();
  }
  return estimate.clamp_min_(eps1 * eps1).rsqrt_().mul_(grad_[k].narrow(0, begin, count)).mul_(grad_scale);
}

void Adafactor::update(const UpdateStep& s) {
  const auto step = static_cast<double>(s.step);
  const auto values = static_cast<double>(value_.numel());
  const double size = std::sqrt(ops::sum_squares(tensor_.value) / values);
  const double rate = std::max(eps2, size) * std::min(s.lr, 1.0 / std::sqrt(step));
  update_moments(s.grad_scale, std::pow(step, options_.beta2_decay));
  double squares = 0;
  for (std::int64_t k = 0; k < value_.size(0); ++k) {
    std::vector<double> sums(static_cast<std::size_t>(slots_of(value_[k])));
    over_rows(value_[k], slots_of(value_[k]), [&](std::int64_t begin, std::int64_t count, std::int64_t slot) {
      sums[static_cast<std::size_t>(slot)] +=
          direction(k, begin, count, s.grad_scale).square_().sum(at::kDouble).item<double>();
    });
    squares = std::accumulate(sums.begin(), sums.end(), squares);
  }
  const double clip = std::max(1.0, std::sqrt(squares / values) / largest_update);
  for (std::int64_t k = 0; k < value_.size(0); ++k) {
    over_rows(value_[k], slots_of(value_[k]), [&](std::int64_t begin, std::int64_t count, std::int64_t) {
      value_[k]
          .narrow(0, begin, count)
          .mul_(1.0 - s.lr * tensor_.weight_decay)
          .sub_(direction(k, begin, count, s.grad_scale), rate / clip);
    });
  }
}

std::vector<NamedTensor> Adafactor::state() const {
  if (factored()) return {{"row_var", row_var_}, {"col_var", col_var_}};
  return {{"variance", variance_}};
}

}  // namespace ilt
