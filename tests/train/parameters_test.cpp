// Parameters by name: what is read is what a file would hold, and what is written is what the session computes with.
#include "train/parameters.h"

#include "train/session_fixture.h"
#include "weights/model_folder.h"

namespace ilt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<float> values_of(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  return {dense.const_data_ptr<float>(), dense.const_data_ptr<float>() + dense.numel()};
}

std::vector<float> values_of(const SourceTensor& stored) {
  std::vector<float> values(static_cast<std::size_t>(stored.info.numel()));
  stored.read(values);
  return values;
}

class ParametersTest : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.data_path.clear();
  }
};

TEST_F(ParametersTest, AreThoseOfTheFiles) {
  const Session session(config_);
  const NamedParameters& parameters = session.parameters();
  const ModelSource source = open_model_folder(config_.model_path);
  ASSERT_EQ(parameters.size(), source.tensors().size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters.name(i);
    const auto& stored = source.tensors().at(name);
    EXPECT_EQ(parameters.shape(name), stored.info.shape);
    EXPECT_EQ(parameters.describe(name)["bytes"], 4 * stored.info.numel());
    for (const at::Tensor& values : {parameters.view(name), parameters.copy(name)}) {
      ASSERT_EQ(values.sizes(), at::IntArrayRef(stored.info.shape));
      EXPECT_EQ(values_of(values), values_of(stored)) << name;
    }
  }
  EXPECT_THROW(parameters.name(parameters.size()), Error);
}

TEST_F(ParametersTest, AViewFollowsTheSessionAndACopyDoesNot) {
  Session session(config_);
  const std::string name = "model.embed_tokens.weight";
  const at::Tensor view = session.parameters().view(name);
  const at::Tensor copy = session.parameters().copy(name);
  HostBatch batch;
  batch.add(std::vector<std::int32_t>{1, 2, 3, 4}, {}, {});
  session.forward_backward(batch);
  session.optimizer_step(0);
  EXPECT_FALSE(view.equal(copy));
  EXPECT_TRUE(view.equal(session.parameters().copy(name)));
}

TEST_F(ParametersTest, WhatIsAssignedIsWhatCounts) {
  Session session(config_);
  const std::vector<std::int32_t> ids = {5, 9, 200, 31, 7};
  const auto before = session.score(ids);
  const std::string name = "model.layers.0.self_attn.k_proj.weight";  // rows of a fused parameter
  const at::Tensor copy = session.parameters().copy(name);
  session.parameters().assign(name, at::zeros_like(copy));
  EXPECT_NE(session.score(ids), before);
  EXPECT_TRUE(session.parameters().copy(name).equal(at::zeros_like(copy)));
  session.parameters().assign(name, copy.t().contiguous().t().to(at::kDouble));
  EXPECT_EQ(session.score(ids), before);
}

TEST_F(ParametersTest, SaysWhichAreTrained) {
  config_.freeze = {"*norm*"};
  const Session session(config_);
  EXPECT_EQ(session.parameters().describe("model.norm.weight")["trained"], false);
  EXPECT_EQ(session.parameters().describe("lm_head.weight")["trained"], true);
  EXPECT_EQ(session.parameters().describe("lm_head.weight")["dtype"], "float32");
  EXPECT_EQ(session.parameters().describe("lm_head.weight")["device"], "cpu");
}

TEST_F(ParametersTest, AnUnknownNameGetsTheNearest) {
  const Session session(config_);
  EXPECT_THAT([&] { session.parameters().view("model.norm.weigh"); },
              ThrowsMessage<Error>(HasSubstr("did you mean 'model.norm.weight'")));
}

// GPT-NeoX files interleave queries, keys and values by head: no strides tell that order.
TEST_F(ParametersTest, AnOtherOrderIsCopied) {
  config_.model_path = fs::path(ILT_TEST_DATA) / "models" / "gpt_neox";
  const Session session(config_);
  const ModelSource source = open_model_folder(config_.model_path);
  int reordered = 0;
  for (std::size_t i = 0; i < session.parameters().size(); ++i) {
    const std::string& name = session.parameters().name(i);
    const auto& stored = source.tensors().at(name);
    const at::Tensor values = session.parameters().copy(name);
    EXPECT_EQ(values_of(values), values_of(stored)) << name;
    try {
      EXPECT_TRUE(session.parameters().view(name).equal(values));
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      ++reordered;
    }
    session.parameters().assign(name, values);
    EXPECT_TRUE(session.parameters().copy(name).equal(values));
  }
  EXPECT_GT(reordered, 0);
}

}  // namespace
}  // namespace ilt
