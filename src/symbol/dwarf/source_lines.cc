#include "symbol/dwarf/source_lines.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "base/types.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/dwarf/line_table.h"
#include "symbol/dwarf/range_map.h"
#include "symbol/dwarf/scope_tree.h"
#include "symbol/dwarf/supplement.h"
#include "symbol/dwarf/unit_index.h"

namespace peregrine {

class SourceLines::Implementation {
 public:
  Implementation(ElfFile file, const SourceSearch& search)
      : search_(search),
        file_(std::move(file), DwarfFile::Sections::Plain),
        index_(build_unit_index(file_)),
        units_(std::make_unique<Unit[]>(file_.units().size())) {}

  SourceLine find(u64 address) const {
    const u32 unit = index_.find(address);
    if (unit == RangeMap::kNobody) return {};
    const LineTable::Row* row = lines(unit).find(address);
    return row == nullptr ? SourceLine() : line_of(*row);
  }
  void frames(u64 address, std::vector<SourceFrame>& out) const;
  std::vector<LineRow> rows(u64 begin, u64 end) const;
  std::string_view file_path(SourceFileId file) const;
  Counts counts() const;
  const DwarfFile& file() const { return file_; }

 private:
  struct Unit {
    std::once_flag lines_once, scopes_once;
    LineTable lines;
    LineHeader header;
    std::string_view folder;
    ScopeTree scopes;
  };

  static SourceLine line_of(const LineTable::Row& row) {
    return row.file == LineTable::kNoFile ? SourceLine() : SourceLine{SourceFileId(row.file), row.line};
  }
  const LineTable& lines(u32 unit) const;
  const ScopeTree& scopes(u32 unit) const;
  void decode_lines(u32 index, Unit& unit) const;
  void decode_scopes(u32 index, Unit& unit) const;
  ScopeTree split_scopes(const DwarfUnit& skeleton, const UnitRoot& root) const;
  u32 intern(std::string path) const;
  const DwarfFile* supplement() const;
  const DwarfFile* package() const;

