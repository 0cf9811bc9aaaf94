// ilt.h: configuration.
#include "capi/guard.h"
#include "capi/output.h"
#include "config/options.h"
#include "train/memory_estimate.h"

using namespace ilt::capi;

const char* ilt_config_schema_json(void) noexcept {
  try {
    static const auto* const text = new std::string(ilt::config_schema().dump(2));
    return text->c_str();
  } catch (...) {
    return "{}";
  }
}

ilt_status ilt_config_create(ilt_config** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(out, "out");
    *out = new ilt_config;
  });
}

ilt_status ilt_config_from_json(const char* json, size_t length, ilt_config** out, ilt_error** err) noexcept {
  return guard(err, [&] {
    require(json, "json");
    require(out, "out");
    auto config = std::make_unique<ilt_config>();
    config->value = ilt::parse_config(ilt::parse_json({json, length}, "configuration", {.repeated_keys = false}));
    *out = config.release();
  });
}

ilt_status ilt_config_set(ilt_config* config, const char* key, const char* value, ilt_error** err) noexcept {
  return guard(config, Access::exclusive, err, [&] {
    require(key, "key");
    require(value, "value");
    ilt::set_config(config->value, key, value);
  });
}

ilt_status ilt_config_get(const ilt_config* config, const char* key, char** out, ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] {
    require(key, "key");
    give_string(ilt::get_config(config->value, key), out, nullptr);
  });
}

ilt_status ilt_config_validate(const ilt_config* config, ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] { ilt::validate_config(config->value); });
}

ilt_status ilt_config_to_json(const ilt_config* config, char** out, size_t* out_length, ilt_error** err) noexcept {
  return guard(config, Access::shared, err,
               [&] { give_string(ilt::config_to_json(config->value).dump(2), out, out_length); });
}

ilt_status ilt_memory_estimate_json(const ilt_config* config, char** out, size_t* out_length,
                                    ilt_error** err) noexcept {
  return guard(config, Access::shared, err, [&] {
    const auto e = ilt::estimate_memory(config->value);
    const ilt::Json estimate = {
        {"weights", e.weights}, {"gradients", e.gradients}, {"optimizer", e.optimizer}, {"activations", e.activations},
        {"loss", e.loss},       {"total", e.total()},       {"tokens", e.tokens}};
    give_string(ilt::to_line(estimate), out, out_length);
  });
}

void ilt_config_free(ilt_config* config) noexcept {
  release(config);
}
