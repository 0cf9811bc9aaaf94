// Options: parsing, errors with key, got and expected, cross checks, the schema.
#include "config/options.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error.h"

namespace ilt {
namespace {

using testing::HasSubstr;

template <typename Action>
Error error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return {Status::ok, "no error"};
}

Error parse_error_of(const char* json) {
  return error_of([&] { parse_config(parse_json(json, "test")); });
}

Config training() {
  return parse_config(parse_json(R"({"model_path": "m", "data_path": "d.jsonl", "effective_batch_size": 8,
    "max_seq_len": 100, "max_batch_len": 200, "learning_rate": 1e-5})",
                                 "test"));
}

TEST(Options, ParsesEveryType) {
  const auto config = parse_config(parse_json(
      R"({"model_path": "m", "data_path": ["a", "b"], "shuffle": false, "seed": 18446744073709551615,
          "max_seq_len": 1e3, "learning_rate": 2, "adamw_betas": [0.8, 0.9]})",
      "test"));
  EXPECT_EQ(config.model_path, "m");
  EXPECT_EQ(config.data_path, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(config.shuffle);
  EXPECT_EQ(config.seed, ~0ULL);
  EXPECT_EQ(config.max_seq_len, 1000);
  EXPECT_EQ(config.learning_rate, 2.0);
  EXPECT_EQ(config.beta1, 0.8);
  EXPECT_EQ(config.beta2, 0.9);
  EXPECT_EQ(config.num_epochs, 1);
}

TEST(Options, TakesTextAsTheCommandLineGivesIt) {
  Config config;
  set_config(config, "model_path", "true");
  set_config(config, "data_path", "a b.jsonl");
  set_config(config, "random_seed", "7");
  set_config(config, "shuffle", "false");
  set_config(config, "adamw_betas", "[0.5, 0.6]");
  EXPECT_EQ(config.model_path, "true");
  EXPECT_EQ(config.data_path, (std::vector<std::string>{"a b.jsonl"}));
  EXPECT_EQ(config.seed, 7u);
  EXPECT_FALSE(config.shuffle);
  EXPECT_EQ(get_config(config, "adamw_beta2"), "0.6");
  EXPECT_EQ(get_config(config, "data_path"), R"(["a b.jsonl"])");
  set_config(config, "data_path", R"(["x","y"])");
  EXPECT_EQ(config.data_path.size(), 2u);
  EXPECT_THAT(error_of([&] { set_config(config, "seed", "seven"); }).what(),
              HasSubstr("got 'seven', expected an integer"));
}

TEST(Options, WhatIsNotGivenIsTheOptimizersOwn) {
  Config config = training();
  EXPECT_EQ(get_config(config, "beta2"), "null");
  EXPECT_EQ(get_config(config, "nesterov"), "null");
  set_config(config, "beta2", "0.98");
  set_config(config, "nesterov", "true");
  EXPECT_EQ(config.beta2, 0.98);
  EXPECT_EQ(config.nesterov, true);
  EXPECT_EQ(config_to_json(parse_config(config_to_json(config))), config_to_json(config));
  set_config(config, "nesterov", "null");
  set_config(config, "betas", "null");
  EXPECT_FALSE(config.beta2 || config.nesterov);
  EXPECT_EQ(parse_error_of(R"({"nesterov": 1})").detail()["expected"], "true or false");
}

TEST(Options, AnUnknownOptionNamesTheNearest) {
  const auto error = parse_error_of(R"({"learning_rat": 1})");
  EXPECT_EQ(error.status(), Status::config);
  EXPECT_THAT(error.what(), HasSubstr("unknown option 'learning_rat'; did you mean 'learning_rate'?"));
  EXPECT_EQ(error.detail(), (Json{{"key", "learning_rat"}, {"nearest", "learning_rate"}}));
  EXPECT_EQ(parse_error_of(R"({"randomseed": 1})").detail()["nearest"], "seed");
}

