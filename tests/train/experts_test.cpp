// Sessions with mixtures of experts: the loss that balances their load, and routers that stay as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "train/session_fixture.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

using testing::HasSubstr;

class ExpertsSession : public SessionTest {
 protected:
  void use_experts(const char* model = "mixtral") {
    fs::copy(fs::path(ILT_TEST_DATA) / "models" / model, root_ / "model",
             fs::copy_options::overwrite_existing | fs::copy_options::recursive);
    write_records(10, 60);
  }
  // Bytes of a router's weights after a step.
  std::string router_after_a_step() {
    Session session(config_);
    session.step();
    fs::remove_all(root_ / "saved");
    session.save(root_ / "saved");
    return router(root_ / "saved");
  }
  static std::string router(const fs::path& model) {
    const SafetensorsFile file(model / "model.safetensors");
    const TensorView& view = file.tensors().at("model.layers.0.block_sparse_moe.gate.weight");
    return {reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()};
  }
  std::string refused() const {
    try {
      Session session(config_);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::config);
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ExpertsSession, TheLossIsReportedByItselfAndChangesTheGradient) {
  use_experts();
  Session plain(config_);
  plain.step();
  EXPECT_EQ(plain.metrics().router_loss, 0);
  config_.router_aux_loss_coef = 0.5;
  Session balanced(config_);
  balanced.step();
  EXPECT_EQ(balanced.metrics().loss, plain.metrics().loss);  // of the weights before the step
  EXPECT_NE(balanced.metrics().grad_norm, plain.metrics().grad_norm);
  // Two experts of five for each token: 2 where all are visited alike.
  EXPECT_GT(balanced.metrics().router_loss, 0.5 * 1.5);
  EXPECT_LT(balanced.metrics().router_loss, 0.5 * 5);
}

TEST_F(ExpertsSession, TheLossDoesNotDependOnThePacking) {
  use_experts();
  config_.router_aux_loss_coef = 0.5;
  config_.effective_batch_size = 6;
  Session together(config_);
  together.step();
  config_.max_batch_len = 40;
  Session apart(config_);
  apart.step();
  EXPECT_GT(apart.metrics().num_minibatches, together.metrics().num_minibatches);
  EXPECT_NEAR(apart.metrics().router_loss, together.metrics().router_loss, 1e-5);
  EXPECT_NEAR(apart.metrics().grad_norm, together.metrics().grad_norm, 1e-4);
}

TEST_F(ExpertsSession, ConfigJsonMayAskForTheLoss) {
  use_experts();
  Json model = parse_json(read_file(root_ / "model/config.json"), "config.json");
  model["output_router_logits"] = true;
  model["router_aux_loss_coef"] = 0.25;
  write_file(root_ / "model/config.json", model.dump());
  Session asked(config_);
  asked.step();
  config_.router_aux_loss_coef = 0.5;
  Session doubled(config_);
  doubled.step();
  EXPECT_NEAR(2 * asked.metrics().router_loss, doubled.metrics().router_loss, 1e-6);
  config_.router_aux_loss_coef = 0.0;
  Session without(config_);
  without.step();
  EXPECT_EQ(without.metrics().router_loss, 0);
}

TEST_F(ExpertsSession, ARouterMayStayAsItIs) {
  use_experts();
  const std::string before = router(root_ / "model");
  EXPECT_NE(router_after_a_step(), before);
  config_.freeze_router = true;
  config_.router_aux_loss_coef = 0.5;
  EXPECT_EQ(router_after_a_step(), before);
}

TEST_F(ExpertsSession, WhereTheyWouldDoNothingTheOptionsAreRefused) {
  config_.router_aux_loss_coef = 0.5;
  EXPECT_THAT(refused(), HasSubstr("option 'router_aux_loss_coef': got 0.5, but LlamaForCausalLM has no experts"));
  config_.router_aux_loss_coef.reset();
  config_.freeze_router = true;
  EXPECT_THAT(refused(), HasSubstr("option 'freeze_router': got true, but LlamaForCausalLM has no experts"));
  config_.freeze_router = false;
  use_experts("deepseek_v3");
  config_.router_aux_loss_coef = 0.5;
  EXPECT_THAT(refused(), HasSubstr("no experts whose load a loss balances"));
}

}  // namespace
}  // namespace ilt
