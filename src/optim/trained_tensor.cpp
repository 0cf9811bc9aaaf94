// Choosing what is trained, and how, by the names of the checkpoint's tensors.
#include "optim/trained_tensor.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "optim/name_pattern.h"

namespace ilt {
namespace {

struct LrScale {
  std::string pattern;
  double factor = 1.0;
};

// transformers' convention, which is one of names: some norms and biases are matrices.
bool is_norm_or_bias(const StoredTensor& s) {
  return s.shape.size() < 2 || s.name.ends_with("bias") || s.name.find("norm") != std::string::npos;
}

// A row for each token, or each position.
bool is_table(const StoredTensor& s, const DecoderSpec& spec) {
  const WeightNames& n = spec.names;
  const auto is = [&](const std::string& name) { return s.name == spec.prefix + name + ".weight"; };
  return is(n.embeddings) || is(n.positions) || is(n.lm_head);
}

// As a matrix, or a stack of them, whatever order the checkpoint holds it in.
at::Tensor own_view(const at::Tensor& parameter, const StoredTensor& s) {
  const at::Tensor rows = rows_of(parameter, s);
  if (s.layout.order.empty()) return rows.view(s.shape);
  return s.shape.size() < 3 ? rows : rows.view(s.layout.dimensions);
}

LrScale parse_lr_scale(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  LrScale scale;
  if (equals != std::string::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, scale.factor);
    if (error == std::errc() && stop == end && std::isfinite(scale.factor) && scale.factor > 0) {
      scale.pattern = text.substr(0, equals);
      return scale;
    }
  }
  throw Error(Status::config,
              fmt::format("option 'lr_scale': got '{}', expected PATTERN=FACTOR with a factor > 0, as in "
                          "*.embed_tokens.*=0.1 (tensors that are not to be trained: freeze)",
                          shortened(text)),
              {{"key", "lr_scale"}, {"got", shortened(text)}, {"expected", "PATTERN=FACTOR"}});
}

}  // namespace

void freeze_tensors(ParameterSet& parameters, const std::vector<std::string>& patterns) {
  std::vector<StoredTensor*> stored;
  std::vector<std::string> names;
  for (Parameter& p : parameters.all()) {
    for (StoredTensor& s : p.stored) {
      stored.push_back(&s);
      names.push_back(s.name);
    }
  }
  for (const std::string& pattern : patterns)
    for (const std::size_t i : find_names("freeze", pattern, names)) stored[i]->trained = false;
  if (parameters.trained_count() == 0)
    throw Error(Status::config, "option 'freeze': every tensor of the model is frozen: nothing is left to train",
                {{"key", "freeze"}, {"got", patterns}});
}

std::vector<TrainedTensor> trained_tensors(const Decoder& decoder, const GroupRules& rules) {
  std::vector<TrainedTensor> tensors;
  std::vector<std::string> names;
  for (const Parameter& p : decoder.parameters().all()) {
    for (const StoredTensor& s : p.stored) {
      if (!s.trained) continue;
      const bool light = is_norm_or_bias(s);
      tensors.push_back({.name = s.name,
                         .value = own_view(p.value, s),
                         .grad = own_view(p.grad, s),
                         .weight_decay = light && !rules.decay_norms_and_biases ? 0.0 : rules.weight_decay,
                         .hidden_matrix = s.shape.size() == 2 && !light && !is_table(s, decoder.spec())});
      names.push_back(s.name);
    }
  }
  for (const std::string& text : rules.lr_scale) {
    const LrScale scale = parse_lr_scale(text);
    for (const std::size_t i : find_names("lr_scale", scale.pattern, names)) tensors[i].lr_factor = scale.factor;
  }
  return tensors;
}

}  // namespace ilt
