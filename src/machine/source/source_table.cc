#include "machine/source/source_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/build_id.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/dso/kept_files.h"
#include "machine/process/moment.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/table/demangle.h"

namespace peregrine {

SourceTable::Entry& SourceTable::entry_of(DsoId dso) {
  // The lock covers growing only. Loading takes long and must not stop other dsos, so each entry loads itself once.
  Entry* entry = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    while (entries_.size() <= dso.value) entries_.emplace_back();
    entry = &entries_[dso.value];
  }
  std::call_once(entry->cache_once, [&] {
    const KeptFiles& kept = dsos_.places().kept;
    if (!kept) return;
    entry->build = build_of(dso);
    if (entry->build) entry->cache = SourceCache::load(kept, entry->build);
  });
  return *entry;
}

// If the recording has no build-id because no sample hit the file itself, use that of the file that will be searched.
BuildId SourceTable::build_of(DsoId id) const {
  const Dso& dso = dsos_.at(id);
  if (dso.is_kernel()) return {};  // its addresses differ between boots
  if (dso.build_id || dso.kind != DsoKind::File) return dso.build_id;
  const auto code = dsos_.open_code(id);
  return code ? code->build_id() : BuildId();
}

SourceTable::Entry& SourceTable::opened(DsoId dso) {
  Entry& entry = entry_of(dso);
  std::call_once(entry.once, [&] { open(dso, entry); });
  return entry;
}

void SourceTable::open(DsoId id, Entry& entry) const {
  const Dso& dso = dsos_.at(id);
  if (dso.kind != DsoKind::File && dso.kind != DsoKind::Kernel && dso.kind != DsoKind::Vdso &&
      dso.kind != DsoKind::Module && dso.kind != DsoKind::JitDump)
    return;
  auto debug = dsos_.open_debug(id);
  if (!debug) return;
  const DebugSearch& where = dsos_.places().search;
  SourceSearch search{.dso_path = where.symfs + where.below(dso.path),
                      .symfs = where.symfs,
                      .debug_folder = where.debug_folder,
                      .failures = where.failures};
  auto lines = SourceLines::open(std::move(*debug), search);
  if (!lines) return;
  entry.bias = dsos_.image_bias(id, (*lines)->file());
  if (!dso.is_kernel()) {
    auto code = dsos_.open_code(id);
    if (!code) return;
    entry.code = std::move(*code);
  }
  entry.lines = std::move(*lines);
}

const SourceLines* SourceTable::lines(DsoId dso) { return opened(dso).lines.get(); }

std::optional<u64> SourceTable::virtual_address(const Frame& frame) {
  const Entry& entry = opened(frame.dso);
  if (entry.code) return entry.code->virtual_address(frame.address);
  return frame.address + entry.bias;
}

std::string_view SourceTable::shown_path(std::string_view path) const {
  return full_paths_ ? path : path.substr(path.rfind('/') + 1);
}

SourceTextId SourceTable::keep(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  return SourceTextId(texts_.intern(text).value);
}

std::string_view SourceTable::text(SourceTextId id) const {
  if (!id) return {};
  const std::scoped_lock lock(mutex_);
  return texts_.view(StringId(id.value));
}

SourceTextId SourceTable::line_text(const SourceCache::Frame& frame) {
  return frame.path.empty() ? SourceTextId() : keep(fmt::format("{}:{}", shown_path(frame.path), frame.line));
}

SourceTextId SourceTable::shown_line(Resolver& resolver, const Frame& frame, SourceTextId known, bool offset_only) {
  if (known) return known;
  if (!frame.dso) return keep("??:0");
  if (!frame.symbol) return keep(fmt::format("{}[{:x}]", dsos_.at(frame.dso).short_name, frame.address));
  const std::string_view name = offset_only ? std::string_view() : resolver.symbol_name(frame);
  return keep(fmt::format("{}+{}", name, resolver.symbol_offset(frame)));
}

SourceTextId SourceTable::name_text(std::string_view raw) {
  {
    const std::scoped_lock lock(mutex_);
    const auto known = names_.find(raw);
    if (known != names_.end()) return known->second;
  }
  const SymbolPlaces& places = dsos_.places();
  // Demangled without the lock, because it is slow. Two workers may do it for the same name; the first result stays.
  const bool mangled = places.demangle && may_be_mangled(raw);
  const SourceTextId name = keep(mangled ? demangle(raw, places.demangle_detail) : std::string(raw));
  const std::scoped_lock lock(mutex_);
  return names_.try_emplace(raw, name).first->second;
}

bool SourceTable::decode(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames) {
  const SourceLines* known = lines(frame.dso);
  const auto address = known == nullptr ? std::nullopt : virtual_address(frame);
  if (!address) return false;
  const u64 asked = *address - (place == Place::Return ? 1 : 0);
  std::vector<SourceFrame> found;
  if (functions) known->frames(asked, found);
  if (found.empty()) found.push_back({{}, known->find(asked)});
  for (const SourceFrame& one : found) frames.push_back({one.function, known->file_path(one.at.file), one.at.line});
  return true;
}

bool SourceTable::ask(const Frame& frame, Place place, bool functions, std::vector<SourceCache::Frame>& frames) {
  frames.clear();
  if (!frame.dso) return false;
  Entry& entry = entry_of(frame.dso);
  const u64 asked = frame.address - (place == Place::Return ? 1 : 0);
  {
    const std::scoped_lock lock(entry.mutex);
    if (auto known = entry.cache.find(asked, functions)) {
      frames = std::move(*known);
      return true;
    }
  }
  if (!decode(frame, place, functions, frames)) return false;
  const std::scoped_lock lock(entry.mutex);
  entry.cache.add(asked, functions, frames);
  return true;
}

SourceTextId SourceTable::line(const Frame& frame, Place place) {
  std::vector<SourceCache::Frame> frames;
  return ask(frame, place, false, frames) && !frames.empty() ? line_text(frames.front()) : SourceTextId();
}

SourceTextId SourceTable::functions(const Frame& frame, Place place, std::vector<InlinedFunction>& inlined,
                                    bool lines) {
  inlined.clear();
  std::vector<SourceCache::Frame> frames;
  if (!ask(frame, place, true, frames) || frames.empty()) return {};
  for (std::size_t i = 0; i + 1 < frames.size(); ++i) {
    const SourceTextId name = frames[i].function.empty() ? keep("[unknown]") : name_text(frames[i].function);
    inlined.push_back({name, lines ? line_text(frames[i]) : SourceTextId()});
  }
  return lines ? line_text(frames.back()) : SourceTextId();
}

void SourceTable::keep_answers() {
  const std::scoped_lock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (!entry.cache.changed() || !entry.build || entry.lines == nullptr) continue;
    const SourceLines::Counts counts = entry.lines->counts();
    // Answers are kept for later runs, so they must not come from half of the debug information. If one file cannot be
    // written, the others cannot either.
    const bool complete = counts.missing_split_units == 0 && !counts.missing_supplement && counts.bad_units == 0;
    if (complete && !entry.cache.save(dsos_.places().kept, entry.build)) return;
  }
}

}  // namespace peregrine
