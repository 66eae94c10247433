// DebugServer: programs and debug information by build-id from debuginfod servers, through libdebuginfod.
//
// Only ever made when the user asks for it: nothing here goes to the network by itself. The library is loaded when it
// is wanted, keeps what it fetched in a cache of its own (~/.cache/debuginfod_client) and remembers what servers do not
// have. After a failure that is no "not found" nobody is asked again. Thread safe.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/build_id.h"
#include "base/result.h"
#include "symbol/debug_file.h"

namespace peregrine {

class DebugServer {
 public:
  // Called some times a second during a transfer; total is 0 until it is known. False stops it.
  using Progress = std::function<bool(const BuildId& id, u64 done, u64 total)>;

  // `urls`: separated by blanks. Errors: Usage without any, Unsupported without the library.
  static Result<std::unique_ptr<DebugServer>> open(const std::string& urls, Progress progress);
  ~DebugServer();
  DebugServer(const DebugServer&) = delete;
  DebugServer& operator=(const DebugServer&) = delete;

  // The path of the local copy. NotFound: no server has it; System: none could be asked.
  Result<std::string> fetch(const BuildId& id, ServerFile wish);

 private:
  struct Library;
  DebugServer() = default;
  static int on_progress(void* client, long done, long total);

  std::unique_ptr<Library> library_;
  Progress progress_;
  BuildId current_;  // of the transfer that is on
  std::mutex one_at_a_time_;
  std::string failure_;  // why nobody is asked any more
};

}  // namespace peregrine
