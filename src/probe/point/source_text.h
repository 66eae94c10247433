// SourceText: the lines of a source file, wherever this machine has it.
#pragma once
#include <map>
#include <string>
#include <string_view>
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

// Finds files that debug information names: below `folder` (-s) with ever fewer of their leading folders, or as named.
class SourceFinder {
 public:
  explicit SourceFinder(std::string folder = {}) : folder_(std::move(folder)) {}
  // Where the file is; NotFound says where it was looked for.
  Result<std::string> find(const std::string& path) const;
  Result<const SourceText*> text(const std::string& path);

 private:
  std::string folder_;
  std::map<std::string, SourceText> texts_;
};

// Whether a line matches a lazy pattern: a glob that takes no notice of blanks.
bool lazy_match(std::string_view line, std::string_view pattern);
// Whether a path is, or ends with, what somebody called it.
bool path_ends_with(std::string_view path, std::string_view tail);

}  // namespace peregrine
