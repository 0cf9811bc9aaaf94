// What families refuse: a key that changes what a model computes is supported or an error, never ignored.
#include "model/families/family.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "model/load.h"

namespace ilt {
namespace {

using testing::HasSubstr;

Json config_of(const std::string& golden) {
  return parse_json(read_file(std::filesystem::path(ILT_TEST_DATA) / golden / "config.json"), "config.json");
}

struct Refusal {
  const char* golden;
  const char* key;
  Json value;
  Status status;
  const char* word;  // that the message has besides the key
};

TEST(Families, RefuseWhatTheyLack) {
  const Refusal refusals[] = {
      {"llama/tied", "hidden_act", "squareplus", Status::unsupported, "gelu"},
      {"llama/tied", "rope_parameters", {{"rope_type", "mrope"}, {"rope_theta", 10000.0}}, Status::unsupported, "yarn"},
      {"models/olmoe", "clip_qkv", 8.0, Status::unsupported, "8.0"},
      {"models/mixtral", "output_router_logits", 1, Status::format, "true or false"},
      {"models/gpt_oss", "swiglu_limit", 5.0, Status::unsupported, "7.0"},
      {"models/gemma3",
       "layer_types",
       {"sliding_attention", "chunked_attention", "full_attention"},
       Status::unsupported,
       "chunked_attention"},
      {"models/gemma3", "layer_types", {"full_attention"}, Status::format, "num_hidden_layers"},
      {"models/gemma", "use_bidirectional_attention", true, Status::unsupported, "true"},
      {"models/phi3", "rope_parameters", {{"rope_type", "linear"}, {"factor", 2.0}}, Status::unsupported, "longrope"},
      {"models/deepseek_v2", "topk_method", "noaux_tc", Status::unsupported, "greedy"},
      {"models/deepseek_v3", "n_group", 4, Status::format, "n_routed_experts"},
      {"models/gpt2", "scale_attn_by_inverse_layer_idx", true, Status::unsupported, "false"},
      {"models/granite_hybrid", "layer_types", {"mamba", "sliding_attention"}, Status::unsupported, "attention"},
  };
  for (const Refusal& r : refusals) {
    Json config = config_of(r.golden);
    config[r.key] = r.value;
    try {
      read_spec(config);
      ADD_FAILURE() << r.golden << ": " << r.key << " was taken";
    } catch (const Error& e) {
      EXPECT_EQ(e.status(), r.status) << e.what();
      EXPECT_THAT(e.what(), HasSubstr(r.word));
      if (r.value.is_object()) continue;  // the message names the key inside
      EXPECT_THAT(e.what(), HasSubstr(r.key));
    }
  }
}

TEST(Families, KnowEachArchitectureOnce) {
  std::vector<std::string> names;
  for (const Family& f : known_families()) names.emplace_back(f.architecture);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

// Checkpoints on the Hub have GPT-2's names without the prefix that transformers writes.
TEST(Families, TakeNamesWithoutTheirPrefix) {
  DecoderSpec spec = read_spec(config_of("models/gpt2"));
  EXPECT_EQ(spec.optional_prefix, "transformer.");
  const Decoder decoder(spec, at::TensorOptions().dtype(at::kFloat));
  EXPECT_EQ(decoder.parameters().all().front().name, "wte.weight");
}

TEST(Families, LearnedPositionsEnd) {
  const auto decoder = load_decoder(open_model(std::filesystem::path(ILT_TEST_DATA) / "models/gpt2"), at::kCPU);
  const std::vector<std::int32_t> ids(33, 1);
  MicroBatchBuilder builder;
  builder.add(ids, ids);
  try {
    decoder->logits(builder.build(at::kCPU));
    ADD_FAILURE() << "33 tokens were taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.status(), Status::data);
    EXPECT_THAT(e.what(), HasSubstr("32 positions"));
  }
}

}  // namespace
}  // namespace ilt
