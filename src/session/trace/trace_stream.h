// TraceStream: runs `record` of this program in a child process and reads its recording from a pipe as it grows.
// sampled_trace.h uses it where BPF programs cannot trace.
//
// Nothing is recorded before enable(), so that a command can be held back until then.
#pragma once
#include <signal.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sys/process/process.h"

namespace peregrine {

class TraceStream {
 public:
  // `program`: its name in messages. `arguments`: options of `record`, without an output. `mask`: signals to block in
  // it.
  static Result<TraceStream> start(std::string_view program, std::vector<std::string> arguments, const sigset_t& mask);
  TraceStream(TraceStream&&) noexcept = default;
  TraceStream& operator=(TraceStream&&) = delete;

  Pid pid() const { return pid_; }
  Fd take_data() { return std::move(data_); }
  // Blocks until events are enabled; another thread must read the data meanwhile. False: `record` has ended.
  bool enable();
  // Makes it finish, as Ctrl-C would.
  void stop() const;
  // The exit code.
  int wait() const;

 private:
  TraceStream() = default;
  Pid pid_ = -1;
  Fd data_, orders_, answers_;
};

}  // namespace peregrine
