// Which format a path is of.
#include "weights/model_source.h"

#include "weights/gguf/model.h"
#include "weights/model_folder.h"

namespace ilt {

ModelSource open_model(const std::filesystem::path& path) {
  return is_gguf_file(path) ? open_gguf_model(path) : open_model_folder(path);
}

std::shared_ptr<const FileSet> open_model_files(const std::filesystem::path& path) {
  if (is_gguf_file(path)) return open_gguf_files(path);
  return std::make_shared<FolderFiles>(path);
}

}  // namespace ilt
