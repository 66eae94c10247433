// TopView: what top shows: the sampled events as a recording, the evaluated options, and the profile that changes.
#pragma once
#include <memory>

#include "cmd/recording/recording.h"
#include "cmd/report/report_plan.h"
#include "cmd/top/top_options.h"
#include "session/live/live_profile.h"

namespace peregrine::cmd {

struct TopView {
  OpenedRecording reader;
  std::size_t cpus = 0;  // of the target
  Plan plan = {};
  std::unique_ptr<LiveProfile> profile = {};  // borrows the reader

  const data::Evlist& evlist() const { return reader.evlist(); }
};

// Starts to sample and to collect. Errors: everything that keeps a recording from starting; options that do not fit
// what is sampled.
Result<std::unique_ptr<TopView>> open_top_view(TopOptions& options, Invocation& call);

}  // namespace peregrine::cmd
