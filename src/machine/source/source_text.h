// SourceTexts: the lines of source files, by the names in debug information.
//
// Files are opened at their recorded path below symfs, or with leading folders replaced by `prefix`. Each is read once
// and kept. For one thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/file/read_failures.h"

namespace peregrine {

struct SourcePlaces {
  std::string symfs;
  std::optional<std::string> prefix;  // replaces the leading folders of absolute paths
  unsigned prefix_strip = 0;          // number of leading folders to replace
};

// Returns the path at which to look for a source file.
std::string source_path(std::string_view recorded, const SourcePlaces& places);

// The lines of source files, each read once.
class SourceTexts {
 public:
  explicit SourceTexts(SourcePlaces places, ReadFailures* failures = nullptr)
      : places_(std::move(places)), failures_(failures) {}
  // Returns the lines without newlines, or nullptr if the file is unreadable or not text. Valid as long as this.
  const std::vector<std::string>* find(std::string_view recorded_path);

 private:
  SourcePlaces places_;
  ReadFailures* failures_;
  std::unordered_map<std::string, std::optional<std::vector<std::string>>> files_;
};

}  // namespace peregrine
