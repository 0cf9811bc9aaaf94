// ilt.h: looking at full states.
#include "base/files.h"
#include "capi/guard.h"
#include "capi/output.h"
#include "checkpoint/full_state.h"
#include "checkpoint/manifest.h"
#include "checkpoint/state_diff.h"
#include "checkpoint/state_export.h"
#include "checkpoint/store.h"
#include "config/option.h"

namespace ilt::capi {
namespace {

std::uint64_t total_bytes(const Manifest& manifest) {
  std::uint64_t total = 0;
  for (const auto& [name, file] : manifest.files) total += file.bytes;
  return total;
}

Json describe(const StoredCheckpoint& state) {
  Json entry = {{"step", state.number}, {"path", state.path.string()}};
  try {
    entry["bytes"] = total_bytes(read_manifest(state.path));
  } catch (const Error& error) {
    entry["fault"] = error.what();
  }
  return entry;
}

const std::vector<Option>& export_options() {
  static const auto* const options = new std::vector<Option>{
      {.name = "model_path", .field = field_of<&StateExportOptions::model_path>},
      {.name = "save_dtype",
       .field = field_of<&StateExportOptions::save_dtype>,
       .choices = {"", "float32", "bfloat16", "float16"}},
  };
  return *options;
}

StateExportOptions parse_export_options(const char* json) {
  StateExportOptions options;
  if (json != nullptr)
    set_options(export_options(), &options, parse_json(json, "export options", {.repeated_keys = false}));
  return options;
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
    for (const auto& state : ilt::CheckpointStore::of_states(output_dir).list()) states.push_back(describe(state));
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

ilt_status ilt_checkpoint_export(const char* state_path, const char* out_path, const char* options_json,
                                 ilt_error** err) noexcept {
  return guard(err, [&] {
    require(state_path, "state_path");
    require(out_path, "out_path");
    if (*out_path == '\0') ilt::fail(ilt::Status::invalid_argument, "out_path is empty: give the folder to write");
    ilt::export_state(state_path, out_path, parse_export_options(options_json));
  });
}

ilt_status ilt_checkpoint_diff_json(const char* a, const char* b, char** out, size_t* out_length,
                                    ilt_error** err) noexcept {
  return guard(err, [&] {
    require(a, "a");
    require(b, "b");
    give_string(ilt::to_line(ilt::diff_states(a, b)), out, out_length);
  });
}
