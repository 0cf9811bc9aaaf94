// The files of another set, with another text in place of one of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file_set.h"

namespace ilt {

class ReplacedFile : public FileSet {
 public:
  ReplacedFile(std::shared_ptr<const FileSet> files, std::string name, std::string text)
      : files_(std::move(files)), name_(std::move(name)), text_(std::move(text)) {}

  std::vector<std::string> names() const override { return files_->names(); }
  bool has(const std::string& name) const override { return name == name_ || files_->has(name); }
  bool is_plain(const std::string& name) const override { return name == name_ || files_->is_plain(name); }
  std::uint64_t size(const std::string& name) const override {
    return name == name_ ? text_.size() : files_->size(name);
  }
  std::string read(const std::string& name) const override { return name == name_ ? text_ : files_->read(name); }
  std::string place(const std::string& name) const override { return files_->place(name); }
  std::string place() const override { return files_->place(); }

 private:
  std::shared_ptr<const FileSet> files_;
  std::string name_, text_;
};

}  // namespace ilt
