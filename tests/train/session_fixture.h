// A tiny checkpoint, ten records and a configuration that trains on them: what tests of sessions begin with.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/rng.h"
#include "train/session.h"

namespace ilt {

class SessionTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(root_);
    fs::copy(fs::path(ILT_TEST_DATA) / "llama" / "gqa_untied", root_ / "model");
    fs::copy_file(fs::path(ILT_TEST_DATA) / "text" / "model" / "tokenizer.json", root_ / "model" / "tokenizer.json");
    write_records(10);
    config_.model_path = root_ / "model";
    config_.data_path = {root_ / "data.jsonl"};
    config_.ckpt_output_dir = root_ / "out";
    config_.effective_batch_size = 4;
    config_.max_batch_len = 256;
    config_.max_seq_len = 64;
    config_.learning_rate = 1e-3;
    config_.lr_scheduler = "constant";
    config_.num_epochs = 2;
  }
  void TearDown() override { fs::remove_all(root_); }

  // Records that are tokens already: random ids, the first third masked.
  void write_records(int count, std::uint64_t vocab = 256) const {
    SplitMix64 rng(5);
    std::ofstream file(root_ / "data.jsonl");
    for (int i = 0; i < count; ++i) {
      std::vector<std::int64_t> ids;
      for (std::uint64_t n = 8 + rng.below(50); n > 0; --n) ids.push_back(static_cast<std::int64_t>(rng.below(vocab)));
      std::vector<std::int64_t> labels = ids;
      std::fill_n(labels.begin(), labels.size() / 3, -100);
      file << Json{{"input_ids", ids}, {"labels", labels}}.dump() << "\n";
    }
  }

  std::vector<double> losses() const {
    Session session(config_);
    std::vector<double> result;
    while (session.step() == Outcome::stepped) result.push_back(session.metrics().loss);
    return result;
  }

  Config config_;
  const fs::path root_ = fs::temp_directory_path() / fmt::format("ilt_session_{}", ::getpid());
};

}  // namespace ilt
