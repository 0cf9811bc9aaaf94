// Two full states side by side, in one pass over their mapped files.
#include "checkpoint/state_diff.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "checkpoint/full_state.h"
#include "weights/convert.h"
#include "weights/safetensors.h"

namespace ilt {
namespace {

namespace fs = std::filesystem;

// The members of two objects that are not the same; null for what one of them lacks.
Json differing_members(const Json& a, const Json& b) {
  Json result = Json::object();
  for (const auto& [name, value] : a.items()) {
    const Json other = b.contains(name) ? b[name] : Json(nullptr);
    if (value != other) result[name] = {value, other};
  }
  for (const auto& [name, value] : b.items())
    if (!a.contains(name)) result[name] = {nullptr, value};
  return result;
}

bool same_bytes(const TensorView& a, const TensorView& b) {
  return a.bytes.size() == b.bytes.size() && std::memcmp(a.bytes.data(), b.bytes.data(), a.bytes.size()) == 0;
}

// By the values where both are fp32.
Json measure(const TensorView& a, const TensorView& b) {
  Json entry = {{"max_abs", nullptr}, {"relative", nullptr}};
  if (a.info.dtype != DType::f32 || b.info.dtype != DType::f32 || a.info.shape != b.info.shape) return entry;
  std::vector<float> x(static_cast<std::size_t>(a.info.numel()));
  std::vector<float> y(x.size());
  to_float(a, x);
  to_float(b, y);
  double most = 0;
  double squares = 0;
  double norm = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double d = std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i]));
    most = std::max(most, d);
    squares += d * d;
    norm += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  }
  entry["max_abs"] = most;
  if (norm > 0) entry["relative"] = std::sqrt(squares / norm);
  return entry;
}

class TensorDiff {
 public:
  void add(const std::string& file, const fs::path& a, const fs::path& b) {
    const SafetensorsFile first(a / file);
    const SafetensorsFile second(b / file);
    for (const auto& [name, view] : first.tensors()) {
      const auto it = second.tensors().find(name);
      if (it == second.tensors().end()) {
        list(file, name, {{"only_in", "a"}});
      } else if (view.info.dtype == it->second.info.dtype && view.info.shape == it->second.info.shape &&
                 same_bytes(view, it->second)) {
        ++same_;
      } else {
        list(file, name, measure(view, it->second));
      }
    }
    for (const auto& [name, view] : second.tensors())
      if (!first.tensors().contains(name)) list(file, name, {{"only_in", "b"}});
  }
  const Json& listed() const noexcept { return tensors_; }
  std::int64_t same() const noexcept { return same_; }

 private:
  void list(const std::string& file, const std::string& name, const Json& how) {
    Json entry = {{"file", file}, {"name", name}};
    entry.update(how);
    tensors_.push_back(std::move(entry));
  }

  Json tensors_ = Json::array();
  std::int64_t same_ = 0;
};

}  // namespace

Json diff_states(const fs::path& a, const fs::path& b) {
  Json run_a = read_run_state(a);
  Json run_b = read_run_state(b);
  Json options = differing_members(run_a.at("config"), run_b.at("config"));
  run_a.erase("config");
  run_b.erase("config");
  Json run = differing_members(run_a, run_b);
  TensorDiff tensors;
  for (const char* file : {weights_file, optimizer_file}) tensors.add(file, a, b);
  return {{"equal", run.empty() && options.empty() && tensors.listed().empty()},
          {"run", std::move(run)},
          {"options", std::move(options)},
          {"tensors", tensors.listed()},
          {"same_tensors", tensors.same()}};
}

}  // namespace ilt
