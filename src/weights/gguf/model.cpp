// Tensors and files of a GGUF file in Hugging Face's terms.
#include "weights/gguf/model.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "weights/gguf/config.h"
#include "weights/gguf/dequantise.h"
#include "weights/gguf/fault.h"
#include "weights/gguf/rope.h"
#include "weights/gguf/tokenizer.h"

namespace ilt {
namespace {

constexpr std::string_view magic = "GGUF";

// Files that are made when they are read; each is small beside the weights.
class GgufFiles : public FileSet {
 public:
  explicit GgufFiles(std::shared_ptr<const GgufFile> file) : file_(std::move(file)) {}

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const Entry& e : entries)
      if (!e.of_tokenizer || has_gguf_tokenizer(file_->metadata())) names.emplace_back(e.name);
    return names;
  }
  bool has(const std::string& name) const override {
    const std::vector<std::string> all = names();
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  bool is_plain(const std::string& name) const override { return has(name); }
  std::uint64_t size(const std::string& name) const override { return read(name).size(); }
  std::string read(const std::string& name) const override {
    for (const Entry& e : entries)
      if (name == e.name) return e.make(*file_);
    fail(Status::not_found, "{} has nothing for {}", place(), name);
  }
  std::string place(const std::string& name) const override { return fmt::format("{} ({})", place(), name); }
  std::string place() const override { return file_->path().string(); }

 private:
  struct Entry {
    const char* name;
    bool of_tokenizer;
    std::string (*make)(const GgufFile& file);
  };
  static std::string text(const Json& value) { return value.dump(2) + "\n"; }
  static constexpr std::array entries = {
      Entry{"config.json", false, [](const GgufFile& file) { return text(gguf_config(file.content())); }},
      Entry{"generation_config.json", false,
            [](const GgufFile& file) { return text(gguf_generation_config(file.metadata())); }},
      Entry{"tokenizer.json", true, [](const GgufFile& file) { return gguf_tokenizer_json(file.metadata()); }},
      Entry{"tokenizer_config.json", true,
            [](const GgufFile& file) { return text(gguf_tokenizer_config(file.metadata())); }}};

  std::shared_ptr<const GgufFile> file_;
};

// Where row `row` of the file belongs, of `heads` heads whose turning pairs are neighbours in the file and half a head
// apart in Hugging Face's order.
std::int64_t unpaired_row(std::int64_t row, std::int64_t head) {
  const std::int64_t inside = row % head;
  return row - inside + inside % 2 * (head / 2) + inside / 2;
}

struct Reading {
  GgufTensor tensor;
  std::int64_t paired = 0;  // rows of a head; 0: rows lie in order
  bool whole_norm = false;

  void operator()(std::span<float> out) const {
    if (paired == 0) {
      dequantise(tensor.type, tensor.bytes, out);
    } else {
      read_rows(out);
    }
    if (whole_norm)
      for (float& value : out) value -= 1.0F;
  }

  void read_rows(std::span<float> out) const {
    const std::int64_t rows = tensor.shape[0];
    const std::size_t width = out.size() / static_cast<std::size_t>(rows);
    const std::size_t bytes = tensor.bytes.size() / static_cast<std::size_t>(rows);
    for (std::int64_t row = 0; row < rows; ++row)
      dequantise(tensor.type, tensor.bytes.subspan(static_cast<std::size_t>(row) * bytes, bytes),
                 out.subspan(static_cast<std::size_t>(unpaired_row(row, paired)) * width, width));
  }
};

class TensorBuilder {
 public:
  TensorBuilder(const GgufFile& file, const Json& config)
      : path_(file.path()),
        architecture_(gguf_architecture(file.content())),
        dtype_(gguf_export_dtype(file.content())),
        head_(config.value("head_dim", config["hidden_size"].get<std::int64_t>() /
                                           config["num_attention_heads"].get<std::int64_t>())) {}

  std::pair<std::string, SourceTensor> build(const std::string& name, const GgufTensor& tensor,
                                             std::shared_ptr<const GgufFile> file) const {
    const auto hf = hf_tensor_name(architecture_, name);
    if (!hf)
      throw Error(Status::unsupported,
                  fmt::format("{}: the tensor '{}' is none that libilt knows of the architecture {}; nothing is loaded "
                              "in part",
                              path_.string(), name, architecture_.name),
                  {{"file", path_.string()}, {"tensor", name}});
    if (!gguf_layout(tensor.type).readable)
      throw Error(Status::unsupported,
                  fmt::format("{}: the tensor '{}' is of type {}; libilt reads {}", path_.string(), name,
                              gguf_layout(tensor.type).name, gguf_readable_types()),
                  {{"file", path_.string()}, {"tensor", name}});
    const Reading reading{tensor, paired_rows(name, *hf, tensor), is_whole_norm(architecture_, *hf)};
    return {*hf, {{dtype_, tensor.shape}, [reading, file = std::move(file)](std::span<float> out) { reading(out); }}};
  }

 private:
  std::int64_t paired_rows(const std::string& name, const std::string& hf, const GgufTensor& tensor) const {
    if (!is_paired(architecture_, hf)) return 0;
    if (tensor.shape.empty() || tensor.shape[0] % head_ != 0 || tensor.shape[0] == 0 || head_ % 2 != 0)
      fail_gguf(path_,
                {fmt::format("tensor '{}'", name), fmt::format("{} rows", tensor.shape.empty() ? 1 : tensor.shape[0]),
                 fmt::format("whole heads of {} rows", head_), GgufFault{}.advice, name});
    return head_;
  }

  fs::path path_;
  const GgufArchitecture& architecture_;
  DType dtype_;
  std::int64_t head_;
};

}  // namespace

bool is_gguf_file(const fs::path& path) {
  std::error_code code;
  if (!fs::is_regular_file(path, code)) return false;
  if (path.extension() == ".gguf") return true;
  std::array<char, magic.size()> begin{};
  return InputFile(path).read(begin) == begin.size() && std::string_view(begin.data(), begin.size()) == magic;
}

ModelSource open_gguf_model(const fs::path& path) {
  const auto file = std::make_shared<const GgufFile>(path);
  Json config = gguf_config(file->content());
  const TensorBuilder builder(*file, config);
  std::map<std::string, SourceTensor> tensors;
  for (const auto& [name, tensor] : file->tensors())
    if (!is_gguf_rope_tensor(name)) tensors.insert(builder.build(name, tensor, file));
  return {path, std::make_shared<GgufFiles>(file), std::move(config), std::move(tensors)};
}

std::shared_ptr<const FileSet> open_gguf_files(const fs::path& path) {
  return std::make_shared<GgufFiles>(std::make_shared<const GgufFile>(path));
}

}  // namespace ilt
