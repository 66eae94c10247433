// SourceTexts: the lines of source files, as debug information names them.
//
// Files are looked for at their recorded path below symfs, or with `prefix` put before what is left of it. Each is read
// once and kept. One thread.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/file/read_failures.h"

namespace peregrine {

struct SourcePlaces {
  std::string symfs;
  std::optional<std::string> prefix;  // replaces the leading folders of absolute paths
  unsigned prefix_strip = 0;          // this many of them
};

// Where a source file's text is looked for.
std::string source_path(std::string_view recorded, const SourcePlaces& places);

// The lines of source files, read once.
class SourceTexts {
 public:
  explicit SourceTexts(SourcePlaces places, ReadFailures* failures = nullptr)
      : places_(std::move(places)), failures_(failures) {}
  // Without newlines; nullptr when the file cannot be read or is no text. Valid as long as this.
  const std::vector<std::string>* find(std::string_view recorded_path);

 private:
  SourcePlaces places_;
  ReadFailures* failures_;
  std::unordered_map<std::string, std::optional<std::vector<std::string>>> files_;
};

}  // namespace peregrine
