// BoundedOutput: what a daemon or a session prints, in `output`, with a bound on its size.
//
//   output       the newest text, at most 1 MiB
//   output.old   the text before it, when there was more
//
// When `output` is full it becomes `output.old`, which is replaced. One thread.
#pragma once
#include <string>
#include <string_view>

#include "base/fd.h"

namespace peregrine {

class BoundedOutput {
 public:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  // Begins a new `output` in `folder`, which must outlive this; an earlier one is emptied. `path`: of the folder.
  static Result<BoundedOutput> open(int folder, const std::string& path);

  // A full disk loses text, nothing else. True if `output` is another file than before.
  bool append(std::string_view text);
  int fd() const { return file_.get(); }

 private:
  bool rotate();

  int folder_ = -1;
  std::string path_;
  Fd file_;
  std::size_t size_ = 0;
};

}  // namespace peregrine