TEST(Options, AWrongValueNamesKeyGotAndExpected) {
  const auto error = parse_error_of(R"({"effective_batch_size": 0})");
  EXPECT_EQ(error.detail(), (Json{{"key", "effective_batch_size"}, {"got", "0"}, {"expected", "an integer >= 1"}}));
  EXPECT_THAT(error.what(), HasSubstr("option 'effective_batch_size': got 0, expected an integer >= 1"));
  for (const auto* const json :
       {R"({"effective_batch_size": "8"})", R"({"effective_batch_size": 1.5})", R"({"max_seq_len": true})",
        R"({"effective_batch_size": 1e30})", R"({"seed": -1})", R"({"shuffle": 1})", R"({"model_path": 3})",
        R"({"data_path": [1]})", R"({"lr_scheduler": "cosin"})", R"({"adamw_beta1": 1})", R"({"adamw_betas": [0.9]})",
        R"({"adamw_betas": [0.9, 1.5]})", R"({"learning_rate": 0})", R"({"learning_rate": null})",
        R"({"model_path": "a\u0000b"})", R"({"seed": 7, "random_seed": 7})", R"([1])"}) {
    EXPECT_EQ(parse_error_of(json).status(), Status::config) << json;
  }
  EXPECT_THAT(parse_error_of(R"({"lr_scheduler": "cosin"})").what(), HasSubstr("one of constant, "));
}

TEST(Options, NamesTheLargestInteger) {
  for (const auto* const json : {R"({"max_batch_len": 1e18})", R"({"max_batch_len": 9223372036854775807})"})
    EXPECT_THAT(parse_error_of(json).what(), HasSubstr("expected an integer >= 1 and <= 9007199254740992"));
}

