// Small matrix products of attention tiles: C (+)= A B with A read by scalars and B, C by row vectors.
#pragma once

#include "ops/cpu/kernels/vec.h"

namespace ilt::ops::cpu::ILT_ISA {

// Element (i, k) of A is at a[i * row + k * col]: a transposed A costs nothing.
struct TileA {
  const float* a;
  std::int64_t row, col;
};

template <int Rows, int Vecs>
static inline void tile_gemm_block(TileA a, std::int64_t depth, const float* b, std::int64_t ldb, float* c,
                                   std::int64_t ldc, bool accumulate) {
  Vec acc[Rows][Vecs] = {};
  if (accumulate) {
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < Vecs; ++j) acc[i][j] = load(c + i * ldc + j * vec_width);
  }
  for (std::int64_t k = 0; k < depth; ++k) {
    Vec row[Vecs];
    for (int j = 0; j < Vecs; ++j) row[j] = load(b + k * ldb + j * vec_width);
    for (int i = 0; i < Rows; ++i) {
      const Vec x = splat(a.a[i * a.row + k * a.col]);
      for (int j = 0; j < Vecs; ++j) acc[i][j] += x * row[j];
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Vecs; ++j) store(c + i * ldc + j * vec_width, acc[i][j]);
}

template <int Vecs>
static inline void tile_gemm_columns(std::int64_t rows, std::int64_t depth, TileA a, const float* b, std::int64_t ldb,
                                     float* c, std::int64_t ldc, bool accumulate) {
  constexpr int block = ILT_VEC_BYTES == 64 ? 6 : 4;
  std::int64_t i = 0;
  for (; i + block <= rows; i += block)
    tile_gemm_block<block, Vecs>({a.a + i * a.row, a.row, a.col}, depth, b, ldb, c + i * ldc, ldc, accumulate);
  for (; i < rows; ++i)
    tile_gemm_block<1, Vecs>({a.a + i * a.row, a.row, a.col}, depth, b, ldb, c + i * ldc, ldc, accumulate);
}

// C [rows, columns] = A [rows, depth] B [depth, columns], or added to.
static inline void tile_gemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, TileA a, const float* b,
                             std::int64_t ldb, float* c, std::int64_t ldc, bool accumulate) {
  constexpr int wide = ILT_VEC_BYTES == 64 ? 4 : 2;
  std::int64_t j = 0;
  for (; j + wide * vec_width <= columns; j += wide * vec_width)
    tile_gemm_columns<wide>(rows, depth, a, b + j, ldb, c + j, ldc, accumulate);
  for (; j + vec_width <= columns; j += vec_width)
    tile_gemm_columns<1>(rows, depth, a, b + j, ldb, c + j, ldc, accumulate);
  for (; j < columns; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) {
      float s = accumulate ? c[i * ldc + j] : 0.0F;
      for (std::int64_t k = 0; k < depth; ++k) s += a.a[i * a.row + k * a.col] * b[k * ldb + j];
      c[i * ldc + j] = s;
    }
  }
}

}  // namespace ilt::ops::cpu::ILT_ISA
