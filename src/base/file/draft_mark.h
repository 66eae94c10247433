// DraftMark: an empty file with a draft name (output_place.h). It marks drafts with names that start with its name as
// belonging to a running process.
//
//   .trace.71.new                  the mark
//   .trace.71.new.metadata         a draft of that process
//
// The process holds a lock (flock) on its mark. The kernel releases it when the process ends for any reason. The PID
// in the name does not show whether the process still runs: it may belong to another PID namespace or be reused.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class DraftMark {
 public:
  // Creates a mark for `name` in an open folder. Errors: as make_with_draft_name().
  static Result<DraftMark> create(int folder, const std::string& name);

  // The name of the mark. Whoever removes its drafts also removes the mark.
  const std::string& name() const { return name_; }

 private:
  DraftMark() = default;
  Fd file_;
  std::string name_;
};

// Returns the mark's name if `file` is a mark for `name` or one of its drafts; otherwise an empty view.
std::string_view draft_mark_of(std::string_view file, std::string_view name);

// Takes over the lock of a mark that no process holds; keep it while removing the mark and its drafts. No value: a
// process still runs, or may still run. An empty descriptor: the mark no longer exists.
std::optional<Fd> claim_abandoned_mark(int folder, const std::string& mark);

}  // namespace peregrine
