// The full state of a run: all that a later process needs to go on with exactly the losses that this one would have
// had.
#pragma once

#include <filesystem>
#include <vector>

#include "base/json.h"
#include "model/parameter.h"

namespace ilt {

inline constexpr const char* weights_file = "weights.safetensors";
inline constexpr const char* optimizer_file = "optimizer.safetensors";

struct FullState {
  std::vector<NamedTensor> weights;    // fp32, under the checkpoint's names
  std::vector<NamedTensor> optimizer;  // under names of the optimizer's; fp32 or uint8
  Json run;                            // the run's own: counters, configuration, fingerprints
};

// In a folder: weights.safetensors (fp32, whatever type is exported), optimizer.safetensors, state.json,
// manifest.json. It appears complete and durable, or not at all. Tensors are written one by one; nothing is copied in
// memory. Throws io (free space is checked first), numeric where a weight is not finite.
void save_full_state(const std::filesystem::path& folder, const FullState& state);

// FullState::run of a folder. Throws not_found or format.
Json read_run_state(const std::filesystem::path& folder);

// Fills the tensors of `into`. Throws format where one is missing, or of another type or shape, naming it; none has
// changed then. The folder should have been verified.
void load_full_state(const std::filesystem::path& folder, const FullState& into);

}  // namespace ilt
