// PrivateFolder: a temporary folder that nobody else may look into, and that goes with the object.
//
// A reader that is killed cannot remove its own: each holds a lock on its folder, and whoever makes the next one
// removes those of this user that nobody holds any more.
#pragma once
#include <string>

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

 private:
  std::string path_;
  Fd held_;
};

}  // namespace peregrine
