// Tiny checkpoints of every family against transformers: logits, loss, every gradient, the losses of five AdamW steps;
// and what must hold for each of them: packing changes nothing, decoding equals the whole pass, an export is the input.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "model/families/family.h"
#include "model/load.h"
#include "ops/adamw.h"
#include "weights/convert.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

constexpr double tolerance = 2e-5;  // of the tensor's largest value

// The folders of goldens that hold a file, as "models/qwen3"; a new one needs no line here.
std::vector<std::string> goldens_with(const char* file) {
  std::vector<std::string> names;
  for (const char* group : {"llama", "models"})
    for (const auto& entry : fs::directory_iterator(fs::path(ILT_TEST_DATA) / group))
      if (fs::exists(entry.path() / file)) names.push_back(group + ("/" + entry.path().filename().string()));
  std::sort(names.begin(), names.end());
  return names;
}

struct Golden {
  explicit Golden(const std::string& name)
      : path(fs::path(ILT_TEST_DATA) / name),
        results(path / "golden.safetensors"),
        facts(parse_json(read_file(path / "golden.json"), "golden.json")) {}

  fs::path path;
  SafetensorsFile results;
  Json facts;
};

at::Tensor to_tensor(const TensorView& view) {
  at::Tensor t = at::empty(view.info.shape, at::kFloat);
  to_float(view, {t.mutable_data_ptr<float>(), static_cast<std::size_t>(t.numel())});
  return t;
}

struct Row {
  std::vector<std::int32_t> ids, labels;
};

// The golden rows without their padding.
std::vector<Row> rows_of(const Golden& golden) {
  const auto integers = [&](const char* name, std::int64_t row, std::int64_t length) {
    const TensorView& view = golden.results.tensors().at(name);
    EXPECT_EQ(view.info.dtype, DType::i64);
    std::vector<std::int64_t> values(static_cast<std::size_t>(length));
    std::memcpy(values.data(), view.bytes.data() + row * view.info.shape[1] * 8, values.size() * 8);
    return std::vector<std::int32_t>(values.begin(), values.end());
  };
  std::vector<Row> rows;
  for (std::int64_t row = 0; row < 2; ++row) {
    const std::int64_t length = golden.results.tensors().at("logits_" + std::to_string(row)).info.shape[0];
    rows.push_back({integers("input_ids", row, length), integers("labels", row, length)});
  }
  return rows;
}

MicroBatch pack(const std::vector<Row>& rows) {
  MicroBatchBuilder builder;
  for (const Row& r : rows) builder.add(r.ids, r.labels);
  return builder.build(at::kCPU);
}

double distance(const at::Tensor& found, const at::Tensor& expected) {
  return ((found - expected).abs().max() / expected.abs().max()).item<double>();
}

class ModelGolden : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Decoder> load() const { return load_decoder(open_model(golden_.path), at::kCPU); }

  Golden golden_{GetParam()};
};

TEST_P(ModelGolden, LogitsEqualTransformers) {
  const MicroBatch batch = pack(rows_of(golden_));
  const at::Tensor logits = load()->logits(batch);
  for (std::size_t row = 0; row + 1 < batch.starts.size(); ++row) {
    const at::Tensor expected = to_tensor(golden_.results.tensors().at("logits_" + std::to_string(row)));
    EXPECT_LT(distance(logits.slice(0, batch.starts[row], batch.starts[row + 1]), expected), tolerance);
  }
}

// Where transformers' result depends on what it computed before, there are logits alone.
class TrainingGolden : public ModelGolden {};
class OldConfigGolden : public ModelGolden {};

TEST_P(TrainingGolden, LossAndEveryGradientEqualTransformers) {
  const SafetensorsFile gradients(golden_.path / "grads.safetensors");
  const auto decoder = load();
  const MicroBatch batch = pack(rows_of(golden_));
  const auto targets = static_cast<double>(batch.target_count());
  decoder->prepare_training(batch.tokens());
  EXPECT_NEAR(decoder->forward_backward(batch).loss / targets, golden_.facts["losses"][0].get<double>(), tolerance);
  std::size_t compared = 0;
  for (const Parameter& p : decoder->parameters().all()) {
    if (p.buffer) continue;
    for (const StoredTensor& s : p.stored) {
      const at::Tensor expected = to_tensor(gradients.tensors().at(s.name));
      EXPECT_LT(distance(stored_view(p.grad, s).reshape(s.shape) / targets, expected), tolerance) << s.name;
      ++compared;
    }
  }
  EXPECT_EQ(compared, gradients.tensors().size());
}

