// EventDumps: one file of samples per event: STEM.EVENT.dump.
//
// Event names come from the recording, so characters that could lead out of the folder are replaced.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "output/sink.h"
#include "output/text/script/script_printer.h"

namespace peregrine {

class EventDumps {
 public:
  // `names`: of the events. Errors: as create_text_file().
  static Result<EventDumps> open(const std::string& stem, const std::vector<std::string>& names);

  std::vector<EventText>& files() { return files_; }
  // Writes out the rest, and prints to `out` what each file contains.
  Result<> finish(Sink& out);

 private:
  std::vector<std::string> paths_;
  std::vector<Fd> fds_;
  std::vector<std::unique_ptr<Sink>> sinks_;
  std::vector<EventText> files_;
};

}  // namespace peregrine
