// Files by name, wherever they come from: a folder, or something that stands for one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/files.h"

namespace ilt {

class FileSet {
 public:
  virtual ~FileSet() = default;

  // Of everything that is no folder.
  virtual std::vector<std::string> names() const = 0;
  // Whether there is something of that name; throws io where that cannot be told.
  virtual bool has(const std::string& name) const = 0;
  // Whether it is a plain file, as far as can be told; what is none may be a pipe or a device.
  virtual bool is_plain(const std::string& name) const = 0;
  // Throws not_found or io where it cannot be read.
  virtual std::uint64_t size(const std::string& name) const = 0;
  virtual std::string read(const std::string& name) const = 0;
  // What messages call the file, and the set.
  virtual std::string place(const std::string& name) const = 0;
  virtual std::string place() const = 0;
};

class FolderFiles : public FileSet {
 public:
  explicit FolderFiles(fs::path folder) : folder_(std::move(folder)) {}

  std::vector<std::string> names() const override;
  bool has(const std::string& name) const override { return file_exists(folder_ / name); }
  bool is_plain(const std::string& name) const override;
  std::uint64_t size(const std::string& name) const override { return InputFile(folder_ / name).size(); }
  std::string read(const std::string& name) const override { return read_file(folder_ / name); }
  std::string place(const std::string& name) const override { return (folder_ / name).string(); }
  std::string place() const override { return folder_.string(); }

 private:
  fs::path folder_;
};

}  // namespace ilt
