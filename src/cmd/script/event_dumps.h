// EventDumps: the files of `script --per-event-dump`, one per event: INPUT.EVENT.dump.
//
// Event names come from the recording: characters that could lead out of the folder are replaced.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "output/text/script/script_printer.h"

namespace peregrine::cmd {

class EventDumps {
 public:
  // `input`: path of the recording, empty for a pipe.
  static Result<EventDumps> open(const std::string& input, const std::vector<std::string>& names);

  std::vector<EventText>& files() { return files_; }
  // Writes out what is left and says on `out` what is in the files.
  Result<> finish(Sink& out);

 private:
  std::vector<std::string> paths_;
  std::vector<Fd> fds_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<EventText> files_;
};

}  // namespace peregrine::cmd
