// PrivateFolder: a temporary folder that nobody else may look into, and that goes with the object.
//
// It also goes when the process is killed, by SIGTERM, SIGHUP, SIGPIPE or SIGKILL alike: a process of its own waits for
// our end and then removes the folder. Should both be killed, whoever makes the next folder removes it: each holds a
// lock on its folder as long as it lives.
#pragma once
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class PrivateFolder {
 public:
  // `top`: the folder that it is made in. Errors: System.
  static Result<PrivateFolder> make(const std::string& top);
  PrivateFolder() = default;
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept;
  ~PrivateFolder();

  const std::string& path() const { return path_; }
  // A file below path() that is about to be made. Such files are also removed when no descriptor is left, without which
  // folders cannot be listed.
  void will_make(std::string file) { files_.push_back(std::move(file)); }

 private:
  bool remove_known() const;

  std::string path_;
  std::vector<std::string> files_;
  Fd held_;   // the lock
  Fd alive_;  // the other process sees its end
};

// An empty file without a name, open for reading and writing, in the file system of `top`. It goes when its descriptor
// is closed. Errors: System.
Result<Fd> make_unnamed_file(const std::string& top);

}  // namespace peregrine
