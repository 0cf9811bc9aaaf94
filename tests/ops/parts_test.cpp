// Every operation and its gradient against libtorch's autograd in float64, for the CPU kernel and the plain form.
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <vector>

#include "ops/activation.h"
#include "ops/adamw.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/noise.h"
#include "ops/norm.h"
#include "ops/rotary.h"
#include "ops/rows.h"
#include "ops/support.h"
#include "ops/swiglu.h"

namespace ilt::test {
namespace {

constexpr double tolerance = 2e-6;

class Norm : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(Norm, ForwardAndBackwardEqualAutograd) {
  const auto [rows, width] = GetParam();
  const Tensor x = random({rows, width}, 1);
  const Tensor w = random({width}, 2);
  const Tensor dy = random({rows, width}, 3);
  const Tensor xd = leaf(x);
  const Tensor wd = leaf(w);
  const Tensor yd = xd * (xd * xd).mean(-1, true).add(1e-5).rsqrt() * wd;
  yd.backward(dy.to(at::kDouble));

  for (const bool plain : {false, true}) {
    Tensor y = at::empty_like(x);
    Tensor rstd = at::empty({rows}, x.options());
    Tensor dx = at::ones_like(x);
    Tensor dw = at::ones_like(w);
    (plain ? ops::plain::rms_norm : ops::rms_norm)(x, w, 1e-5, y, rstd);
    (plain ? ops::plain::rms_norm_backward : ops::rms_norm_backward)(x, w, rstd, dy, dx, dw);
    EXPECT_LT(distance(y, yd), tolerance);
    EXPECT_LT(distance(dx - 1, xd.grad()), tolerance);
    EXPECT_LT(distance(dw - 1, wd.grad()), 1e-5);
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, Norm,
                         testing::Values(std::pair{1, 2}, std::pair{3, 7}, std::pair{5, 64}, std::pair{300, 576},
                                         std::pair{129, 33}));

TEST_P(Norm, LayerNormEqualsAutograd) {
  const auto [rows, width] = GetParam();
  const Tensor x = random({rows, width}, 1) + 3;
  const Tensor w = random({width}, 2);
  const Tensor b = random({width}, 3);
  const Tensor dy = random({rows, width}, 4);
  const Tensor xd = leaf(x), wd = leaf(w), bd = leaf(b);
  const Tensor yd = at::layer_norm(xd, {width}, wd, bd, 1e-5);
  yd.backward(dy.to(at::kDouble));

  for (const bool plain : {false, true}) {
    Tensor y = at::empty_like(x);
    const ops::LayerNormStats stats{at::empty({rows}), at::empty({rows})};
    Tensor dx = at::ones_like(x), dw = at::ones_like(w), db = at::ones_like(b);
    (plain ? ops::plain::layer_norm : ops::layer_norm)(x, w, b, 1e-5, y, stats);
    (plain ? ops::plain::layer_norm_backward : ops::layer_norm_backward)(x, w, stats, dy, dx, dw, db);
    EXPECT_LT(distance(y, yd), 2 * tolerance);
    EXPECT_LT((dx - 1 - xd.grad()).abs().max().item<double>(), 1e-5);
    EXPECT_LT(distance(dw - 1, wd.grad()), 1e-5);
    EXPECT_LT(distance(db - 1, bd.grad()), 1e-5);
    (plain ? ops::plain::layer_norm : ops::layer_norm)(x, w, {}, 1e-5, y, stats);
    EXPECT_LT(distance(y, yd - bd), 2 * tolerance);
  }
}

class Attention : public testing::TestWithParam<std::tuple<int, int, int, std::vector<std::int64_t>>> {
 protected:
  void compare(std::int64_t window, double softcap) const;
};

void Attention::compare(std::int64_t window, double softcap) const {
  const auto& [heads, kv_heads, head_dim, starts] = GetParam();
  const ops::AttentionHeads shape{heads, kv_heads, head_dim, 0.3, window, softcap};
  const std::int64_t tokens = starts.back();
  const Tensor qkv = random({tokens, (heads + 2 * kv_heads) * head_dim}, 1);
  const Tensor dout = random({tokens, heads * head_dim}, 2);

  const Tensor leaf_qkv = leaf(qkv);
  std::vector<Tensor> outs;
  for (std::size_t s = 0; s + 1 < starts.size(); ++s) {
    const std::int64_t n = starts[s + 1] - starts[s];
    const Tensor rows = leaf_qkv.narrow(0, starts[s], n).view({n, heads + 2 * kv_heads, head_dim}).transpose(0, 1);
    const Tensor q = rows.narrow(0, 0, heads);
    const Tensor k = rows.narrow(0, heads, kv_heads).repeat_interleave(heads / kv_heads, 0);
    const Tensor v = rows.narrow(0, heads + kv_heads, kv_heads).repeat_interleave(heads / kv_heads, 0);
    Tensor hidden = at::ones({n, n}, at::kBool).triu(1);
    if (window > 0) hidden = hidden.logical_or(at::ones({n, n}, at::kBool).tril(-window));
    Tensor scores = at::matmul(q, k.transpose(1, 2)) * 0.3;
    if (softcap > 0) scores = (scores / softcap).tanh() * softcap;
    const Tensor p = scores.masked_fill(hidden, -INFINITY).softmax(-1);
    outs.push_back(at::matmul(p, v).transpose(0, 1).reshape({n, -1}));
  }
  const Tensor expected = at::cat(outs);
  expected.backward(dout.to(at::kDouble));

  for (const bool plain : {false, true}) {
    Tensor out = at::full({tokens, heads * head_dim}, NAN);
    Tensor lse = at::full({tokens, heads}, NAN);
    Tensor dqkv = at::full_like(qkv, NAN);
    (plain ? ops::plain::attention : ops::attention)(shape, starts, qkv, out, lse);
    (plain ? ops::plain::attention_backward : ops::attention_backward)(shape, starts, qkv, out, lse, dout, dqkv);
    EXPECT_LT(distance(out, expected), tolerance);
    EXPECT_LT(distance(dqkv, leaf_qkv.grad()), 2 * tolerance);
  }
}

TEST_P(Attention, ForwardAndBackwardEqualAutograd) {
  compare(0, 0.0);
}

TEST_P(Attention, WindowsEqualAutograd) {
  for (const std::int64_t window : {1, 7, 63, 64, 65, 100}) compare(window, 0.0);
}

TEST_P(Attention, CappedScoresEqualAutograd) {
  compare(0, 0.7);
  compare(70, 5.0);
}

TEST_P(Attention, TailEqualsTheWhole) {
  const auto& [heads, kv_heads, head_dim, starts] = GetParam();
  const std::int64_t tokens = starts.back();
  const Tensor qkv = random({tokens, (heads + 2 * kv_heads) * head_dim}, 1);
  for (const std::int64_t window : {0, 50}) {
    const ops::AttentionHeads shape{heads, kv_heads, head_dim, 0.3, window, 0.0};
    const std::vector<std::int64_t> one = {0, tokens};
    Tensor out = at::empty({tokens, heads * head_dim});
    Tensor lse = at::empty({tokens, heads});
    ops::attention(shape, one, qkv, out, lse);
    const std::int64_t first = tokens / 3;
    Tensor tail = at::empty({tokens - first, heads * head_dim});
    Tensor tail_lse = at::empty({tokens - first, heads});
    ops::attention_tail(shape, first, qkv, tail, tail_lse);
    EXPECT_LT(distance(tail, out.narrow(0, first, tokens - first)), tolerance);
    EXPECT_LT(distance(tail_lse, lse.narrow(0, first, tokens - first)), tolerance);
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, Attention,
                         testing::Values(std::tuple{1, 1, 4, std::vector<std::int64_t>{0, 1}},
                                         std::tuple{4, 2, 16, std::vector<std::int64_t>{0, 24, 41}},
                                         std::tuple{9, 3, 64, std::vector<std::int64_t>{0, 64, 65, 194, 500}},
                                         std::tuple{6, 1, 20, std::vector<std::int64_t>{0, 130}},
                                         std::tuple{2, 2, 128, std::vector<std::int64_t>{0, 300, 301, 302}},
                                         std::tuple{3, 3, 7, std::vector<std::int64_t>{0, 63, 126, 190}}));

TEST(AttentionOp, LargeScoresDoNotOverflow) {
  const Tensor qkv = random({70, 3 * 16}, 5) * 100;
  const std::vector<std::int64_t> starts = {0, 70};
  Tensor out = at::empty({70, 16});
  Tensor lse = at::empty({70, 1});
  ops::attention({1, 1, 16, 1.0}, starts, qkv, out, lse);
  Tensor reference = at::empty({70, 16}, at::kDouble);
  ops::plain::attention({1, 1, 16, 1.0}, starts, qkv.to(at::kDouble), reference, at::empty({70, 1}, at::kDouble));
  EXPECT_LT(distance(out, reference), 1e-4);
}

// Half of each head turns; the components of a pair lie half apart or beside each other.
TEST(Rotary, RotatesPairsAndIsUndoneByItsTranspose) {
  const Tensor x = random({10, 5 * 16}, 1);
  const Tensor angle = random({10, 4}, 2);
  for (const auto pairs : {ops::RotaryPairs::halves, ops::RotaryPairs::neighbours}) {
    const bool halves = pairs == ops::RotaryPairs::halves;
    for (const bool plain : {false, true}) {
      const auto rotate = plain ? ops::plain::rotary : ops::rotary;
      Tensor y = x.clone();
      rotate(y, 4, 16, angle.cos(), angle.sin(), ops::Rotation::forward, pairs);
      const Tensor in = x.view({10, 5, 16}).to(at::kDouble);
      const Tensor out = y.view({10, 5, 16});
      const Tensor a = halves ? in.slice(2, 0, 4) : in.slice(2, 0, 8, 2);
      const Tensor b = halves ? in.slice(2, 4, 8) : in.slice(2, 1, 8, 2);
      const Tensor c = angle.to(at::kDouble).cos().unsqueeze(1);
      const Tensor s = angle.to(at::kDouble).sin().unsqueeze(1);
      const Tensor first = a * c - b * s;
      const Tensor second = b * c + a * s;
      const Tensor turned = halves ? at::cat({first, second}, 2) : at::stack({first, second}, 3).flatten(2);
      EXPECT_LT(distance(out.narrow(1, 0, 4).narrow(2, 0, 8), turned.narrow(1, 0, 4)), tolerance);
      EXPECT_TRUE(out.narrow(2, 8, 8).to(at::kDouble).equal(in.narrow(2, 8, 8)));
      EXPECT_TRUE(out.narrow(1, 4, 1).to(at::kDouble).equal(in.narrow(1, 4, 1)));
      rotate(y, 4, 16, angle.cos(), angle.sin(), ops::Rotation::backward, pairs);
      EXPECT_LT(distance(y, x), tolerance);
    }
  }
}

TEST(Activation, ClampedSiluEqualsAutograd) {
  const Tensor x = random({7, 2 * 13}, 1) * 6;  // some beyond the limits
  const Tensor dout = random({7, 13}, 2);
  const Tensor xd = leaf(x);
  const Tensor gate = xd.narrow(1, 0, 13).clamp_max(7.0);
  const Tensor expected = (xd.narrow(1, 13, 13).clamp(-7.0, 7.0) + 1) * gate * (gate * 1.702).sigmoid();
  expected.backward(dout.to(at::kDouble));
  Tensor out = at::empty({7, 13});
  ops::gated(ops::Activation::clamped_silu, x, out);
  EXPECT_LT(distance(out, expected), tolerance);
  Tensor dx = x.clone();
  ops::gated_backward(ops::Activation::clamped_silu, dx, dout, out);
  EXPECT_LT(distance(out, expected), tolerance);
  EXPECT_LT(distance(dx, xd.grad()), tolerance);
}

Tensor reference(ops::Activation f, const Tensor& x) {
  switch (f) {
    case ops::Activation::silu:
      return x / (1 + (-x).exp());
    case ops::Activation::gelu:
      return x * 0.5 * (1 + (x / std::sqrt(2.0)).erf());
    case ops::Activation::gelu_tanh:
      return x * 0.5 * (1 + (std::sqrt(2.0 / M_PI) * (x + 0.044715 * x.pow(3))).tanh());
    case ops::Activation::relu2:
      return x.clamp_min(0).pow(2);
    case ops::Activation::clamped_silu:
      break;
  }
  return {};
}

TEST(Activation, PlainAndGatedEqualAutograd) {
  for (const auto f :
       {ops::Activation::silu, ops::Activation::gelu, ops::Activation::gelu_tanh, ops::Activation::relu2}) {
    const Tensor x = random({7, 2 * 13}, 1) * 3;
    for (const bool gated : {false, true}) {
      const std::int64_t width = gated ? 13 : 26;
      const Tensor dout = random({7, width}, 2);
      const Tensor xd = leaf(x);
      const Tensor expected =
          gated ? reference(f, xd.narrow(1, 0, width)) * xd.narrow(1, width, width) : reference(f, xd);
      expected.backward(dout.to(at::kDouble));
      Tensor out = at::empty({7, width});
      (gated ? ops::gated : ops::activate)(f, x, out);
      EXPECT_LT(distance(out, expected), tolerance);
      Tensor dx = x.clone();
      out.fill_(NAN);
      (gated ? ops::gated_backward : ops::activate_backward)(f, dx, dout, out);
      EXPECT_LT(distance(out, expected), tolerance);
      EXPECT_LT(distance(dx, xd.grad()), tolerance);
    }
  }
}

TEST(Swiglu, ForwardAndBackwardEqualAutograd) {
  for (const int width : {1, 13, 96, 1536}) {
    const Tensor x = random({7, 2 * width}, 1) * 4;
    const Tensor dout = random({7, width}, 2);
    const Tensor xd = leaf(x);
    const Tensor g = xd.narrow(1, 0, width);
    const Tensor expected = at::silu(g) * xd.narrow(1, width, width);
    expected.backward(dout.to(at::kDouble));
    for (const bool plain : {false, true}) {
      Tensor out = at::empty({7, width});
      (plain ? ops::plain::swiglu : ops::swiglu)(x, out);
      EXPECT_LT(distance(out, expected), tolerance);
      Tensor dx = x.clone();
      out.fill_(NAN);
      (plain ? ops::plain::swiglu_backward : ops::swiglu_backward)(dx, dout, out);
      EXPECT_LT(distance(out, expected), tolerance);
      EXPECT_LT(distance(dx, xd.grad()), tolerance);
    }
  }
}

TEST(CrossEntropy, LossAndGradientEqualAutograd) {
  for (const int vocab : {2, 100, 5000}) {
    const Tensor logits = random({9, vocab}, 1) * 5;
    const Tensor targets = at::arange(9).remainder(vocab);
    const Tensor weights = random({9}, 3).abs();
    const Tensor logp = logits.to(at::kDouble).log_softmax(-1).gather(1, targets.unsqueeze(1)).squeeze(1);
    for (const double z_weight : {0.0, 0.3}) {
      const Tensor ld = leaf(logits);
      const Tensor loss = at::cross_entropy_loss(ld, targets, {}, at::Reduction::None).mul(weights).sum();
      const Tensor z = ld.logsumexp(-1).square().mul(weights).sum();
      (loss + z_weight * z).backward();
      for (const bool plain : {false, true}) {
        Tensor logprob = at::empty({9});
        (plain ? ops::plain::log_prob : ops::log_prob)(logits, targets, logprob);
        EXPECT_LT(distance(logprob, logp), tolerance);
        Tensor grad = logits.clone();
        const auto sums = (plain ? ops::plain::cross_entropy : ops::cross_entropy)(grad, targets, weights, z_weight);
        EXPECT_NEAR(sums.loss, loss.item<double>(), 1e-5 * loss.item<double>());
        EXPECT_NEAR(sums.z, z.item<double>(), 1e-5 * z.item<double>());
        EXPECT_LT(distance(grad, ld.grad()), tolerance);
      }
    }
  }
}

// Uniform within the bound of the paper, by each sample's own length; a function of seed, key and place alone.
TEST(EmbeddingNoise, KnowsNothingOfPacking) {
  const Tensor packed = at::zeros({50, 40});
  const std::vector<std::int64_t> starts = {0, 10, 50};
  ops::add_embedding_noise(packed, starts, std::vector<std::uint64_t>{7, 8}, 5.0, 3);
  const Tensor alone = at::ones({40, 40});
  ops::add_embedding_noise(alone, std::vector<std::int64_t>{0, 40}, std::vector<std::uint64_t>{8}, 5.0, 3);
  const Tensor second = packed.narrow(0, 10, 40);
  EXPECT_LT(distance(alone - 1, second), 1e-6);
  const double most = 5.0 / std::sqrt(40.0 * 40.0);
  EXPECT_LE(second.abs().max().item<double>(), most);
  EXPECT_NEAR(second.mean().item<double>(), 0, most * 0.05);
  EXPECT_NEAR(second.square().mean().item<double>(), most * most / 3, most * most * 0.03);
  EXPECT_GT(packed.narrow(0, 0, 10).abs().max().item<double>(), most);
  const Tensor other = at::zeros({40, 40});
  ops::add_embedding_noise(other, std::vector<std::int64_t>{0, 40}, std::vector<std::uint64_t>{8}, 5.0, 4);
  EXPECT_GT(distance(other, second), most);
}

TEST(CrossEntropy, NanLogitsGiveNanLoss) {
  Tensor logits = at::zeros({1, 40});
  logits[0][7] = NAN;
  EXPECT_TRUE(std::isnan(ops::cross_entropy(logits, at::zeros({1}, at::kLong), at::ones({1})).loss));
}

TEST(AdamW, PlainAndKernelAgree) {
  const ops::AdamWStep options{
      .lr = 1e-2, .beta1 = 0.9, .beta2 = 0.999, .eps = 1e-8, .weight_decay = 0.1, .grad_scale = 0.5, .step = 3};
  const Tensor value = random({1000}, 1);
  const Tensor grad = random({1000}, 2);
  const Tensor m = random({1000}, 3);
  const Tensor v = random({1000}, 4).abs();
  const Tensor a = value.clone(), am = m.clone(), av = v.clone();
  const Tensor b = value.to(at::kDouble), bm = m.to(at::kDouble), bv = v.to(at::kDouble);
  ops::adamw(options, a, grad, am, av);
  ops::plain::adamw(options, b, grad.to(at::kDouble), bm, bv);
  EXPECT_LT(distance(a, b), tolerance);
  EXPECT_LT(distance(am, bm), tolerance);
  EXPECT_LT(distance(av, bv), tolerance);
}

TEST(SumSquares, EqualsDouble) {
  const Tensor x = random({300, 1001}, 1);
  const double expected = x.to(at::kDouble).square().sum().item<double>();
  EXPECT_NEAR(ops::sum_squares(x), expected, 1e-6 * expected);
}

TEST(Rows, RepeatedIndicesAdd) {
  Tensor table = at::zeros({5, 70});
  const Tensor rows = random({4, 70}, 1);
  ops::add_rows(table, at::tensor({3, 1, 3, 0}, at::kLong), rows);
  EXPECT_LT(distance(table[3], rows[0] + rows[2]), tolerance);
  EXPECT_TRUE(table[4].eq(0).all().item<bool>());
}

}  // namespace
}  // namespace ilt::test
