// What is trained: frozen tensors, factors, decay; and that the gradients of the rest do not change.
#include "optim/trained_tensor.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "base/error.h"
#include "model/load.h"
#include "optim/clip.h"
#include "optim/name_pattern.h"

namespace ilt {
namespace {

std::unique_ptr<Decoder> load(const std::string& model) {
  return load_decoder(open_model(std::filesystem::path(ILT_TEST_DATA) / model), at::kCPU);
}

// The gradients of one small batch, by stored tensor.
std::map<std::string, at::Tensor> gradients(Decoder& decoder) {
  const std::vector<std::int32_t> ids = {5, 9, 20, 31, 7, 7, 8};
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  decoder.prepare_training(static_cast<std::int64_t>(ids.size()));
  decoder.forward_backward(builder.build(at::kCPU));
  std::map<std::string, at::Tensor> grads;
  for (const TrainedTensor& t : trained_tensors(decoder, {})) grads[t.name] = t.grad;
  return grads;
}

class Freeze : public testing::TestWithParam<const char*> {};

// With every other tensor frozen, so that there are frozen ones, trained ones and both in one parameter.
TEST_P(Freeze, LeavesTheOtherGradientsAsTheyAre) {
  const auto whole_decoder = load(GetParam());
  const auto whole = gradients(*whole_decoder);
  for (const std::size_t first : {0U, 1U}) {
    std::vector<std::string> patterns;
    std::size_t i = 0;
    for (const auto& [name, grad] : whole)
      if (i++ % 2 == first) patterns.push_back(name);
    const auto decoder = load(GetParam());
    freeze_tensors(decoder->parameters(), patterns);
    const auto part = gradients(*decoder);
    EXPECT_EQ(part.size(), whole.size() - patterns.size());
    double squares = 0;
    for (const auto& [name, grad] : part) {
      EXPECT_TRUE(at::equal(grad, whole.at(name))) << name;
      squares += grad.square().sum(at::kDouble).item<double>();
    }
    EXPECT_NEAR(gradient_norm(trained_tensors(*decoder, {})), std::sqrt(squares), 1e-6 * std::sqrt(squares));
    for (const Parameter& p : decoder->parameters().all()) {
      const bool any = std::any_of(p.stored.begin(), p.stored.end(), [](const StoredTensor& s) { return s.trained; });
      EXPECT_EQ(p.grad.defined(), any) << p.name;
    }
  }
}

const auto name_of = [](const testing::TestParamInfo<const char*>& info) {
  const std::string path = info.param;
  return path.substr(path.find('/') + 1);
};
INSTANTIATE_TEST_SUITE_P(Parts, Freeze,
                         testing::Values("llama/tied", "llama/bias", "models/gpt2", "models/gpt_neox", "models/gpt_oss",
                                         "models/qwen2_moe", "models/deepseek_v3", "models/granite_hybrid",
                                         "models/cohere_qk_norm"),
                         name_of);

TEST(TrainedTensors, HaveTheirDecayAndFactorAndKind) {
  const auto decoder = load("llama/bias");
  decoder->parameters().allocate_gradients();
  const auto tensors = trained_tensors(
      *decoder,
      {.weight_decay = 0.1, .decay_norms_and_biases = false, .lr_scale = {"*.mlp.*=0.5", "*.mlp.up_proj.*=2"}});
  ASSERT_EQ(static_cast<std::int64_t>(tensors.size()), decoder->parameters().stored_count());
  for (const TrainedTensor& t : tensors) {
    const bool vector = t.name.ends_with(".bias") || t.name.ends_with("norm.weight");
    EXPECT_EQ(t.weight_decay, vector ? 0.0 : 0.1) << t.name;
    EXPECT_EQ(t.hidden_matrix, !vector && t.name.starts_with("model.layers.")) << t.name;
    const bool up = t.name.find("up_proj") != std::string::npos;
    const bool mlp = t.name.find(".mlp.") != std::string::npos;
    EXPECT_EQ(t.lr_factor, up ? 2.0 : mlp ? 0.5 : 1.0) << t.name;
    EXPECT_EQ(t.value.sizes(), t.grad.sizes());
  }
}

// Norms that are matrices, tables under a prefix, experts in one tensor, matrices that are stored transposed.
TEST(TrainedTensors, AreTakenForWhatTheyAre) {
  const auto hidden = [](const char* model) {
    const auto decoder = load(model);
    decoder->parameters().allocate_gradients();
    std::map<std::string, bool> result;
    const GroupRules rules{.weight_decay = 1, .decay_norms_and_biases = false, .lr_scale = {}};
    for (const TrainedTensor& t : trained_tensors(*decoder, rules)) {
      EXPECT_TRUE(t.value.is_contiguous()) << t.name;
      EXPECT_TRUE(!t.hidden_matrix || t.value.dim() == 2) << t.name;
      result[t.name] = t.hidden_matrix;
      const bool light = t.name.find("norm") != std::string::npos || t.name.ends_with("bias") || t.value.dim() < 2;
      EXPECT_EQ(t.weight_decay, light ? 0.0 : 1.0) << t.name;
    }
    return result;
  };
  const auto gpt2 = hidden("models/gpt2");
  EXPECT_EQ(std::count_if(gpt2.begin(), gpt2.end(), [](const auto& t) { return t.second; }) % 4, 0);
  for (const auto& [name, is_hidden] : gpt2)
    EXPECT_EQ(is_hidden, name.find("c_") != std::string::npos && name.ends_with("weight")) << name;
  for (const auto& [name, is_hidden] : hidden("models/gpt_oss"))
    EXPECT_FALSE(is_hidden && name.find("experts") != std::string::npos) << name;
  for (const auto& [name, is_hidden] : hidden("models/cohere_qk_norm"))
    EXPECT_FALSE(is_hidden && name.find("norm") != std::string::npos) << name;
}

TEST(NamePattern, AStarStandsForAnyCharacters) {
  EXPECT_TRUE(matches("a.b", "a.b"));
  EXPECT_FALSE(matches("a.b", "a.b.c"));
  EXPECT_FALSE(matches("a?b", "a.b"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*", "a"));
  EXPECT_TRUE(matches("*.b.*c", "a.b.b.xcc"));
  EXPECT_FALSE(matches("*.b.*c", "a.b.b.xcd"));
  EXPECT_TRUE(matches("**a**", "bab"));
  EXPECT_FALSE(matches("", "a"));
}

TEST(NamePattern, WithoutAMatchNamesWhatThereIs) {
  const std::vector<std::string> names = {"model.layers.0.up.weight", "model.layers.11.up.weight", "lm_head.weight"};
  EXPECT_THAT(find_names("freeze", "*.11.*", names), testing::ElementsAre(1));
  EXPECT_THAT([&] { find_names("freeze", "wholly_other", names); },
              testing::ThrowsMessage<Error>(testing::AllOf(testing::HasSubstr("option 'freeze': got 'wholly_other'"),
                                                           testing::HasSubstr("model.layers.*.up.weight, lm_head"))));
  EXPECT_THAT([&] { find_names("freeze", "model.layers.12.up", names); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("near it: model.layers.*.up.weight")));
}

}  // namespace
}  // namespace ilt
