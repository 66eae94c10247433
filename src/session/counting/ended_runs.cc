#include "session/counting/ended_runs.h"

#include <fmt/format.h>

#include <cstring>

namespace peregrine {

void EndedRuns::add(const WorkloadExit& exit) {
  ++runs_;
  if (exit.signal() != 0) ++by_signal_[exit.signal()];
}

std::string EndedRuns::text(std::string_view program) const {
  std::string text;
  for (const auto& [signal, runs] : by_signal_) {
    text += fmt::format("{}: {}", program, strsignal(signal));
    if (runs_ > 1) text += fmt::format(" ({} of {} runs)", runs, runs_);
    text += '\n';
  }
  return text;
}

}  // namespace peregrine
