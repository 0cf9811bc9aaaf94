// Snapshots: copying, and the way to a Hugging Face folder.
#include "train/snapshot.h"

#include <ATen/ops/empty_like.h>

#include "model/load.h"
#include "weights/export.h"

namespace ilt {
namespace {

void copy_to_host(std::vector<NamedTensor>& tensors) {
  for (NamedTensor& t : tensors) {
    const at::Tensor copy = at::empty_like(t.value, t.value.options().device(at::kCPU), at::MemoryFormat::Contiguous);
    copy.copy_(t.value);
    t.value = copy;
  }
}

}  // namespace

void Snapshot::detach() {
  copy_to_host(state.weights);
  copy_to_host(state.optimizer);
}

void write_model(const Snapshot& snapshot, const std::filesystem::path& path) {
  const ModelSource& origin = *snapshot.origin;
  export_model(origin.files(), path, export_tensors(snapshot.state.weights, origin, snapshot.save_dtype),
               dtype_changes(origin.config(), snapshot.save_dtype));
}

}  // namespace ilt
