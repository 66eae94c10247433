// The daemon's base folder and the files in it: opened once, judged by descriptor, never looked up by path again.
//
// A base that others could write would let them place links and fifos where the daemon writes as root. So it must
// belong to the effective user or to root, and neither group nor others may write to it. The same holds for what is in
// it.
#pragma once
#include <string>
#include <utility>

#include "base/fd.h"

namespace peregrine {

// For clients, who only need its socket. Errors: NotFound, with what to do.
Result<Fd> open_base_folder(const std::string& path);
// Errors: Denied, others own it or can write to it. `path`: for messages.
Result<> judge_folder(int folder, const std::string& path);

// A folder below `folder`, mode 0700, made if missing, and judged.
Result<Fd> make_private_folder(int folder, const std::string& name, const std::string& path);
// A regular file of ours in `folder`, mode 0600; follows no link. `flags`: of open(2), O_CREAT is added.
Result<Fd> open_private_file(int folder, const char* name, int flags, const std::string& path);
// A fifo of ours in `folder`, mode 0600; one of an earlier daemon is used again.
Result<> make_private_fifo(int folder, const char* name, const std::string& path);

// A file in a folder that is removed with this object, so that what fails leaves nothing behind. `folder` must remain
// open and `name` be a literal.
class OwnedName {
 public:
  OwnedName() = default;
  OwnedName(int folder, const char* name) : folder_(folder), name_(name) {}
  OwnedName(OwnedName&& other) noexcept : folder_(other.folder_), name_(std::exchange(other.name_, nullptr)) {}
  OwnedName& operator=(OwnedName&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~OwnedName() { remove(); }

  void remove() noexcept;
  void release() { name_ = nullptr; }

 private:
  int folder_ = -1;
  const char* name_ = nullptr;
};

}  // namespace peregrine
