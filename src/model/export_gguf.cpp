// From Hugging Face's names and orders to GGUF's, with the check that the file means the same model.
#include "model/export_gguf.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "model/families/family.h"
#include "model/load.h"
#include "text/special_tokens.h"
#include "text/template_source.h"
#include "weights/finite.h"
#include "weights/gguf/config.h"
#include "weights/gguf/quantise.h"
#include "weights/gguf/write_config.h"
#include "weights/gguf/write_tokenizer.h"

namespace ilt {
namespace {

struct Entry {
  std::string name;  // in the file
  GgufTensorType type = GgufTensorType::f32;
  std::vector<std::int64_t> shape;
  std::int64_t paired = 0;  // rows of a head that is stored in pairs; 0: rows stay in order
  bool whole_norm = false;
  const SourceTensor* source = nullptr;  // null: `values` are the tensor
  std::vector<float> values = {};
};

GgufTensorType type_for(const std::vector<std::int64_t>& shape, GgufTensorType wanted) {
  if (shape.size() < 2) return GgufTensorType::f32;
  return shape.back() % gguf_layout(wanted).block_values == 0 ? wanted : GgufTensorType::f16;
}

std::vector<Entry> entries_of(const ModelSource& source, const Decoder& decoder, const GgufArchitecture& architecture,
                              GgufTensorType type) {
  std::vector<Entry> entries;
  const std::int64_t head = decoder.spec().head_dim;
  for (const Parameter& parameter : decoder.parameters().all()) {
    for (const StoredTensor& stored : parameter.stored) {
      const auto name = gguf_tensor_name(architecture, stored.name);
      if (!name)
        throw Error(Status::unsupported,
                    fmt::format("{}: GGUF's architecture {} has no place for '{}'", source.path().string(),
                                architecture.name, stored.name),
                    {{"file", source.path().string()}, {"tensor", stored.name}});
      entries.push_back({.name = *name,
                         .type = type_for(stored.shape, type),
                         .shape = stored.shape,
                         .paired = is_paired(architecture, stored.name) ? head : 0,
                         .whole_norm = is_whole_norm(architecture, stored.name),
                         .source = &source.tensors().at(stored.name)});
    }
  }
  return entries;
}

std::string chat_template_of(const FileSet& files) {
  try {
    return find_template(files, {}).text;
  } catch (const Error& e) {
    if (e.status() != Status::not_found) throw;
    return "";
  }
}

void write_tokenizer(GgufHead& head, const FileSet& files, std::int64_t vocab) {
  constexpr auto name = "tokenizer.json";
  if (!files.has(name)) return head.add_text("tokenizer.ggml.model", "none");
  write_gguf_tokenizer(head, {parse_json(files.read(name), files.place(name)), files.place(name), special_tokens(files),
                              chat_template_of(files), vocab});
}

// The file is read as llama.cpp would read it; it must describe the decoder that config.json describes.
void require_same_model(const GgufHead& head, const std::vector<Entry>& entries, const ModelSource& source,
                        DecoderSpec spec) {
  const std::string bytes = head.bytes();
  GgufContent content = read_gguf_head(std::as_bytes(std::span(bytes)), source.path());
  for (const Entry& e : entries)
    if (e.source == nullptr) content.tensors.at(e.name).bytes = std::as_bytes(std::span(e.values));
  DecoderSpec written = read_spec(gguf_config(content));
  written.architecture = spec.architecture;  // Mistral's is Llama's
  if (written == spec) return;
  throw Error(Status::unsupported,
              fmt::format("{}: config.json says what llama.cpp has no key for in the architecture {} (windows, rotary "
                          "scaling, activation, caps or scales that are not the usual ones), so a GGUF file would be "
                          "another model",
                          source.path().string(), content.metadata.text("general.architecture")),
              {{"file", source.path().string()}});
}

// Rows of each head, its halves one after the other, in the order of turning pairs.
void pair_rows(std::vector<float>& values, std::int64_t rows, std::int64_t head) {
  const std::vector<float> halves = values;
  const auto width = static_cast<std::ptrdiff_t>(values.size()) / rows;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t inside = row % head;
    const std::int64_t from = row - inside + inside % 2 * (head / 2) + inside / 2;
    std::copy_n(halves.begin() + from * width, width, values.begin() + row * width);
  }
}

void write_entry(GgufWriter& writer, const Entry& entry) {
  constexpr std::size_t piece = 1 << 20;  // values converted at a time: whole blocks
  std::vector<float> values = entry.values;
  if (entry.source != nullptr) {
    values.resize(static_cast<std::size_t>(entry.source->info.numel()));
    entry.source->read(values);
  }
  if (entry.paired > 0) pair_rows(values, entry.shape[0], entry.paired);
  if (entry.whole_norm)
    for (float& value : values) value += 1.0F;
  const GgufTensorLayout& layout = gguf_layout(entry.type);
  std::vector<std::byte> bytes;
  for (std::size_t done = 0; done < values.size(); done += piece) {
    const auto part = std::span<const float>(values).subspan(done, std::min(piece, values.size() - done));
    require_finite(entry.name, layout.name, gguf_overflow(entry.type), part, done);
    bytes.resize(part.size() / layout.block_values * layout.block_bytes);
    quantise(entry.type, part, bytes);
    writer.write(bytes);
  }
  writer.end_tensor();
}

}  // namespace

void export_gguf(const ModelSource& source, const std::filesystem::path& destination, GgufTensorType type) {
  const std::unique_ptr<Decoder> decoder = describe_decoder(source);
  const GgufArchitecture& architecture = gguf_architecture_for(source.config());
  const GgufRope rope = write_gguf_rope(source.config(), architecture.rope_theta);
  std::vector<Entry> entries = entries_of(source, *decoder, architecture, type);
  for (const auto& [name, values] : rope.tensors)
    entries.push_back({.name = name, .shape = {static_cast<std::int64_t>(values.size())}, .values = values});

  GgufHead head;
  write_gguf_general(head, architecture, full_path(source.path()).filename().string(), type);
  write_gguf_config(head, architecture, source.config(), rope);
  write_tokenizer(head, source.files(), decoder->spec().vocab);
  for (const Entry& e : entries) head.add_tensor(e.name, e.type, e.shape);
  require_same_model(head, entries, source, decoder->spec());

  require_free_space(full_path(destination).parent_path(), head.bytes().size() + head.data_bytes());
  GgufWriter writer(destination, head);
  for (const Entry& e : entries) write_entry(writer, e);
  writer.finish();
}

}  // namespace ilt
