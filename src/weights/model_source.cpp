// Which format a path is of.
#include "weights/model_source.h"

#include "weights/model_folder.h"

namespace ilt {

ModelSource open_model(const std::filesystem::path& path) {
  return open_model_folder(path);
}

std::shared_ptr<const FileSet> open_model_files(const std::filesystem::path& path) {
  return std::make_shared<FolderFiles>(path);
}

}  // namespace ilt
