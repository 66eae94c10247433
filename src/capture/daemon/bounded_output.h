// BoundedOutput: the output of a daemon or session in a file of bounded size.
//
//   output       the newest text, at most 1 MiB
//   output.old   the text before that, if any
//
// A full `output` replaces `output.old`. One thread.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace peregrine {

class BoundedOutput {
 public:
  static constexpr std::size_t kLimit = std::size_t{1} << 20;

  // Creates or truncates `output` in `folder`, which must outlive this. `path`: the folder's.
  static Result<BoundedOutput> open(int folder, const std::string& path);

  // A full disk only loses text. Returns true if `output` is now a new file.
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
