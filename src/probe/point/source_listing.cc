#include "probe/point/source_listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <expected>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/nearest.h"
#include "base/result.h"
#include "base/types.h"
#include "probe/point/line_walk.h"
#include "probe/point/point_finder.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/line_table.h"

namespace peregrine {
namespace {

constexpr u32 kMoreLines = 3;  // shown after the last line with code
constexpr u32 kEnd = std::numeric_limits<u32>::max();

class Lister {
 public:
  Lister(const DebugInformation& information, const LineRange& range, SourceListing& listing)
      : information_(information), range_(range), listing_(listing) {}

  void search() {
    information_.each_unit([&](const EntryUnit& unit) {
      range_.function.empty() ? search_file(unit) : search_function(unit);
      return DebugInformation::Visit::Drop;
    });
  }
  bool found() const { return found_; }
  const std::string& source() const { return source_; }

 private:
  void take(const LineOwners& owners, const std::string& file, u32 line, u64 address) {
    if (file != source_) return;
    // Skips a line that only shares its address with another one, as adding a probe does.
    const LineOwners::Line owner = owners.find(address);
    if (owner.file != nullptr && (*owner.file != file || owner.number != line)) return;
    const u32 first = listing_.base + range_.first;
    const u32 last = range_.last ? listing_.base + *range_.last : kEnd;
    if (line >= first && line <= last) listing_.probeable.insert(line);
  }

  void search_file(const EntryUnit& unit) {
    std::string path;
    const LineHeader& header = unit.line_header();
    for (u64 i = 0; i < header.files.size() && path.empty(); ++i)
      if (path_ends_with(unit.file_path(i), range_.file)) path = unit.file_path(i);
    if (path.empty() || (found_ && path != source_)) return;
    found_ = true;
    source_ = path;
    const LineOwners owners(unit);
    walk_unit_lines(unit, [&](const std::string& file, u32 line, u64 address) { take(owners, file, line, address); });
  }

  void search_function(const EntryUnit& unit) {
    std::optional<LineOwners> owners;
    walk_functions(unit, [&](DebugEntry function) {
      if (!is_called(function, range_.function)) return;
      const std::string file = function.declaration_file();
      if (file.empty() || (!range_.file.empty() && !path_ends_with(file, range_.file))) return;
      const bool inlined = !function.entry_address() && function.has(DwarfAttribute::Inline);
      if ((!function.entry_address() && !inlined) || (found_ && file != source_)) return;
      found_ = true;
      source_ = file;
      listing_.base = function.declaration_line();
      if (!owners) owners.emplace(unit);
      const LineVisit visit = [&](const std::string& path, u32 line, u64 address) {
        take(*owners, path, line, address);
      };
      if (!inlined) return walk_function_lines(function, visit);
      walk_instances(unit, function, [&](DebugEntry instance) { walk_function_lines(instance, visit); });
    });
  }

  const DebugInformation& information_;
  const LineRange& range_;
  SourceListing& listing_;
  bool found_ = false;
  std::string source_;
};

Error nothing_found(const DebugInformation& information, const LineRange& range, bool found) {
  Error error{ErrorKind::NotFound, "Specified source line is not found"};
  const std::string& what = range.function.empty() ? range.file : range.function;
  if (found) {
    error.hint = fmt::format("{} has no code in those lines", what);
    return error;
  }
  error.hint =
      fmt::format("{} has no {} '{}'", information.file().name(), range.function.empty() ? "file" : "function", what);
  if (range.function.empty()) return error;
  const std::vector<std::string> names = function_names(information);
  const std::vector<std::string_view> views(names.begin(), names.end());
  if (const auto near = nearest(range.function, views)) error.hint += fmt::format("; did you mean '{}'?", *near);
  return error;
}

}  // namespace

std::string SourceListing::reason(u32 line) const {
  if (probeable.contains(line)) return {};
  std::string_view code = text == nullptr ? std::string_view() : text->line(line);
  while (!code.empty() && std::isspace(static_cast<unsigned char>(code.front())) != 0) code.remove_prefix(1);
  if (code.empty()) return "empty";
  if (code.starts_with("//") || code.starts_with("/*") || code.starts_with("*")) return "a comment";
  if (code.starts_with("#")) return "a preprocessor directive";
  if (code == "{" || code == "}" || code == "};" || code == "} else {" || code == "else") return "a brace";
  return "no statement starts here";
}

Result<SourceListing> list_source(const DebugInformation& information, const LineRange& range, SourceFinder& sources) {
  SourceListing listing;
  Lister lister(information, range, listing);
  lister.search();
  if (!lister.found() || listing.probeable.empty())
    return std::unexpected(nothing_found(information, range, lister.found()));
  listing.function = range.function;
  listing.first_shown = range.first;
  auto path = sources.find(lister.source());
  if (!path) return std::unexpected(std::move(path.error()));
  auto text = sources.text(lister.source());
  if (!text) return std::unexpected(std::move(text.error()));
  listing.path = std::move(*path);
  listing.text = *text;
  listing.begin = std::max<u32>(listing.base + range.first, 1);
  listing.end = range.last ? listing.base + *range.last : *listing.probeable.rbegin() + kMoreLines;
  listing.end = std::min(listing.end, listing.text->line_count());
  return listing;
}

}  // namespace peregrine
