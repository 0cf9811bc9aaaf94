// Each optimizer against torch.optim or its paper (tools/goldens/optimizer_goldens.py): values after up to 50 steps.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "optim/make_optimizer.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

const fs::path folder = fs::path(ILT_TEST_DATA) / "optim";

const Json& golden() {
  static const Json json = parse_json(read_file(folder / "optimizers.json"), "optimizers.json");
  return json;
}

// The numbers in [0, 1) that the goldens' maker makes.
float hashed(std::uint32_t tensor, std::uint32_t step, std::uint32_t i) {
  std::uint32_t x = i * 0x9E3779B1U + (step * 0x85EBCA77U + tensor * 0xC2B2AE3DU);
  x ^= x >> 15;
  x *= 0x2C1B3C6DU;
  x ^= x >> 12;
  x *= 0x297A2D39U;
  x ^= x >> 15;
  return static_cast<float>(x >> 8) / static_cast<float>(1 << 24);
}

void fill_start(at::Tensor value, std::uint32_t tensor) {
  float* p = value.mutable_data_ptr<float>();
  for (std::uint32_t i = 0; i < value.numel(); ++i) p[i] = hashed(tensor, 0, i) * 2.0F - 1.0F;
}

// Four times the golden's gradient: the optimizer is told to take a quarter.
void fill_gradient(at::Tensor grad, std::uint32_t tensor, std::uint32_t step) {
  float* p = grad.mutable_data_ptr<float>();
  for (std::uint32_t i = 0; i < grad.numel(); ++i)
    p[i] = 4.0F * std::ldexp(hashed(tensor, step, i) - 0.375F, -static_cast<int>(i % 7));
}

std::vector<TrainedTensor> make_tensors(double weight_decay) {
  std::vector<TrainedTensor> tensors;
  for (const Json& shape : golden()["shapes"]) {
    const at::Tensor value = at::empty(shape.get<std::vector<std::int64_t>>());
    fill_start(value, static_cast<std::uint32_t>(tensors.size()));
    tensors.push_back({.name = std::to_string(tensors.size()),
                       .value = value,
                       .grad = at::empty_like(value),
                       .weight_decay = weight_decay,
                       .hidden_matrix = value.dim() == 2});
  }
  return tensors;
}

OptimizerOptions options_of(const Json& json) {
  OptimizerOptions o;
  o.kind = json["kind"];
  const auto number = [&](const char* key, std::optional<double>& field) {
    if (json.contains(key)) field = json[key].get<double>();
  };
  number("beta1", o.beta1), number("beta2", o.beta2), number("momentum", o.momentum);
  if (json.contains("nesterov")) o.nesterov = json["nesterov"].get<bool>();
  o.eps = json.value("eps", o.eps);
  o.beta2_decay = json.value("beta2_decay", o.beta2_decay);
  o.muon_adjust = json.value("muon_adjust", o.muon_adjust);
  return o;
}

void do_step(Optimizer& optimizer, double lr, std::uint32_t step) {
  std::uint32_t i = 0;
  for (const TrainedTensor& t : optimizer.tensors()) fill_gradient(t.grad, i++, step);
  optimizer.step(lr * (1.0 + step % 3) / 2.0, 0.25);
}

// Distances of the kept values, as shares of the largest expected one.
std::vector<float> distances(const SafetensorsFile& file, const std::string& name, const at::Tensor& value) {
  const TensorView& view = file.tensors().at(name);
  const at::Tensor expected = at::from_blob(const_cast<std::byte*>(view.bytes.data()), view.info.shape, at::kFloat);
  const std::int64_t stride = std::max<std::int64_t>(1, value.numel() / 32);
  const at::Tensor far =
      ((value.view({-1}).slice(0, 0, value.numel(), stride) - expected) / expected.abs().max()).abs();
  return {far.const_data_ptr<float>(), far.const_data_ptr<float>() + far.numel()};
}

class OptimizerGolden : public testing::TestWithParam<Json> {};

