#include "session/counting/paired_runs.h"

#include <fmt/format.h>

#include <cstring>
#include <expected>
#include <utility>

#include "base/result.h"

namespace peregrine {

Result<StatVersus> PairedRuns::compare(unsigned pairs) {
  StatVersus versus;
  auto goes_on = pair(false, nullptr);
  for (unsigned i = 0; goes_on && *goes_on && i < pairs; ++i) goes_on = pair(i % 2 == 1, &versus);
  if (!goes_on) return std::unexpected(std::move(goes_on.error()));
  return versus;
}

Result<bool> PairedRuns::pair(bool swapped, StatVersus* versus) {
  auto first = run_one(swapped ? b_ : a_);
  if (!first) return std::unexpected(std::move(first.error()));
  if (first->ended_by != 0) return false;
  auto second = run_one(swapped ? a_ : b_);
  if (!second) return std::unexpected(std::move(second.error()));
  if (second->ended_by != 0) return false;
  if (versus == nullptr) return true;
  swapped ? versus->add_pair(second->counts, first->counts) : versus->add_pair(first->counts, second->counts);
  return true;
}

Result<CommandRun> PairedRuns::run_one(const Words& words) {
  auto done = run_(words);
  if (!done) return done;
  const auto& ended = done->workload;
  const bool by_itself = done->ended_by == 0 && !done->cut_short;
  const bool failed = by_itself && ended && (ended->signal() != 0 || ended->code() != 0);
  if (failed && !warned_) {
    const std::string how = ended->signal() != 0 ? fmt::format("was ended by a signal ({})", strsignal(ended->signal()))
                                                 : fmt::format("ended with exit code {}", ended->code());
    listener_.warning(fmt::format("'{}' {}; its counts are compared anyway", words.front(), how));
    warned_ = true;
  }
  return done;
}

}  // namespace peregrine
