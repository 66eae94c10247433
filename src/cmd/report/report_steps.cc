#include "cmd/report/report_steps.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "base/fd.h"
#include "cli/frame/command.h"
#include "cli/frame/message.h"
#include "cmd/recording/traced_recording.h"
#include "data/stream/account.h"
#include "pipeline/replay/account.h"
#include "session/recording/losses.h"
#include "session/recording/opened_recording.h"

namespace peregrine::cmd {

SampleSource sample_source(const ReportOptions& options, const OpenedRecording& reader) {
  const bool decoded = reader.decoded != nullptr;
  // As in linux-perf, traces count as having callers unless --itrace says otherwise, even if their decoder provides
  // none.
  return {.decoded = decoded, .with_callers = decoded && !options.traces.requested};
}

std::string recorder_for(const Command& command) {
  return command.name.contains(' ') ? recorder_of(command) : "record";
}

std::string losses_text(const ReplayAccount& account, const data::ReadAccount& read, const Invocation& call) {
  const Fd memory(::memfd_create("losses", MFD_CLOEXEC));
  if (!memory) return {};
  Messages kept(call.messages.program(), memory.get());
  peregrine::warn_about_losses(kept, account, read);
  ::lseek(memory.get(), 0, SEEK_SET);
  return read_all(memory.get(), "losses").value_or(std::string());
}

}  // namespace peregrine::cmd
