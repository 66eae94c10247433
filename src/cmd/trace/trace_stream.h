// TraceStream: a recording that is read while it is made: this program's own `record` in a process beside us, that
// writes into a pipe. It serves `trace` where BPF programs do not.
//
// Nothing is recorded before enable(), so that a command can be held back until then.
#pragma once
#include <signal.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sys/process/process.h"

namespace peregrine::cmd {

class TraceStream {
 public:
  // `program`: its name in messages. `words`: options of `record`, without an output. `mask`: signals that it shall see
  // blocked.
  static Result<TraceStream> start(std::string_view program, std::vector<std::string> words, const sigset_t& mask);
  TraceStream(TraceStream&&) noexcept = default;
  TraceStream& operator=(TraceStream&&) = delete;

  Pid pid() const { return pid_; }
  Fd take_data() { return std::move(data_); }
  // Blocks until events are on, while somebody reads the data. False: `record` has ended.
  bool enable();
  // Lets it finish.
  void stop() const;
  // Its exit code.
  int wait() const;

 private:
  TraceStream() = default;
  Pid pid_ = -1;
  Fd data_, orders_, answers_;
};

}  // namespace peregrine::cmd
