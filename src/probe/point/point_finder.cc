#include "probe/point/point_finder.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include "base/container/sort_unique.h"
#include "base/nearest.h"
#include "base/result.h"
#include "base/text/listed.h"
#include "base/types.h"
#include "probe/point/line_walk.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/line_table.h"
#include "symbol/table/demangle.h"

namespace peregrine {
namespace {

bool has_glob(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

bool name_matches(const std::string& pattern, bool glob, std::string_view name) {
  if (name.empty()) return false;
  return glob ? ::fnmatch(pattern.c_str(), std::string(name).c_str(), 0) == 0 : name == pattern;
}

bool has_name(DebugEntry function, const std::string& wanted, bool glob) {
  const std::string_view linkage = function.linkage_name();
  if (name_matches(wanted, glob, function.name()) || name_matches(wanted, glob, linkage)) return true;
  if (linkage.empty() || (wanted.find("::") == std::string::npos && wanted.find('(') == std::string::npos))
    return false;
  return name_matches(wanted, glob, demangle(linkage)) ||
         name_matches(wanted, glob, demangle(linkage, DemangleDetail::Parameters));
}

}  // namespace

bool PointFinder::matches(DebugEntry function) const { return has_name(function, place_->function, is_glob_); }

bool is_called(DebugEntry function, const std::string& name) { return has_name(function, name, false); }

std::string PointFinder::file_of(const EntryUnit& unit) const {
  const LineHeader& header = unit.line_header();
  for (u64 i = 0; i < header.files.size(); ++i) {
    const std::string& path = unit.file_path(i);
    if (!path.empty() && path_ends_with(path, place_->file)) return path;
  }
  return {};
}

void PointFinder::note_near(u32 line) {
  if (line < wanted_line_ && line > line_below_) line_below_ = line;
  if (line > wanted_line_ && (line_above_ == 0 || line < line_above_)) line_above_ = line;
}

void PointFinder::note_function_lines(const EntryUnit& unit, DebugEntry function) {
  const std::string file = function.declaration_file();
  const LineOwners owners(unit);
  walk_function_lines(function, [&](const std::string& path, u32 line, u64 address) {
    if (path != file || line < base_line_) return;
    const LineOwners::Line owner = owners.find(address);
    if (owner.file == nullptr || *owner.file != path || owner.number == line) function_lines_.insert(line - base_line_);
  });
}

// Compresses the lines for a message: "0", "0, 2-5, 9", "0, 2, 4 and 17 more".
std::string PointFinder::function_lines() const {
  constexpr std::size_t kMostRanges = 10;
  std::vector<std::string> ranges;
  for (auto line = function_lines_.begin(); line != function_lines_.end();) {
    const u32 first = *line;
    u32 last = first;
    for (++line; line != function_lines_.end() && *line == last + 1; ++line) last = *line;
    ranges.push_back(first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last));
  }
  return listed(ranges, kMostRanges);
}

// The function at the address, inlined or not, that is declared in that file.
DebugEntry PointFinder::best_scope(const EntryUnit&, DebugEntry function, u64 address, const std::string& file) const {
  DebugEntry best = function;
  for (DebugEntry at = inlined_at(function, address); at && at != function; at = at.parent()) {
    if (at.tag() != DwarfTag::InlinedSubroutine) continue;
    if (file.empty() || at.declaration_file() == file) {
      best = at;
      break;
    }
  }
  if (best == function || place_->function.empty()) return best;
  // The user named the function around it.
  return matches(function) && function.declaration_file() == file ? function : best;
}

void PointFinder::add(const EntryUnit& unit, u64 address, DebugEntry scope, bool inlined) {
  if (points_.size() >= options_.most) {
    too_many_ = too_many_ || !seen_.contains(address);
    return;
  }
  ProbePoint point{.address = address, .entry = address, .inlined = inlined};
  point.function = function_at(unit, address);
  if (!point.function && scope && scope.tag() == DwarfTag::Subprogram) point.function = scope;
  if (!point.function || !seen_.insert(address).second) return;
  point.scope = scope ? scope : point.function;
  point.entry = point.function.entry_address().value_or(address);
  point.name = point.scope.name();
  const std::string_view linkage = point.function.linkage_name();
  point.symbol = linkage.empty() ? point.function.name() : linkage;
  points_.push_back(std::move(point));
}

void PointFinder::search_line(const EntryUnit& unit, const std::string& file, u32 line) {
  wanted_line_ = line;
  std::optional<LineOwners> owners;
  walk_unit_lines(unit, [&](const std::string& path, u32 number, u64 address) {
    if (path != file) return;
    if (number != line) return note_near(number);
    if (!owners) owners.emplace(unit);
    const LineOwners::Line owner = owners->find(address);
    if (owner.file != nullptr && *owner.file == path && owner.number != number) {
      shared_line_ = owner.number;
      return;
    }
    const DebugEntry function = function_at(unit, address);
    if (function) add(unit, address, best_scope(unit, function, address, file), false);
  });
}

Result<> PointFinder::search_pattern(const EntryUnit& unit, const std::string& file, DebugEntry function) {
  auto text = sources_.text(file);
  if (!text) return std::unexpected(std::move(text.error()));
  const auto fits = [&](u32 line) { return lazy_match((*text)->line(line), place_->pattern); };
  for (u32 i = 1; i <= (*text)->line_count() && !pattern_seen_; ++i) pattern_seen_ = fits(i);
  const LineVisit visit = [&](const std::string& path, u32 line, u64 address) {
    if (path != file || !fits(line)) return;
    const DebugEntry around = function_at(unit, address);
    const std::size_t before = points_.size();
    if (around) add(unit, address, function ? function : best_scope(unit, around, address, file), false);
    if (points_.size() == before) return;
    const u32 first = function ? base_line_ : 0;
    points_.back().matched_line = line - std::min(line, first);
  };
  function ? walk_function_lines(function, visit) : walk_unit_lines(unit, visit);
  return {};
}

Error offset_beyond_end(std::string_view function, u64 size, u64 offset) {
  return {ErrorKind::Usage, fmt::format("{} has only {} bytes: offset {} is too large", function, size, offset)};
}

// Checks that the offset is inside the code range that begins at `entry`, and sets trouble_ if it is not.
bool PointFinder::has_offset(DebugEntry function, u64 entry) {
  if (place_->offset == 0) return true;
  for (const AddressRange& range : function.ranges()) {
    if (entry < range.begin || entry >= range.end) continue;
    const u64 size = range.end - entry;
    if (place_->offset < size) return true;
    trouble_ = offset_beyond_end(function.name(), size, place_->offset);
    return false;
  }
  return true;
}

void PointFinder::search_function(const EntryUnit& unit, DebugEntry function) {
  if (function.flag(DwarfAttribute::Declaration) && !function.entry_address()) return;
  if (!matches(function)) return;
  if (!place_->file.empty() && !path_ends_with(function.declaration_file(), place_->file)) return;
  function_seen_ = true;
  base_line_ = function.declaration_line();
  if (place_->has_line && place_->line != 0) {
    search_line(unit, function.declaration_file(), function.declaration_line() + place_->line);
    if (points_.empty() && function.entry_address()) note_function_lines(unit, function);
    return;
  }
  const auto entry = function.entry_address();
  const auto take_pattern = [&](DebugEntry where) {
    if (auto done = search_pattern(unit, function.declaration_file(), where); !done) trouble_ = std::move(done.error());
  };
  if (entry) {
    if (!place_->pattern.empty()) return take_pattern(function);
    if (!has_offset(function, *entry)) return;
    u64 address = *entry + place_->offset;
    const bool behind_prologue = options_.of_program && options_.wants_variables && place_->offset == 0 &&
                                 !place_->is_return && !is_optimized(function);
    if (behind_prologue) address = end_of_prologue(function, *entry);
    const std::size_t before = points_.size();
    add(unit, address, function, false);
    if (points_.size() > before) points_.back().skipped_prologue = behind_prologue;
    return;
  }
  if (!function.has(DwarfAttribute::Inline)) return;
  only_inlined_ = true;
  if (!options_.inlines) return;
  walk_instances(unit, function, [&](DebugEntry instance) {
    if (instance.tag() == DwarfTag::Subprogram) return;  // visited on its own
    if (!place_->pattern.empty()) return take_pattern(instance);
    const u64 start = *instance.entry_address();
    if (has_offset(instance, start)) add(unit, start + place_->offset, instance, true);
  });
}

void PointFinder::search_unit(const EntryUnit& unit) {
  if (!place_->function.empty()) {
    walk_functions(unit, [&](DebugEntry function) { search_function(unit, function); });
    return;
  }
  const std::string file = file_of(unit);
  if (file.empty()) return;
  file_seen_ = true;
  if (place_->pattern.empty()) return search_line(unit, file, place_->line);
  if (auto done = search_pattern(unit, file, {}); !done) trouble_ = std::move(done.error());
}

Result<std::vector<ProbePoint>> PointFinder::find(const ProbePlace& place) {
  place_ = &place;
  is_glob_ = has_glob(place.function);
  points_.clear();
  seen_.clear();
  information_.each_unit([&](const EntryUnit& unit) {
    const std::size_t before = points_.size();
    search_unit(unit);
    // Points refer to entries of their units. The others are dropped, so that memory is bounded by the matches and not
    // by the file.
    return points_.size() > before ? DebugInformation::Visit::Keep : DebugInformation::Visit::Drop;
  });
  if (too_many_)
    return std::unexpected(Error{ErrorKind::Usage,
                                 fmt::format("'{}' matches more than {} places", place.text(), options_.most),
                                 "raise the limit with --max-probes"});
  if (points_.empty()) return std::unexpected(trouble_ ? std::move(*trouble_) : explain());
  return std::move(points_);
}

Error PointFinder::explain() const {
  const std::string& file = options_.program.empty() ? information_.file().name() : options_.program;
  Error error{ErrorKind::NotFound, fmt::format("Probe point '{}' not found in {}", place_->text(), file)};
  const auto beside = [&](std::string_view what) {
    const u32 base = place_->function.empty() ? 0 : base_line_;
    std::string text;
    if (line_below_ > base) text = fmt::format("{}", line_below_ - base);
    if (line_above_ != 0) text += fmt::format("{}{}", text.empty() ? "" : " and ", line_above_ - base);
    const bool two = line_above_ != 0 && line_below_ > base;
    if (!text.empty())
      error.hint =
          fmt::format("{}; the nearest line{} with code {} {}", what, two ? "s" : "", two ? "are" : "is", text);
  };
  if (place_->function.empty() && !file_seen_) {
    error.hint = fmt::format("no source file '{}' in the debug information", place_->file);
  } else if (!place_->function.empty() && !function_seen_) {
    const std::vector<std::string> names = function_names(information_);
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearest(place_->function, views);
    if (near && *near != place_->function)
      error.hint = fmt::format("did you mean '{}'?", *near);
    else if (!place_->file.empty())
      error.hint = fmt::format("no function '{}' in source file '{}'", place_->function, place_->file);
  } else if (only_inlined_ && points_.empty() && !options_.inlines) {
    error.hint = fmt::format("{} is always inlined, and --no-inlines omits inlined code", place_->function);
  } else if (only_inlined_ && points_.empty()) {
    error.hint = fmt::format("{} has no code: it is inlined, and never called", place_->function);
  } else if (!place_->pattern.empty()) {
    error.hint = pattern_seen_ ? "the matching lines have no code" : "no line matches the pattern";
  } else if (shared_line_ != 0) {
    const bool function = !place_->function.empty();
    error.hint = fmt::format("that line shares its code with another: try {}:{}",
                             function ? place_->function : place_->file, shared_line_ - (function ? base_line_ : 0));
  } else if (place_->has_line && !function_lines_.empty()) {
    error.hint = fmt::format("that line has no code; lines of {} with code: {}", place_->function, function_lines());
  } else if (place_->has_line) {
    beside("that line has no code");
  }
  return error;
}

std::vector<std::string> function_names(const DebugInformation& information) {
  std::vector<std::string> names;
  information.each_unit([&](const EntryUnit& unit) {
    walk_functions(unit, [&](DebugEntry function) {
      if (function.entry_address() || function.has(DwarfAttribute::Inline)) names.emplace_back(function.name());
    });
    return DebugInformation::Visit::Drop;
  });
  sort_unique(names);
  return names;
}

}  // namespace peregrine
