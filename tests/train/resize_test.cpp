// A run whose vocabulary grows: it saves, resumes and exports what has grown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "checkpoint/state_export.h"
#include "train/session_fixture.h"
#include "weights/model_source.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

class ResizedSession : public SessionTest {
 protected:
  void SetUp() override {
    SessionTest::SetUp();
    config_.resize_vocab = true;  // from 256 rows, for a tokenizer of 334 tokens
    config_.resize_vocab_multiple = 64;
  }
  static std::vector<std::int64_t> shape(const fs::path& model, const std::string& name) {
    return open_model(model).tensors().at(name).info.shape;
  }

  static constexpr std::int64_t tokens_ = 334, rows_ = 384;
};

TEST_F(ResizedSession, SavesWhatHasGrown) {
  Session session(config_);
  session.step();
  EXPECT_EQ(session.model_info().at("vocab_size"), rows_);
  session.save(root_ / "saved");
  session.save_state(root_ / "state");
  export_state(root_ / "state", root_ / "exported", {});
  for (const char* folder : {"saved", "exported"}) {
    EXPECT_EQ(shape(root_ / folder, "model.embed_tokens.weight")[0], rows_) << folder;
    EXPECT_EQ(shape(root_ / folder, "lm_head.weight")[0], rows_) << folder;
    EXPECT_EQ(open_model(root_ / folder).config().at("vocab_size"), rows_) << folder;
  }
  const SafetensorsFile saved(root_ / "saved/model.safetensors");
  const SafetensorsFile exported(root_ / "exported/model.safetensors");
  for (const auto& [name, view] : saved.tensors())
    EXPECT_TRUE(std::ranges::equal(view.bytes, exported.tensors().at(name).bytes)) << name;
}

TEST_F(ResizedSession, IsResumedBitForBit) {
  const std::vector<double> whole = losses();
  Session begun(config_);
  begun.step();
  begun.save_state(root_ / "state");
  config_.resume = root_ / "state";
  const std::vector<double> rest = losses();
  EXPECT_EQ(rest, std::vector<double>(whole.begin() + 1, whole.end()));
  config_.resize_vocab = false;
  EXPECT_THROW(Session{config_}, Error);
}

TEST_F(ResizedSession, ThereIsARowForEachTokenAndNoMore) {
  config_.resize_vocab_multiple = 1;
  Session session(config_);
  EXPECT_EQ(session.model_info().at("vocab_size"), tokens_);
  session.save(root_ / "saved");
  config_.model_path = root_ / "saved";  // which has them: nothing is to be done
  EXPECT_EQ(Session(config_).model_info().at("vocab_size"), tokens_);
}

}  // namespace
}  // namespace ilt
