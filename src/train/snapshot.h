// What a save writes: views of a run's tensors, or copies of them, with what is to be said of the run.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "checkpoint/full_state.h"
#include "weights/model_source.h"

namespace ilt {

enum class SnapshotOf { weights, state };

struct Snapshot {
  FullState state;                      // of SnapshotOf::weights: the weights only
  const ModelSource* origin = nullptr;  // where the model came from
  std::string save_dtype;               // of exported weights; empty: as the model's files

  // Copies the tensors to the host, so that the run may go on while they are written.
  void detach();
};

// Writes the model in Hugging Face's format.
void write_model(const Snapshot& snapshot, const std::filesystem::path& path);

}  // namespace ilt
