// ilt.h: looking at full states.
#include "base/files.h"
#include "capi/guard.h"
#include "capi/output.h"
#include "checkpoint/full_state.h"
#include "checkpoint/manifest.h"
#include "checkpoint/store.h"

namespace ilt::capi {
namespace {

std::uint64_t total_bytes(const Manifest& manifest) {
  std::uint64_t total = 0;
  for (const auto& [name, file] : manifest.files) total += file.bytes;
  return total;
}

Json describe(const StoredState& state) {
  Json entry = {{"step", state.step}, {"path", state.path.string()}};
  try {
    entry["bytes"] = total_bytes(read_manifest(state.path));
  } catch (const Error& error) {
    entry["fault"] = error.what();
  }
  return entry;
}

}  // namespace
}  // namespace ilt::capi

using namespace ilt::capi;

ilt_status ilt_checkpoint_list_json(const char* output_dir, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(output_dir, "output_dir");
    std::error_code code;
    if (!ilt::fs::is_directory(output_dir, code)) ilt::fail(ilt::Status::not_found, "{} is no folder", output_dir);
    ilt::Json states = ilt::Json::array();
    for (const auto& state : ilt::StateStore(output_dir, 0).list()) states.push_back(describe(state));
    give_string(ilt::to_line(states), out, out_length);
  });
}

ilt_status ilt_checkpoint_verify(const char* path, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(path, "path");
    ilt::verify_folder(path);
  });
}

ilt_status ilt_checkpoint_info_json(const char* path, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(path, "path");
    ilt::Json info = ilt::read_run_state(path);
    for (const auto& [name, file] : ilt::read_manifest(path).files)
      info["files"][name] = {{"bytes", file.bytes}, {"xxh3", file.checksum}};
    give_string(ilt::to_line(info), out, out_length);
  });
}
