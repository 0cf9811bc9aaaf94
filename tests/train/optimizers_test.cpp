// Sessions with each optimizer, frozen tensors and rates of their own: resumed bit for bit, saved as they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "train/session_fixture.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

using testing::HasSubstr;

class OptimizerSession : public SessionTest {
 protected:
  // The saved tensors after `steps` steps, by name.
  std::map<std::string, std::string> weights_after(int steps) const {
    Session session(config_);
    for (int i = 0; i < steps; ++i) session.step();
    return saved(session);
  }
  std::map<std::string, std::string> saved(Session& session) const {
    fs::remove_all(root_ / "saved");
    session.save(root_ / "saved");
    return bytes_of(root_ / "saved");
  }
  static std::map<std::string, std::string> bytes_of(const fs::path& model) {
    const SafetensorsFile file(model / "model.safetensors");
    std::map<std::string, std::string> bytes;
    for (const auto& [name, view] : file.tensors())
      bytes[name] = {reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()};
    return bytes;
  }
  Error refused() const {
    try {
      Session session(config_);
    } catch (const Error& error) {
      return error;
    }
    return {Status::ok, "no error"};
  }
};

class EachOptimizer : public OptimizerSession, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.optimizer = GetParam();
    if (config_.optimizer == "sgd") config_.momentum = 0.9;
    config_.weight_decay = 0.1;
    config_.effective_batch_size = 10;  // all samples, so that losses of steps can be compared
    config_.num_epochs = 6;
  }
};

TEST_P(EachOptimizer, LearnsAndIsResumedBitForBit) {
  std::vector<double> whole;
  Session session(config_);
  while (session.step() == Outcome::stepped) whole.push_back(session.metrics().loss);
  ASSERT_EQ(whole.size(), 6U);
  EXPECT_LT(whole.back(), whole.front());
  const auto expected = saved(session);

  Session begun(config_);
  for (int i = 0; i < 3; ++i) begun.step();
  begun.save_state(root_ / "state");
  config_.resume = root_ / "state";
  Session resumed(config_);
  EXPECT_EQ(resumed.metrics().step, 3);
  for (int i = 3; resumed.step() == Outcome::stepped; ++i)
    EXPECT_EQ(resumed.metrics().loss, whole[static_cast<std::size_t>(i)]);
  EXPECT_EQ(saved(resumed), expected);
}

const auto name_of = [](const testing::TestParamInfo<const char*>& info) { return std::string(info.param); };
INSTANTIATE_TEST_SUITE_P(All, EachOptimizer, testing::Values("adamw", "adamw_8bit", "adafactor", "lion", "muon", "sgd"),
                         name_of);

TEST_F(OptimizerSession, AnotherOptimizersStateIsRefused) {
  Session session(config_);
  session.step();
  session.save_state(root_ / "state");
  config_.resume = root_ / "state";
  config_.optimizer = "lion";
  const Error error = refused();
  EXPECT_EQ(error.status(), Status::config);
  EXPECT_THAT(error.what(), HasSubstr(R"(option 'optimizer': got "lion", but the run to go on with has "adamw")"));
}

// In the checkpoint's own type: bfloat16 is kept to the bit, too.
TEST_F(OptimizerSession, FrozenTensorsAreSavedAsTheyWere) {
  for (const char* model : {"gqa_untied", "bf16"}) {
    fs::copy(fs::path(ILT_TEST_DATA) / "llama" / model, root_ / "model",
             fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    config_.weight_decay = 0.1;
    config_.freeze = {"model.embed_tokens.weight", "*.q_proj.weight", "*.0.*norm.weight"};
    const auto before = bytes_of(config_.model_path);
    const auto after = weights_after(3);
    ASSERT_EQ(after.size(), before.size());
    int frozen = 0;
    for (const auto& [name, bytes] : before) {
      const bool is_frozen = name.find("embed_tokens") != std::string::npos ||
                             name.find("q_proj.weight") != std::string::npos ||
                             name.find(".0.input_layernorm") != std::string::npos ||
                             name.find(".0.post_attention_layernorm") != std::string::npos;
      EXPECT_EQ(after.at(name) == bytes, is_frozen) << model << " " << name;
      frozen += is_frozen ? 1 : 0;
    }
    EXPECT_GE(frozen, 4);
  }
}

TEST_F(OptimizerSession, FrozenTensorsAreCountedAndHaveNoState) {
  config_.freeze = {"*layernorm*", "*.v_proj.*"};
  Session session(config_);
  const Json info = session.model_info();
  EXPECT_LT(info["trainable_parameters"].get<std::int64_t>(), info["parameters"].get<std::int64_t>());
  session.step();
  session.save_state(root_ / "state");
  const SafetensorsFile state(root_ / "state" / "optimizer.safetensors");
  for (const auto& [name, view] : state.tensors()) {
    EXPECT_EQ(name.find("layernorm"), std::string::npos);
    EXPECT_EQ(name.find("v_proj"), std::string::npos);
  }
  EXPECT_EQ(state.tensors().count("exp_avg.model.layers.0.self_attn.k_proj.weight"), 1U);
  config_.resume = root_ / "state";
  config_.freeze = {"*layernorm*"};
  EXPECT_THAT(refused().what(), HasSubstr("option 'freeze'"));
}

TEST_F(OptimizerSession, PatternsThatDoNothingAreErrors) {
  config_.freeze = {"*"};
  EXPECT_THAT(refused().what(), HasSubstr("nothing is left to train"));
  config_.freeze = {"model.layers.*.mlp.up_prj.weight"};
  EXPECT_THAT(refused().what(), HasSubstr("model.layers.*.mlp.up_proj.weight"));
  config_.freeze = {"embed_tokens"};
  EXPECT_THAT(refused().what(), HasSubstr("near it: model.embed_tokens.weight"));
  config_.freeze = {"model.embed_tokens.weight"};
  config_.lr_scale = {"model.embed_tokens.weight=2"};
  EXPECT_THAT(refused().what(), HasSubstr("option 'lr_scale'"));
  for (const char* malformed : {"*", "*=", "*=0", "*=-1", "*=nan", "*=2x"}) {
    config_.lr_scale = {malformed};
    EXPECT_THAT(refused().what(), HasSubstr("expected PATTERN=FACTOR")) << malformed;
  }
}

TEST_F(OptimizerSession, ScaledRatesAreThoseOfALowerRate) {
  const auto expected = weights_after(2);
  config_.learning_rate *= 4;
  config_.lr_scale = {"*=3", "*=0.25"};  // the last one counts
  EXPECT_EQ(weights_after(2), expected);
}

TEST_F(OptimizerSession, NormsMayGoWithoutDecay) {
  const auto undecayed = weights_after(1);
  config_.weight_decay = 10;
  config_.decay_norms_and_biases = false;
  const auto decayed = weights_after(1);
  for (const auto& [name, bytes] : undecayed)
    EXPECT_EQ(decayed.at(name) == bytes, name.find("norm") != std::string::npos) << name;
}

}  // namespace
}  // namespace ilt
