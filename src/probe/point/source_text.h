// SourceText: the lines of a source file on this machine.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

class SourceText {
 public:
  static Result<SourceText> read(const std::string& path);
  u32 line_count() const { return static_cast<u32>(lines_.size()); }
  std::string_view line(u32 number) const {
    return number == 0 || number > lines_.size() ? std::string_view() : std::string_view(lines_[number - 1]);
  }

 private:
  std::vector<std::string> lines_;
};

// Finds source files that debug information names. With `folder` (-s) it tries the path below it, dropping leading
// folders one by one; otherwise it uses the path as it is.
class SourceFinder {
 public:
  explicit SourceFinder(std::string folder = {}) : folder_(std::move(folder)) {}
  // The file's path here; NotFound lists the places tried.
  Result<std::string> find(const std::string& path) const;
  Result<const SourceText*> text(const std::string& path);

 private:
  std::string folder_;
  std::map<std::string, SourceText> texts_;
};

// Matches a line against a lazy pattern: a glob that ignores white space.
bool lazy_match(std::string_view line, std::string_view pattern);
// True if `path` equals `tail` or ends with it.
bool path_ends_with(std::string_view path, std::string_view tail);

}  // namespace peregrine
