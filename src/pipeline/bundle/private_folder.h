// PrivateFolder: a temporary folder that other users cannot read, and that the destructor removes.
//
// It is also removed if a signal kills this process, even SIGKILL: a guard process waits for this process to end and
// then removes the folder. If both are killed, the next process that makes such a folder removes it. It recognizes an
// abandoned folder by its lock, which the owner holds as long as it lives.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class PrivateFolder {
 public:
  // `top`: the parent folder. Errors: System.
  static Result<PrivateFolder> make(const std::string& top);
  PrivateFolder() = default;
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // Call before creating a file below path(). Such files can be removed even if no descriptor is left for listing the
  // folder.
  void will_make(std::string file) { files_.push_back(std::move(file)); }

 private:
  bool remove_known() const;

  std::string path_;
  std::vector<std::string> files_;
  Fd held_;   // the lock
  Fd alive_;  // the guard process waits until it closes
};

// Creates an unnamed empty file, open for reading and writing, in the file system of `top`. It disappears when its
// descriptor is closed. Errors: System.
Result<Fd> make_unnamed_file(const std::string& top);

}  // namespace peregrine
