// Full states and models on disk: list, verify, compare, export.
#ifndef ILT_CHECKPOINT_HPP_
#define ILT_CHECKPOINT_HPP_

#include <ilt.h>

#include <ilt/error.hpp>

#include <cstddef>
#include <string>

namespace ilt {

// The full states under a run's ckpt_output_dir, oldest first.
inline std::string checkpoint_list_json(const std::string& output_dir) {
  return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
    return ilt_checkpoint_list_json(output_dir.c_str(), out, length, err);
  });
}
// Throws where a file of a full state is not as it was written.
inline void checkpoint_verify(const std::string& path) {
  detail::call([&](ilt_error** err) { return ilt_checkpoint_verify(path.c_str(), err); });
}
// What a full state says of its run.
inline std::string checkpoint_info_json(const std::string& path) {
  return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
    return ilt_checkpoint_info_json(path.c_str(), out, length, err);
  });
}
// How two full states differ.
inline std::string checkpoint_diff_json(const std::string& a, const std::string& b) {
  return detail::text([&](char** out, std::size_t* length, ilt_error** err) {
    return ilt_checkpoint_diff_json(a.c_str(), b.c_str(), out, length, err);
  });
}
// Writes the weights of a full state as a folder that transformers loads.
inline void checkpoint_export(const std::string& state_path, const std::string& out_path,
                              const std::string& options_json = {}) {
  detail::call([&](ilt_error** err) {
    return ilt_checkpoint_export(state_path.c_str(), out_path.c_str(), detail::or_null(options_json), err);
  });
}
// Writes a model in another format.
inline void model_export(const std::string& model_path, const std::string& out_path, const std::string& options_json) {
  detail::call([&](ilt_error** err) {
    return ilt_model_export(model_path.c_str(), out_path.c_str(), options_json.c_str(), err);
  });
}

}  // namespace ilt

#endif  // ILT_CHECKPOINT_HPP_
