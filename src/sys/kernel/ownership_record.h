// OwnershipRecord: a note about something in the kernel that does not end with the process that made it: a tracing
// instance, a probe, a setting. When its owner is killed, the next start finds the note and undoes what it describes.
//
// The owner holds a lock (flock) on the note, and so does every process forked from it that keeps fd() open. The kernel
// drops the lock when the last of them ends, whatever ends it, so an unlocked note is an abandoned one: no pid is
// compared, and a reused pid is no danger. Notes are in /run/peregrine (root) or /run/user/UID/peregrine, which only
// their owner may read or write.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

class OwnershipRecord {
 public:
  // Before the thing itself is made. The first line of `text` names its kind.
  static Result<OwnershipRecord> create(const Root& root, std::string_view text);
  // The notes of dead owners. Each is locked until it is destroyed, so that only one process undoes it.
  static std::vector<OwnershipRecord> abandoned(const Root& root);

  // More of the text, when more is known.
  Result<> append(std::string_view text);
  // Nothing is left to undo: removes the note.
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
