// Going on with an earlier run: finding its state, holding it against this run, and what a state says of the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/json.h"
#include "config/config.h"
#include "train/progress.h"

namespace ilt {

// The state to go on from, as the option `resume` says: auto (the newest that is whole; none is no error), never, or a
// path. Throws config where the choice would mix up two runs in one folder; format where a path holds no whole state.
std::optional<std::filesystem::path> find_state(const Config& config);

// Throws config where ckpt_output_dir holds states of later steps than that of `path`: what is to come would be mixed
// up with them.
void refuse_later_states(const Config& config, const std::string& path, std::int64_t step);

struct DataFingerprints {
  std::string training, validation;  // the latter "" where there is none
};

// What a state's state.json holds of the run.
Json describe_run(const Config& config, const Progress& progress, const DataFingerprints& data,
                  const std::string& template_date, std::int64_t optimizer_steps);

// Holds the run that the state is of against this one: an option that the order of samples depends on, or other data,
// is refused, unless resume_force is set; other changed options are applied and logged; with other validation data the
// search for the best loss begins anew. Returns how far the run has come.
// Throws config or data, and format where the state lacks something.
Progress check_run(const Json& state, const Config& config, const DataFingerprints& data);

}  // namespace ilt
