// The table of a run's options, and what is made from it: parsing, validation, the JSON schema.
#pragma once

#include "config/config.h"
#include "config/option.h"

namespace ilt {

OptionTable config_options();

// A Config from a JSON object; what is absent keeps its default. Throws config.
Config parse_config(const Json& object);
void set_config(Config& config, std::string_view key, std::string_view text);
std::string get_config(const Config& config, std::string_view key);
Json config_to_json(const Config& config);

// What can be told without files: required options, and options that contradict each other. Training is checked where
// data_path is given. Throws config.
void validate_config(const Config& config);

// What reading data needs: model_path, and bounds of samples that do not contradict each other.
void validate_data_config(const Config& config);
// What training needs, wherever its data come from.
void validate_training_config(const Config& config);
// What a host's own loop needs, which brings its batches and decides about its steps.
void validate_host_loop_config(const Config& config);
// What an estimate of its memory, or a loss on other data, needs: how large its micro-batches are.
void require_batch_len(const Config& config);

// JSON Schema (draft 2020-12) of the options, with "x-..." for what it has no word for.
Json config_schema();

}  // namespace ilt
