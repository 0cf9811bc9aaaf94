// What the opaque types of ilt.h are made of.
#pragma once

#include <unistd.h>

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "base/cancel.h"
#include "base/error.h"
#include "config/config.h"
#include "data/dataset.h"
#include "data/records.h"
#include "ilt.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"
#include "train/host_batch.h"
#include "train/session.h"

namespace ilt::capi {

// What every handle knows of its use: the process it belongs to and the thread that is in a call.
struct Handle {
  const pid_t pid = ::getpid();
  std::atomic<std::thread::id> user{};

  bool forked() const noexcept { return pid != ::getpid(); }
};

enum class Access {
  shared,     // any thread, calls may overlap
  exclusive,  // one call at a time, and not from inside a callback
  nested,     // one call at a time, or from inside a callback of the call that runs
};

}  // namespace ilt::capi

struct ilt_error {
  ilt::Status status = ilt::Status::internal;
  std::string message;
  std::string detail = "{}";
};

struct ilt_config : ilt::capi::Handle {
  static constexpr const char* kind = "config";
  ilt::Config value;
};

struct ilt_tokenizer : ilt::capi::Handle {
  static constexpr const char* kind = "tokenizer";
  explicit ilt_tokenizer(ilt::Tokenizer loaded) : value(std::move(loaded)) {}

  ilt::Tokenizer value;
  std::optional<ilt::ChatTemplate> chat;
  std::exception_ptr no_chat;  // why there is no template: told to whoever needs one
};

struct ilt_dataset : ilt::capi::Handle {
  static constexpr const char* kind = "dataset";
  explicit ilt_dataset(ilt::Dataset data, std::unique_ptr<ilt::RecordReader> records = nullptr)
      : value(std::make_shared<ilt::Dataset>(std::move(data))), reader(std::move(records)) {}

  std::shared_ptr<ilt::Dataset> value;  // shared with the sessions that train on it
  std::unique_ptr<ilt::RecordReader> reader;
};

struct ilt_batch : ilt::capi::Handle {
  static constexpr const char* kind = "batch";
  ilt::HostBatch value;
};

struct ilt_session : ilt::capi::Handle {
  static constexpr const char* kind = "session";
  explicit ilt_session(const ilt::Config& config) : value(config) {}

  ilt::Session value;
};

struct ilt_cancel_token {
  std::atomic<int> references{1};
  ilt::CancelToken token = ilt::CancelToken::make();
};