TEST_P(TrainingGolden, LossesOfFiveAdamWStepsEqualTorch) {
  const auto decoder = load();
  const MicroBatch batch = pack(rows_of(golden_));
  const auto targets = static_cast<double>(batch.target_count());
  decoder->prepare_training(batch.tokens());
  std::vector<std::pair<at::Tensor, at::Tensor>> moments;
  for (const Parameter& p : decoder->parameters().all())
    moments.emplace_back(at::zeros_like(p.value), at::zeros_like(p.value));
  const Json& losses = golden_.facts["losses"];
  for (std::size_t step = 0; step < losses.size(); ++step) {
    decoder->parameters().zero_gradients();
    EXPECT_NEAR(decoder->forward_backward(batch).loss / targets, losses[step].get<double>(), tolerance)
        << "step " << step;
    std::size_t i = 0;
    for (const Parameter& p : decoder->parameters().all()) {
      const auto& [m, v] = moments[i++];
      if (p.buffer) continue;
      ops::adamw({.lr = 1e-3,
                  .beta1 = 0.9,
                  .beta2 = 0.999,
                  .eps = 1e-8,
                  .weight_decay = 0.1,
                  .grad_scale = 1.0 / targets,
                  .step = static_cast<std::int64_t>(step) + 1},
                 p.value, p.grad, m, v);
    }
  }
}

TEST_P(ModelGolden, PackingChangesNothing) {
  const std::vector<Row> rows = rows_of(golden_);
  const auto together = load();
  together->prepare_training(100);
  const double loss = together->forward_backward(pack(rows)).loss;
  const auto apart = load();
  apart->prepare_training(static_cast<std::int64_t>(rows[0].ids.size()));
  double sum = 0;
  for (const Row& row : rows) sum += apart->forward_backward(pack({row})).loss;
  EXPECT_NEAR(sum, loss, 1e-6 * loss);
  for (std::size_t i = 0; i < together->parameters().all().size(); ++i) {
    const Parameter& p = together->parameters().all()[i];
    if (p.buffer) continue;
    EXPECT_LT(distance(apart->parameters().all()[i].grad, p.grad), tolerance) << p.name;
  }
}

TEST_P(ModelGolden, CachedDecodingEqualsTheWholePass) {
  const auto decoder = load();
  const Row row = rows_of(golden_)[0];
  const at::Tensor ids = at::tensor(row.ids, at::kInt).to(at::kLong);
  DecodeCache cache = decoder->make_cache(4);
  std::int64_t done = 0;
  for (const std::int64_t n : {15, 1, 1, 5, 1}) {
    const at::Tensor logits = decoder->decode(ids.narrow(0, done, n), cache);
    done += n;
    const Row part{{row.ids.begin(), row.ids.begin() + done}, {}};
    EXPECT_LT(distance(logits, decoder->logits(pack({part}))[done - 1]), tolerance) << "after " << done << " tokens";
  }
}

// Without a step between, an export gives back every tensor of the folder: same names, shapes, types and bits.
TEST_P(ModelGolden, ExportIsTheInput) {
  const ModelSource source = open_model(golden_.path);
  const SafetensorsFile file(golden_.path / "model.safetensors");
  const auto decoder = load_decoder(source, at::kCPU);
  const std::vector<ExportTensor> tensors = export_tensors(decoder->parameters().stored_tensors(), source, "");
  EXPECT_EQ(tensors.size(), file.tensors().size());
  for (const ExportTensor& t : tensors) {
    const TensorView& stored = file.tensors().at(t.name);
    EXPECT_EQ(t.info.shape, stored.info.shape) << t.name;
    EXPECT_EQ(t.info.dtype, stored.info.dtype) << t.name;
    std::vector<std::byte> bytes(stored.bytes.size());
    from_float(t.values(), t.info.dtype, bytes);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), stored.bytes.begin())) << t.name;
  }
}

TEST_P(OldConfigGolden, MeansTheSame) {
  const Json old = parse_json(read_file(golden_.path / "config_old.json"), "config_old.json");
  EXPECT_TRUE(read_spec(old) == read_spec(open_model(golden_.path).config()));
}

std::string test_name(const testing::TestParamInfo<std::string>& golden) {
  std::string name = golden.param;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Families, ModelGolden, testing::ValuesIn(goldens_with("golden.json")), test_name);
INSTANTIATE_TEST_SUITE_P(Families, TrainingGolden, testing::ValuesIn(goldens_with("grads.safetensors")), test_name);
INSTANTIATE_TEST_SUITE_P(Families, OldConfigGolden, testing::ValuesIn(goldens_with("config_old.json")), test_name);

}  // namespace
}  // namespace ilt