TEST_P(OptimizerGolden, ValuesEqualTheReferences) {
  const Json& c = GetParam();
  const SafetensorsFile file(folder / "optimizers.safetensors");
  const bool quantised = c["options"]["kind"] == "adamw_8bit";
  const double tolerance = c.value("bfloat16", false) ? 2e-2 : 1e-6;
  Optimizer optimizer = make_optimizer(options_of(c["options"]), make_tensors(c.value("weight_decay", 0.0)));
  std::size_t compared = 0;
  std::size_t beyond = 0;
  std::uint32_t step = 0;
  for (const Json& kept : golden()["kept"]) {
    while (step < kept.get<std::uint32_t>()) do_step(optimizer, c["lr"].get<double>(), ++step);
    for (const TrainedTensor& t : optimizer.tensors()) {
      for (const float far :
           distances(file, fmt::format("{}.{}.{}", c["name"].get<std::string>(), t.name, step), t.value)) {
        ++compared;
        // A moment that lies between two codes may go either way by rounding: rare, and then off by a code.
        if (quantised && far > tolerance) {
          ++beyond;
          EXPECT_LT(far, 2e-5) << t.name << " step " << step;
        } else {
          ASSERT_LT(far, tolerance) << t.name << " step " << step;
        }
      }
    }
  }
  EXPECT_GT(compared, 500U);
  EXPECT_LT(beyond, compared / 50);
}

std::vector<Json> cases() {
  return {golden()["cases"].begin(), golden()["cases"].end()};
}
const auto name_of = [](const testing::TestParamInfo<Json>& info) { return info.param["name"].get<std::string>(); };
INSTANTIATE_TEST_SUITE_P(Cases, OptimizerGolden, testing::ValuesIn(cases()), name_of);

// The state is all that there is: a second optimizer that is given it goes on with the same bits.
TEST_P(OptimizerGolden, StateIsAllThatGoesOn) {
  const auto make = [&] { return make_optimizer(options_of(GetParam()["options"]), make_tensors(0.1)); };
  Optimizer first = make();
  for (std::uint32_t step = 1; step <= 3; ++step) do_step(first, 1e-2, step);
  Optimizer second = make();
  second.set_steps_done(first.steps_done());
  for (std::size_t i = 0; i < first.tensors().size(); ++i)
    at::Tensor(second.tensors()[i].value).copy_(first.tensors()[i].value);
  const auto from = first.state();
  const auto to = second.state();
  ASSERT_EQ(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    EXPECT_EQ(from[i].name, to[i].name);
    at::Tensor(to[i].value).copy_(from[i].value);
  }
  do_step(first, 1e-2, 4);
  do_step(second, 1e-2, 4);
  for (std::size_t i = 0; i < first.tensors().size(); ++i)
    EXPECT_TRUE(at::equal(first.tensors()[i].value, second.tensors()[i].value)) << first.tensors()[i].name;
}

// Results do not depend on how many threads share the work.
TEST_P(OptimizerGolden, ThreadsDoNotChangeABit) {
  const auto after = [&](int threads) {
    at::set_num_threads(threads);
    const at::Tensor value = at::empty({400, 300});
    fill_start(value, 0);
    Optimizer optimizer = make_optimizer(
        options_of(GetParam()["options"]),
        {{.name = "x", .value = value, .grad = at::empty_like(value), .weight_decay = 0.1, .hidden_matrix = false}});
    for (std::uint32_t step = 1; step <= 3; ++step) do_step(optimizer, 1e-2, step);
    return value;
  };
  const int usual = at::get_num_threads();
  const at::Tensor one = after(1);
  const at::Tensor three = after(3);
  at::set_num_threads(usual);
  EXPECT_TRUE(at::equal(one, three));
}

TEST(MakeOptimizer, AnUnknownNameListsTheKnown) {
  EXPECT_THAT([] { make_optimizer({.kind = "adamv"}, {}); },
              testing::ThrowsMessage<Error>(
                  testing::AllOf(testing::HasSubstr("adamw_8bit"), testing::HasSubstr("did you mean 'adamw'"))));
}

TEST(MakeOptimizer, TheStateIsAsSmallAsPromised) {
  const auto bytes = [](const char* kind) {
    const at::Tensor value = at::zeros({128, 256});
    const Optimizer optimizer = make_optimizer(
        {.kind = kind}, {{.name = "x", .value = value, .grad = at::zeros_like(value), .hidden_matrix = true}});
    std::size_t total = 0;
    for (const NamedTensor& s : optimizer.state()) total += s.value.nbytes();
    return static_cast<double>(total) / static_cast<double>(value.numel());
  };
  EXPECT_EQ(bytes("adamw"), 8);
  EXPECT_EQ(bytes("lion"), 4);
  EXPECT_EQ(bytes("muon"), 4);
  EXPECT_EQ(bytes("sgd"), 0);
  EXPECT_LT(bytes("adafactor"), 0.05);
  EXPECT_LT(bytes("adamw_8bit"), 2.04);
}

}  // namespace
}  // namespace ilt