  SourceSearch search_;
  DwarfFile file_;
  RangeMap index_;
  // One per unit of the file. Each is decoded once, by the first thread that needs it; then it is read without a lock.
  std::unique_ptr<Unit[]> units_;
  mutable std::once_flag supplement_once_, package_once_;
  mutable std::unique_ptr<DwarfFile> supplement_, package_;
  mutable std::mutex paths_mutex_;
  // A deque, because views of paths and the keys of path_ids_ must stay valid.
  mutable std::deque<std::string> paths_;
  mutable std::unordered_map<std::string_view, u32> path_ids_;
  mutable std::atomic<u64> decoded_ = 0, bad_ = 0, missing_split_ = 0;
  mutable std::atomic<bool> missing_supplement_ = false;
};

const LineTable& SourceLines::Implementation::lines(u32 index) const {
  Unit& unit = units_[index];
  std::call_once(unit.lines_once, [&] { decode_lines(index, unit); });
  return unit.lines;
}

const ScopeTree& SourceLines::Implementation::scopes(u32 index) const {
  Unit& unit = units_[index];
  lines(index);  // scopes refer to the files of the line table
  std::call_once(unit.scopes_once, [&] { decode_scopes(index, unit); });
  return unit.scopes;
}

void SourceLines::Implementation::decode_lines(u32 index, Unit& unit) const {
  ++decoded_;
  DwarfUnit dwarf(file_, file_.units()[index]);
  UnitRoot root;
  if (!dwarf.open(root, true)) {
    ++bad_;
    return;
  }
  if (!root.lines) return;
  auto header = read_line_header(dwarf, *root.lines);
  if (!header) {
    ++bad_;
    return;
  }
  unit.header = std::move(*header);
  unit.folder = root.compilation_folder;
  unit.lines = LineTable::run(dwarf, unit.header);
  // Replaces numbers of files in the unit by numbers that are valid for all units. Only files that occur are interned:
  // headers list many more.
  std::vector<u32> known(unit.header.files.size(), LineTable::kNoFile);
  std::vector<bool> asked(known.size());
  for (LineTable::Row& row : unit.lines.rows()) {
    if (row.file >= known.size()) {
      row.file = LineTable::kNoFile;
      continue;
    }
    if (!asked[row.file]) {
      known[row.file] = intern(unit.header.path(row.file, unit.folder));
      asked[row.file] = true;
    }
    row.file = known[row.file];
  }
}

void SourceLines::Implementation::decode_scopes(u32 index, Unit& unit) const {
  DwarfUnit dwarf(file_, file_.units()[index]);
  UnitRoot root;
  if (!dwarf.open(root)) return;
  unit.scopes = root.is_skeleton() ? split_scopes(dwarf, root) : ScopeTree::build(dwarf, supplement());
  std::unordered_map<u32, u32> known;
  for (Scope& scope : unit.scopes.scopes()) {
    if (scope.parent == Scope::kNone) continue;
    const auto [file, added] = known.try_emplace(scope.call_file);
    if (added) file->second = intern(unit.header.path(scope.call_file, unit.folder));
    scope.call_file = file->second;
  }
  // Nothing needs it any more: lines were decoded before.
  unit.header = {};
}

ScopeTree SourceLines::Implementation::split_scopes(const DwarfUnit& skeleton, const UnitRoot& root) const {
  if (const DwarfFile* whole = package()) {
    if (const auto unit = find_split_unit(*whole, skeleton, root)) return ScopeTree::build(*unit, nullptr);
  }
  if (auto opened = open_split_file(root, search_)) {
    const DwarfFile split(std::move(*opened), DwarfFile::Sections::Split);
    if (const auto unit = find_split_unit(split, skeleton, root)) {
      ScopeTree tree = ScopeTree::build(*unit, nullptr);
      // There may be thousands of .dwo files and none stays open, so the names are copied.
      std::unordered_map<const char*, std::string_view> kept;
      for (Scope& scope : tree.scopes()) {
        const auto [name, added] = kept.try_emplace(scope.function.data());
        if (added) name->second = file_.keep(scope.function);
        scope.function = name->second;
      }
      return tree;
    }
  }
  ++missing_split_;
  return {};
}

u32 SourceLines::Implementation::intern(std::string path) const {
  if (path.empty()) return LineTable::kNoFile;
  const std::scoped_lock lock(paths_mutex_);
  const auto found = path_ids_.find(path);
  if (found != path_ids_.end()) return found->second;
  const std::string& kept = paths_.emplace_back(std::move(path));
  return path_ids_.emplace(kept, static_cast<u32>(paths_.size() - 1)).first->second;
}

const DwarfFile* SourceLines::Implementation::supplement() const {
  std::call_once(supplement_once_, [this] {
    auto opened = open_supplement(file_.elf(), search_);
    if (opened) supplement_ = std::make_unique<DwarfFile>(std::move(*opened), DwarfFile::Sections::Plain);
    missing_supplement_ = !opened && file_.elf().find_section(".gnu_debugaltlink") != nullptr;
  });
  return supplement_.get();
}

const DwarfFile* SourceLines::Implementation::package() const {
  std::call_once(package_once_, [this] {
    if (auto opened = open_package(file_.elf(), search_))
      package_ = std::make_unique<DwarfFile>(std::move(*opened), DwarfFile::Sections::Split);
  });
  return package_.get();
}

void SourceLines::Implementation::frames(u64 address, std::vector<SourceFrame>& out) const {
  const u32 unit = index_.find(address);
  if (unit == RangeMap::kNobody) return;
  const ScopeTree& tree = scopes(unit);
  SourceLine at = find(address);
  for (const Scope* scope = tree.find(address); scope != nullptr; scope = tree.parent(*scope)) {
    out.push_back({scope->function, at});
    if (scope->parent == Scope::kNone) break;
    at = scope->call_file == LineTable::kNoFile ? SourceLine()
                                                : SourceLine{SourceFileId(scope->call_file), scope->call_line};
  }
}

std::vector<LineRow> SourceLines::Implementation::rows(u64 begin, u64 end) const {
  std::vector<LineRow> result;
  index_.walk(begin, [&](u64 start, u32 unit) {
    if (start >= end) return false;
    if (unit == RangeMap::kNobody) {
      if (!result.empty()) result.push_back({.address = start});
      return true;
    }
    const std::vector<LineTable::Row>& all = lines(unit).rows();
    const u64 from = std::max(start, begin);
    auto row = std::ranges::upper_bound(all, from, {}, &LineTable::Row::address);
    if (row != all.begin()) --row;
    u64 until = end;
    index_.walk(start, [&](u64 next, u32) {
      if (next > start) until = std::min(until, next);
      return next <= start;
    });
    for (; row != all.end() && row->address < until; ++row)
      result.push_back(
          {std::max(row->address, from == begin ? row->address : from), line_of(*row), row->is_statement != 0});
    return true;
  });
  return result;
}

std::string_view SourceLines::Implementation::file_path(SourceFileId file) const {
  const std::scoped_lock lock(paths_mutex_);
  return file.value < paths_.size() ? std::string_view(paths_[file.value]) : std::string_view();
}

SourceLines::Counts SourceLines::Implementation::counts() const {
  return {file_.units().size(), decoded_, bad_, missing_split_, missing_supplement_};
}

SourceLines::SourceLines(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
SourceLines::~SourceLines() = default;

Result<std::unique_ptr<SourceLines>> SourceLines::open(ElfFile file, const SourceSearch& search) {
  const std::string name = file.name();
  auto made = std::make_unique<Implementation>(std::move(file), search);
  if (made->file().section(DebugSection::Lines).empty() || made->file().units().empty())
    return fail(ErrorKind::NotFound, "{}: no line numbers", name);
  return std::unique_ptr<SourceLines>(new SourceLines(std::move(made)));
}

SourceLine SourceLines::find(u64 virtual_address) const { return implementation_->find(virtual_address); }
void SourceLines::frames(u64 virtual_address, std::vector<SourceFrame>& out) const {
  implementation_->frames(virtual_address, out);
}
std::vector<LineRow> SourceLines::rows(u64 begin, u64 end) const { return implementation_->rows(begin, end); }
std::string_view SourceLines::file_path(SourceFileId file) const { return implementation_->file_path(file); }
SourceLines::Counts SourceLines::counts() const { return implementation_->counts(); }
const ElfFile& SourceLines::file() const { return implementation_->file().elf(); }

}  // namespace peregrine