TEST(Options, TakesTextFromAnywhere) {
  Config config;
  const auto refused = [&](const char* key, const std::string& text) {
    const Error error = error_of([&] { set_config(config, key, text); });
    EXPECT_EQ(error.status(), Status::config);
    EXPECT_LT(std::string(error.what()).size(), 600u);
    return std::string(error.what());
  };
  for (const char* key : {"data_path", "data_weights", "seed"}) refused(key, std::string(100'000, '['));
  refused("seed", std::string(100'000, '9'));
  refused(std::string(100'000, 'x').c_str(), "1");
  EXPECT_THAT(refused("model_path", "\xff"), HasSubstr("in UTF-8"));
  EXPECT_THAT(refused("frobnicate", "1"), testing::Not(HasSubstr("did you mean")));
}

TEST(Options, JsonRoundTrips) {
  EXPECT_EQ(config_to_json(parse_config(config_to_json(Config()))), config_to_json(Config()));
  const auto json = config_to_json(training());
  EXPECT_EQ(config_to_json(parse_config(json)), json);
  EXPECT_FALSE(json.contains("betas"));
}

TEST(Validation, NamesWhatIsMissing) {
  EXPECT_THAT(error_of([] { validate_config(Config{}); }).what(), HasSubstr("option 'model_path' is required"));
  Config scoring;
  scoring.model_path = "m";
  EXPECT_NO_THROW(validate_config(scoring));
  EXPECT_NO_THROW(validate_config(training()));
  const auto missing = [](auto unset) {
    auto config = training();
    unset(config);
    return error_of([&] { validate_config(config); }).detail().value("key", "none");
  };
  EXPECT_EQ(missing([](Config& c) { c.effective_batch_size = 0; }), "effective_batch_size");
  EXPECT_EQ(missing([](Config& c) { c.max_batch_len = 0; }), "max_batch_len");
  EXPECT_EQ(missing([](Config& c) { c.max_seq_len = 0; }), "max_seq_len");
  EXPECT_EQ(missing([](Config& c) { c.learning_rate = 0; }), "learning_rate");
}

TEST(Validation, RefusesContradictions) {
  const auto refused = [](auto change) {
    auto config = training();
    change(config);
    return error_of([&] { validate_config(config); }).detail().value("key", "none");
  };
  EXPECT_EQ(refused([](Config& c) { c.lr_cycles = 2; }), "lr_cycles");
  EXPECT_EQ(refused([](Config& c) { c.optimizer = "lion", c.optimizer_eps = 1e-6; }), "optimizer_eps");
  EXPECT_EQ(refused([](Config& c) { c.optimizer = "lion", c.beta2 = 0.98; }), "none");
  EXPECT_EQ(refused([](Config& c) { c.optimizer = "sgd", c.beta2 = 0.98; }), "beta2");
  EXPECT_EQ(refused([](Config& c) { c.momentum = 0.9; }), "momentum");
  EXPECT_EQ(refused([](Config& c) { c.optimizer = "sgd", c.nesterov = true; }), "nesterov");
  EXPECT_EQ(refused([](Config& c) { c.optimizer = "muon", c.nesterov = false; }), "none");
  EXPECT_EQ(refused([](Config& c) { c.decay_norms_and_biases = false; }), "decay_norms_and_biases");
  EXPECT_EQ(refused([](Config& c) { c.lr_scheduler = "warmup_stable_decay"; }), "lr_decay_steps");
  EXPECT_EQ(refused([](Config& c) { c.block_size = 1000000; }), "block_size");
  EXPECT_EQ(refused([](Config& c) { c.validation_frequency = 3; }), "validation_frequency");
  EXPECT_EQ(refused([](Config& c) { c.data_weights = {1, 2, 3}; }), "data_weights");
  EXPECT_EQ(refused([](Config& c) { c.min_seq_len = 1 << 30; }), "min_seq_len");
  EXPECT_EQ(refused([](Config& c) { c.warmup_steps = 1, c.lr_scheduler = "constant"; }), "warmup_steps");
  EXPECT_EQ(refused([](Config& c) { c.save_samples = 1; }), "save_samples");
  EXPECT_EQ(refused([](Config& c) { c.save_samples = 1, c.ckpt_output_dir = "out"; }), "none");
}

TEST(Schema, TellsTypesBoundsDefaultsAndNames) {
  const auto schema = config_schema();
  EXPECT_EQ(schema["required"], Json::array({"model_path"}));
  const auto& properties = schema["properties"];
  EXPECT_EQ(properties["effective_batch_size"]["type"], "integer");
  EXPECT_EQ(properties["effective_batch_size"]["minimum"], 1);
  EXPECT_EQ(properties["effective_batch_size"]["x-required"], "training");
  EXPECT_EQ(properties["shuffle"]["type"], "boolean");
  EXPECT_EQ(properties["shuffle"]["default"], true);
  EXPECT_EQ(properties["seed"]["x-aliases"], Json::array({"random_seed"}));
  EXPECT_EQ(properties["overlong"]["enum"], Json::array({"drop", "truncate", "error"}));
  EXPECT_EQ(properties["data_path"]["type"], Json::array({"string", "array"}));
  EXPECT_EQ(properties["betas"]["items"]["exclusiveMaximum"], 1.0);
  EXPECT_EQ(properties["betas"]["type"], Json::array({"array", "null"}));
  EXPECT_EQ(properties["betas"]["x-instructlab"], "adamw_betas");
  EXPECT_EQ(properties["nesterov"]["default"], nullptr);
}

// The table and the struct name the same options.
TEST(Schema, HasOneEntryForEachField) {
  std::vector<const void*> fields;
  Config config;
  for (const auto& option : config_options()) {
    EXPECT_FALSE(option.doc.empty()) << option.name;
    if (const auto field = option.field(&config); !std::holds_alternative<NumberPair>(field))
      fields.push_back(std::visit(
          [](auto f) -> const void* {
            if constexpr (std::is_pointer_v<decltype(f)>) return f;
            return nullptr;
          },
          field));
  }
  std::sort(fields.begin(), fields.end());
  EXPECT_EQ(std::adjacent_find(fields.begin(), fields.end()), fields.end());
}

}  // namespace
}  // namespace ilt
