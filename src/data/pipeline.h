// Files to samples: lines are read in order, made into samples by several threads, and handed on in order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "base/cancel.h"
#include "data/sample.h"
#include "data/sample_sink.h"
#include "data/tally.h"

namespace ilt {

// How far the work is: lines up to `line` of file number `file` are done.
struct DataPosition {
  std::size_t file = 0;
  std::int64_t line = 0;
};

struct DataProgress {
  DataPosition position;
  std::int64_t records = 0;
  std::uint64_t bytes_done = 0;  // of the files as they lie on the disk
  std::uint64_t bytes_total = 0;
};

struct PipelineInput {
  std::span<const std::filesystem::path> files;
  DataPosition from = {};
  int threads = 0;  // 0: one a core
};

// `between` is called after each batch of records, when all of them have been handed on. Throws data by the tally's
// rules, Stopped, and what sink and between throw.
void run_pipeline(const PipelineInput& input, const SampleMaker& maker, Tally& tally, const SampleSink& sink,
                  const std::function<void(const DataProgress&)>& between, const CancelToken& cancel);

}  // namespace ilt
