// DebugServer: programs and debug information by build-id from debuginfod servers, through libdebuginfod.
//
// Only ever made when the user asks for it: nothing here goes to the network by itself. The library is loaded when it
// is wanted, keeps what it fetched in a cache of its own (~/.cache/debuginfod_client) and remembers what servers do not
// have. A server may be slow, broken or hostile: each transfer has a limit of size and of time, and all of them
// together have a limit of time. Files that were not transferred whole are removed. After a failure that is neither
// "not found" nor "too large" nobody is asked again. Thread safe.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/build_id.h"
#include "base/result.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {

struct TransferLimits {
  u64 bytes = u64{4} << 30;                     // of one file
  std::chrono::milliseconds idle{30'000};       // without a single byte more
  std::chrono::milliseconds transfer{900'000};  // of one file
  std::chrono::milliseconds total{3'600'000};   // of all files
};

class DebugServer {
 public:
  // Called some times a second during a transfer; total is 0 until it is known. False stops it.
  using Progress = std::function<bool(const BuildId& id, u64 done, u64 total)>;

  struct Setup {
    std::string urls;    // separated by blanks
    std::string folder;  // the library's cache; empty: not known
    Progress progress;
    TransferLimits limits = {};
  };
  // Errors: Usage without a server, Unsupported without the library.
  static Result<std::unique_ptr<DebugServer>> open(Setup setup);
  ~DebugServer();
  DebugServer(const DebugServer&) = delete;
  DebugServer& operator=(const DebugServer&) = delete;

  // The path of the local copy. NotFound: no server has it; System: none could be asked.
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
  BuildId current_;                  // of the transfer that is on
  Clock::time_point begun_, moved_;  // when it began, and when its last byte arrived
  u64 done_ = 0;
  std::chrono::milliseconds spent_{0};  // by the transfers before
  Error stopped_;                       // why the transfer was stopped; no message: it was not
  std::mutex one_at_a_time_;
  std::string failure_;  // why nobody is asked any more
};

}  // namespace peregrine
