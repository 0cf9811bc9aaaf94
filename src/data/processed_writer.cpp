// Three growing files that become one: the ids stand behind room for the header, the others are appended at the end.
#include "data/processed_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/replace_file.h"
#include "data/processed_file.h"

namespace ilt {
namespace {

// The header is padded with blanks, as the format allows. Room for all metadata but those of many files, which report
// and settings name twice.
constexpr std::uint64_t least_header_bytes = 1 << 16;
constexpr std::uint64_t report_bytes = 1 << 18;
constexpr const char* state_file = "state.json";

void append_whole(const fs::path& from, AppendFile& to) {
  InputFile file(from);
  std::vector<char> chunk(1 << 20);
  for (std::size_t n; (n = file.read(chunk)) > 0;) to.append(std::as_bytes(std::span(chunk).first(n)));
}

void sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_errno("open", folder, errno);
  const int code = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (code != 0 && code != EINVAL) fail_errno("write", folder, code);
}

std::string header(const std::vector<std::pair<std::string, const AppendFile*>>& tensors, std::uint64_t tokens,
                   std::uint64_t samples, const DataReport& report, const DatasetOrigin& origin, const Json& settings,
                   std::uint64_t header_bytes) {
  Json metadata = {{"format", processed_format},
                   {"version", processed_version},
                   {"tokenizer", origin.tokenizer},
                   {"vocab_size", std::to_string(origin.vocab_size)},
                   {"settings", settings.dump(-1, ' ', false, Json::error_handler_t::replace)},
                   {"report", to_json(report).dump(-1, ' ', false, Json::error_handler_t::replace)}};
  for (const auto& [name, file] : tensors) metadata["checksum." + name] = file->fingerprint();
  const std::array<std::uint64_t, 4> ends = {0, 4 * tokens, 5 * tokens, 5 * tokens + 8 * samples};
  const Json table = {{"__metadata__", metadata},
                      {"input_ids", {{"dtype", "I32"}, {"shape", {tokens}}, {"data_offsets", {ends[0], ends[1]}}}},
                      {"supervised", {{"dtype", "BOOL"}, {"shape", {tokens}}, {"data_offsets", {ends[1], ends[2]}}}},
                      {"sample_ends", {{"dtype", "I64"}, {"shape", {samples}}, {"data_offsets", {ends[2], ends[3]}}}}};
  std::string text = table.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > header_bytes - 8) fail(Status::internal, "the header takes {} bytes", text.size());
  text.resize(header_bytes - 8, ' ');
  const std::uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

// The same for the same settings: a later process finds the tensors behind it.
std::uint64_t header_room(const Json& settings) {
  const std::uint64_t text = settings.dump(-1, ' ', false, Json::error_handler_t::replace).size();
  return text < 4096 ? least_header_bytes : least_header_bytes + report_bytes + (4 * text + 7) / 8 * 8;
}

}  // namespace

struct ProcessedWriter::Files {
  std::uint64_t header_bytes;
  AppendFile ids;
  AppendFile supervised;
  AppendFile ends;
  std::uint64_t tokens = 0;

  Files(const fs::path& folder, std::uint64_t token_count, std::uint64_t samples, std::uint64_t header)
      : header_bytes(header),
        ids(folder / "input_ids", token_count == 0 ? 0 : header + 4 * token_count, header),
        supervised(folder / "supervised", token_count),
        ends(folder / "sample_ends", 8 * samples),
        tokens(token_count) {}
};

ProcessedWriter::ProcessedWriter(const fs::path& path, const Json& settings)
    : path_(path), folder_(path.string() + ".partial"), settings_(settings) {
  if (is_folder(path)) {
    throw Error(Status::io, fmt::format("cannot write '{}': it is a folder; give the name of a file", path.string()),
                {{"file", path.string()}});
  }
  std::error_code code;
  fs::create_directories(folder_, code);
  if (code) fail_errno("create", folder_, code.value());
  lock_ = ::open((folder_ / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail_errno("create", folder_ / "lock", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    ::close(lock_);
    fail(Status::invalid_state, "another process is writing '{}' ({} is locked)", path.string(), folder_.string());
  }
  try {
    begin(settings);
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

ProcessedWriter::~ProcessedWriter() {
  if (lock_ >= 0) ::close(lock_);
}

void ProcessedWriter::begin(const Json& settings) {
  auto state = committed(settings);
  if (state && !fs::exists(folder_ / "input_ids")) state.reset();  // it was published, and killed before it was removed
  files_ = std::make_unique<Files>(folder_, state ? (*state)["tokens"].get<std::uint64_t>() : 0,
                                   state ? (*state)["samples"].get<std::uint64_t>() : 0, header_room(settings));
  if (state) resumed_ = (*state)["progress"];
}

std::optional<Json> ProcessedWriter::committed(const Json& settings) const {
  if (!file_exists(folder_ / state_file)) return {};
  try {
    Json state = parse_json(read_file(folder_ / state_file), (folder_ / state_file).string());
    if (state.at("settings") == settings) return state;
    log::info("data", "{} was begun with other settings or data: beginning anew", folder_.string());
  } catch (const std::exception& error) {
    log::warn("data", "{} is of no use, beginning anew: {}", folder_.string(), error.what());
  }
  return {};
}

void ProcessedWriter::add(std::span<const std::int32_t> ids, std::span<const std::int32_t> labels) {
  std::vector<std::uint8_t> flags(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) flags[i] = labels[i] != ignored_label ? 1 : 0;
  files_->ids.append(std::as_bytes(ids));
  files_->supervised.append(std::as_bytes(std::span(flags)));
  files_->tokens += ids.size();
  files_->ends.append(std::as_bytes(std::span(&files_->tokens, 1)));
}

void ProcessedWriter::commit(const Json& progress) {
  files_->ids.sync();
  files_->supervised.sync();
  files_->ends.sync();
  const Json state = {{"settings", settings_},
                      {"tokens", files_->tokens},
                      {"samples", files_->ends.size() / 8},
                      {"progress", progress}};
  replace_file(folder_ / state_file, state.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ProcessedWriter::publish(const DataReport& report, const DatasetOrigin& origin) {
  Files& files = *files_;
  const std::uint64_t samples = files.ends.size() / 8;
  require_free_space(folder_, files.supervised.size() + files.ends.size());
  const std::string head =
      header({{"input_ids", &files.ids}, {"supervised", &files.supervised}, {"sample_ends", &files.ends}}, files.tokens,
             samples, report, origin, settings_, files.header_bytes);
  files.supervised.sync();
  files.ends.sync();
  append_whole(files.supervised.path(), files.ids);
  append_whole(files.ends.path(), files.ids);
  files.ids.overwrite(0, std::as_bytes(std::span(head)));
  files.ids.sync();
  if (::rename(files.ids.path().c_str(), path_.c_str()) != 0) fail_errno("create", path_, errno);
  sync_folder(path_.parent_path());
  discard();
}

void ProcessedWriter::discard() noexcept {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace ilt
