// Rows by index: the embedding look-up and the choice of supervised positions, with their gradients.
#pragma once

#include "ops/tensor.h"

namespace ilt::ops {

// out[i] = table[index[i]]; index int64 [n], table [rows, width].
void gather_rows(const Tensor& table, const Tensor& index, Tensor out);
// table[index[i]] += rows[i], in the order of i on the CPU (an index may occur more than once).
void add_rows(Tensor table, const Tensor& index, const Tensor& rows);

}  // namespace ilt::ops
