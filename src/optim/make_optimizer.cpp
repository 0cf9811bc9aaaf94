// Each optimizer's name, and the rule that it has for a tensor.
#include "optim/make_optimizer.h"

#include <fmt/ranges.h>

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "optim/adafactor.h"
#include "optim/adamw.h"
#include "optim/adamw_8bit.h"
#include "optim/lion.h"
#include "optim/muon.h"
#include "optim/sgd.h"

namespace ilt {
namespace {

using Rule = std::unique_ptr<UpdateRule>;

AdamWOptions adamw_options(const OptimizerOptions& o) {
  const AdamWOptions usual;
  return {o.beta1.value_or(usual.beta1), o.beta2.value_or(usual.beta2), o.eps};
}

Rule adamw(const OptimizerOptions& o, const TrainedTensor& t) {
  return std::make_unique<AdamW>(t, adamw_options(o));
}

Rule adamw_8bit(const OptimizerOptions& o, const TrainedTensor& t) {
  if (t.value.numel() < AdamW8bit::fewest_values) return adamw(o, t);
  return std::make_unique<AdamW8bit>(t, adamw_options(o));
}

Rule lion(const OptimizerOptions& o, const TrainedTensor& t) {
  const LionOptions usual;
  return std::make_unique<Lion>(t, LionOptions{o.beta1.value_or(usual.beta1), o.beta2.value_or(usual.beta2)});
}

Rule sgd(const OptimizerOptions& o, const TrainedTensor& t) {
  const SgdOptions usual;
  return std::make_unique<Sgd>(t, SgdOptions{o.momentum.value_or(usual.momentum), o.nesterov.value_or(usual.nesterov)});
}

Rule adafactor(const OptimizerOptions& o, const TrainedTensor& t) {
  return std::make_unique<Adafactor>(t, AdafactorOptions{o.beta2_decay});
}

Rule muon(const OptimizerOptions& o, const TrainedTensor& t) {
  if (!t.hidden_matrix) return adamw(o, t);
  const MuonOptions usual;
  return std::make_unique<Muon>(t, MuonOptions{o.momentum.value_or(usual.momentum), o.nesterov.value_or(usual.nesterov),
                                               parse_muon_adjust(o.muon_adjust)});
}

struct Kind {
  std::string_view name;
  Rule (*make)(const OptimizerOptions&, const TrainedTensor&);
};
constexpr Kind kinds[] = {{"adamw", adamw},         {"adamw_8bit", adamw_8bit},
                          {"adafactor", adafactor}, {"lion", lion},
                          {"muon", muon},           {"sgd", sgd}};

const Kind& kind_of(const std::string& name) {
  std::vector<std::string> known;
  for (const Kind& k : kinds) {
    if (k.name == name) return k;
    known.emplace_back(k.name);
  }
  throw Error(
      Status::config,
      fmt::format("optimizer is '{}', expected one of: {}{}", name, fmt::join(known, ", "), nearest_hint(name, known)),
      {{"key", "optimizer"}, {"got", name}, {"expected", known}});
}

}  // namespace

Optimizer make_optimizer(const OptimizerOptions& options, std::vector<TrainedTensor> tensors) {
  const Kind& kind = kind_of(options.kind);
  return {options.kind, std::move(tensors), [&](const TrainedTensor& t) { return kind.make(options, t); }};
}

}  // namespace ilt
