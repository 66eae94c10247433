// The daemon's base folder and its files: opened once, checked by descriptor, never looked up by path again.
//
// If others could write to the base, they could place links and fifos where the daemon writes as root. So the base and
// everything in it must belong to the effective user or root and must not be writable by group or others.
#pragma once
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

// For clients, which only need its socket. Errors: NotFound, with a hint.
Result<Fd> open_base_folder(const std::string& path);
// Errors: Denied, others own it or can write to it. `path` is for messages.
Result<> judge_folder(int folder, const std::string& path);

// Opens a folder below `folder`, creating it with mode 0700 if missing, and checks it.
Result<Fd> make_private_folder(int folder, const std::string& name, const std::string& path);
// A regular file of ours in `folder`, mode 0600; follows no link. `flags` are for open(2); O_CREAT is added.
Result<Fd> open_private_file(int folder, const char* name, int flags, const std::string& path);
// A fifo of ours in `folder`, mode 0600; reuses one from an earlier daemon.
Result<> make_private_fifo(int folder, const char* name, const std::string& path);

// Removes a file in a folder when destroyed, so that failures leave nothing behind. `folder` must stay open and `name`
// must be a literal.
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
