// Records to a processed file: once, in parallel, in bounded memory, and going on where a killed run was.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "base/cancel.h"
#include "data/options.h"
#include "data/pipeline.h"
#include "data/report.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace ilt {

using ProgressFn = std::function<void(const DataProgress&)>;

// Writes `output` (data/processed_file.h), which appears complete or not at all. A run that is stopped, killed or out
// of disk leaves OUTPUT.partial, from which the next one with the same settings and data goes on; faulty data leaves
// nothing. The chat template's date is then that of the first run. Throws as load_dataset, and io.
DataReport process_dataset(std::span<const std::string> paths, const Tokenizer& tokenizer, ChatTemplate* chat,
                           const DataOptions& options, const std::filesystem::path& output, const ProgressFn& progress,
                           const CancelToken& cancel);

}  // namespace ilt
