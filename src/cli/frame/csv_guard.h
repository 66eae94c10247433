// CsvGuard: passes text from its descriptor to a sink, with every cell made safe (output/csv/safe_cells.h).
//
// A thread reads a pipe, line by line, so it works for any code that writes separated values. That thread owns the sink
// until the guard is destroyed.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "output/csv/safe_cells.h"
#include "output/sink.h"

namespace peregrine {

class CsvGuard {
 public:
  static Result<std::unique_ptr<CsvGuard>> start(CellStyle style, Sink& to);
  CsvGuard(const CsvGuard&) = delete;
  CsvGuard& operator=(const CsvGuard&) = delete;
  ~CsvGuard();

  int fd() const { return in_.get(); }
  // Waits until the last byte was passed on. Returns errors of the thread; the sink keeps its errors.
  Result<> finish();

 private:
  CsvGuard(CellStyle style, Sink& to) : style_(std::move(style)), to_(to) {}
  void work();
  void pass_on();

  CellStyle style_;
  Sink& to_;
  Fd in_, out_;
  Result<> outcome_;  // of the thread, after it has ended
  std::thread thread_;
};

// Calls `run` with guarded output. `separator`: the value of --field-separator, or empty for CSV.
Result<int> guard_cells(const std::string& separator, Invocation& call,
                        const std::function<Result<int>(Invocation&)>& run);

}  // namespace peregrine
