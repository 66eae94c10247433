// DraftMark: an empty file with a draft name (output_place.h) that marks further drafts as belonging to a process at
// work: the names of those begin with the name of the mark.
//
//   .trace.71.new                  the mark
//   .trace.71.new.metadata         a draft of that process
//
// The process holds a lock (flock) on its mark, which the kernel releases when the process ends, however it ends. The
// PID in the name cannot tell whether the process still works: in another PID namespace, and after a while here, it is
// another process or none.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace peregrine {

class DraftMark {
 public:
  // Makes one for `name` in an open folder. Errors: as make_with_draft_name().
  static Result<DraftMark> create(int folder, const std::string& name);

  // The file is removed by whoever removes its drafts.
  const std::string& name() const { return name_; }

 private:
  DraftMark() = default;
  Fd file_;
  std::string name_;
};

// The name of the mark that `file`, a mark or a draft for `name`, belongs to; empty: it is neither.
std::string_view draft_mark_of(std::string_view file, std::string_view name);

// Takes over the lock of a mark that no process holds: hold it while you remove the mark and its drafts. No value: a
// process is at work, or it cannot be told. An empty descriptor: there is no such mark any more.
std::optional<Fd> claim_abandoned_mark(int folder, const std::string& mark);

}  // namespace peregrine
