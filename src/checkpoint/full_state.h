// The full state of a run: all that a later process needs to go on with exactly the losses that this one would have
// had.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "model/parameter.h"
#include "optim/adamw.h"

namespace ilt {

// In a folder: weights.safetensors (fp32, whatever type is exported), optimizer.safetensors, state.json (the run's own:
// counters, configuration, fingerprints), manifest.json. It appears complete and durable, or not at all. Tensors are
// written one by one; nothing is copied in memory. Throws io (free space is checked first), numeric where a weight is
// not finite.
void save_full_state(const std::filesystem::path& folder, const ParameterSet& parameters, const AdamW& optimizer,
                     const Json& state);

// What save_full_state was given as `state`. Throws not_found or format.
Json read_run_state(const std::filesystem::path& folder);

// Puts weights and optimizer state back. Throws format where a tensor is missing or of another shape, naming it; the
// parameters are then of no use. The folder should have been verified.
void load_full_state(const std::filesystem::path& folder, ParameterSet& parameters, AdamW& optimizer);

}  // namespace ilt
