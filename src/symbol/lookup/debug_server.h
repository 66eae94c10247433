// DebugServer: fetches programs and debug information by build-id from debuginfod servers, through libdebuginfod.
//
// Created only on the user's request: nothing else here uses the network. The library is loaded on demand, caches files
// (~/.cache/debuginfod_client) and remembers what servers lack. Servers may be slow, broken or hostile: each transfer
// is limited in size and time, and all of them together in time. Incomplete files are removed. After a failure other
// than "not found" or "too large" no more requests are made. Thread safe.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/build_id.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {

struct TransferLimits {
  u64 bytes = u64{4} << 30;                     // per file
  std::chrono::milliseconds idle{30'000};       // without a byte received
  std::chrono::milliseconds transfer{900'000};  // per file
  std::chrono::milliseconds total{3'600'000};   // for all files
};

class DebugServer {
 public:
  // Called a few times per second during a transfer; total is 0 until known. Return false to cancel.
  using Progress = std::function<bool(const BuildId& id, u64 done, u64 total)>;

  struct Setup {
    std::string urls;    // separated by spaces
    std::string folder;  // the library's cache; empty if unknown
    Progress progress;
    TransferLimits limits = {};
  };
  // Errors: Usage without a server, Unsupported without the library.
  static Result<std::unique_ptr<DebugServer>> open(Setup setup);
  ~DebugServer();
  DebugServer(const DebugServer&) = delete;
  DebugServer& operator=(const DebugServer&) = delete;

  // Returns the path of the local copy. NotFound: no server has it; System: no server could be reached.
  Result<std::string> fetch(const BuildId& id, ServerFile wish);

 private:
  struct Library;
  using Clock = std::chrono::steady_clock;
  explicit DebugServer(Setup setup);
  static int on_progress(void* client, long done, long total);
  bool goes_on(u64 done, u64 total);
  void remove_partial_files(const BuildId& id) const;

  Setup setup_;
  std::unique_ptr<Library> library_;
  BuildId current_;                  // of the current transfer
  Clock::time_point begun_, moved_;  // when it began, and when its last byte arrived
  u64 done_ = 0;
  std::chrono::milliseconds spent_{0};  // by earlier transfers
  Error stopped_;                       // why the transfer was cancelled; no message: it was not
  std::mutex one_at_a_time_;
  std::string failure_;  // why no more requests are made
};

}  // namespace peregrine
