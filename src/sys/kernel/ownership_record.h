// OwnershipRecord: a note about kernel state that outlives the process that created it: a tracing instance, a probe, a
// setting. If its owner is killed, the next start finds the note and undoes the change.
//
// The owner holds a lock (flock) on the note, and so does every process forked from it that keeps fd() open. The
// kernel drops the lock when the last of them ends for any reason, so an unlocked note is abandoned. The pid only
// decides whether to wait for a guard; a reused pid does no harm. Notes are in /run/peregrine (root) or
// /run/user/UID/peregrine, which only the owner may read or write.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class OwnershipRecord {
 public:
  // Call this before making the change. The first line of `text` names its kind.
  static Result<OwnershipRecord> create(const Root& root, std::string_view text);
  // Returns the notes of dead owners. Each stays locked until it is destroyed, so that only one process undoes it.
  // Waits up to a second for another process that is undoing one.
  static std::vector<OwnershipRecord> abandoned(const Root& root);

  // Adds text when more is known.
  Result<> append(std::string_view text);
  // Removes the note, when nothing is left to undo.
  void settle();

  std::string_view text() const { return text_; }
  Pid owner() const { return owner_; }
  int fd() const { return fd_.get(); }

 private:
  OwnershipRecord(std::string path, Fd fd, Pid owner, std::string text)
      : path_(std::move(path)), fd_(std::move(fd)), owner_(owner), text_(std::move(text)) {}

  std::string path_;
  Fd fd_;
  Pid owner_ = -1;
  std::string text_;
};

}  // namespace peregrine
