// 8-bit AdamW: a piece of the moments at a time is unpacked, updated by the fp32 kernel and packed again.
#include "optim/adamw_8bit.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

#include "optim/pieces.h"

namespace ilt {

static_assert(piece_values % ops::quantize8_block == 0);

AdamW8bit::Moment AdamW8bit::make_moment(ops::Code8 code, const at::Tensor& value) {
  const std::int64_t blocks = (value.numel() + ops::quantize8_block - 1) / ops::quantize8_block;
  return {code, at::zeros(value.sizes(), value.options().dtype(at::kByte)), at::zeros({blocks}, value.options())};
}

AdamW8bit::AdamW8bit(const TrainedTensor& tensor, const AdamWOptions& options)
    : tensor_(tensor),
      options_(options),
      mean_(make_moment(ops::Code8::with_sign, tensor.value)),
      mean_square_(make_moment(ops::Code8::without_sign, tensor.value)) {}

void AdamW8bit::update(const UpdateStep& s) {
  const ops::AdamWStep step = adamw_step(options_, tensor_.weight_decay, s);
  over_pieces(tensor_.value, [&](const Piece& piece) {
    const Piece scales{piece.begin / ops::quantize8_block,
                       (piece.size + ops::quantize8_block - 1) / ops::quantize8_block};
    const at::Tensor value = piece.of(tensor_.value);
    const at::Tensor mean = at::empty_like(value);
    const at::Tensor mean_square = at::empty_like(value);
    ops::dequantize8(mean_.code, piece.of(mean_.codes), scales.of(mean_.scales), mean);
    ops::dequantize8(mean_square_.code, piece.of(mean_square_.codes), scales.of(mean_square_.scales), mean_square);
    ops::adamw(step, value, piece.of(tensor_.grad), mean, mean_square);
    ops::quantize8(mean_.code, mean, piece.of(mean_.codes), scales.of(mean_.scales));
    ops::quantize8(mean_square_.code, mean_square, piece.of(mean_square_.codes), scales.of(mean_square_.scales));
  });
}

std::vector<NamedTensor> AdamW8bit::state() const {
  return {{"state1", mean_.codes},
          {"absmax1", mean_.scales},
          {"state2", mean_square_.codes},
          {"absmax2", mean_square_.scales}};
}

}  // namespace ilt
